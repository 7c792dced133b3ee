"""The experiments of the chapters: what a sweep types is what it means."""

import importlib

import pytest

from lab import corpora
from lab.cli import kind as of_all
from lab.cli import translation
from lab.cli.common import with_recipe
from lab.evaluation.sweeps import Step
from solutions.self_attention.sweeps import TRANSLATING
from solutions.self_attention.translator import TRANSLATOR

NAMES = (
    "encoder_decoder",
    "bahdanau",
    "luong",
    "pooling",
    "structured",
    "self_attention",
    "transformer",
    "language_model",
)


def steps() -> list[Step]:
    """Return a step for each variant of each experiment."""
    every = []
    for name in NAMES:
        solution = importlib.import_module(f"solutions.{name}.model").SOLUTION
        for experiment, sweep in importlib.import_module(f"solutions.{name}.sweeps").SWEEPS.items():
            trained = TRANSLATOR if name == "self_attention" and experiment in TRANSLATING else solution
            every += [step for step in sweep.steps(trained) if step.seed == 1]
    return every


@pytest.mark.parametrize("step", steps(), ids=lambda step: f"{step.solution.name}-{step.run.name}")
def test_the_command_of_a_run_has_the_recipe_of_the_run(step: Step) -> None:
    train, evaluate = step.commands()
    kind = translation.Train if corpora.is_parallel(step.sweep.corpus) else of_all.Train
    options, recipe = with_recipe(step.solution, step.sweep.recipe, kind, kind(), train[4:])
    assert recipe == step.recipe
    assert (options.corpus, options.recipe, options.variant) == (step.sweep.corpus, step.sweep.recipe, step.variant)
    assert train[4:][: len(evaluate[4:])] == evaluate[4:]


def test_a_name_stands_for_one_recipe() -> None:
    recipes = {}
    for step in steps():
        assert recipes.setdefault((step.solution.name, step.name), step.recipe) == step.recipe, step.name
