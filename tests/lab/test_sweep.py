"""Sweeps: each run once, several at a time, going on where it was stopped, and a line for what failed."""

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from lab.cli import translation
from lab.evaluation import result_files, sweeps
from lab.evaluation.sweeps import Step, Sweep
from lab.kinds.ranges import RecipeError
from solutions.bahdanau.model import SOLUTION

LETTERS = Sweep("Which letter?", "phrasebook", "small", {"": {}, "b": {"units": 7}, "c": {"epochs": 1}}, (1, 2))
PROGRAM = """
import json, pathlib, sys
name, recipe, fails = sys.argv[1:]
print("epoch 1")
if fails: sys.exit("a b: no more memory")
path = pathlib.Path(name)
path.parent.mkdir(parents=True, exist_ok=True)
path.write_text(json.dumps({"recipe": json.loads(recipe), "training": {"ended_by_budget": False}}))
"""


@pytest.fixture
def place(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for runs and results, and commands that write a result in no time; those of `b` fail once."""

    def commands(step: Step, device: str | None = None) -> list[list[str]]:
        path = here / "solutions" / "bahdanau" / "results" / f"{step.name}.json"
        fails = step.variant == "b" and not (here / "mended").exists()
        return [[sys.executable, "-c", PROGRAM, str(path), json.dumps(asdict(step.recipe)), "1" if fails else ""]]

    monkeypatch.setattr(Step, "commands", commands)
    return here


def typed(capsys: pytest.CaptureFixture, *words: str) -> tuple[int, str]:
    """Return the exit status of a command and all that it prints."""
    try:
        translation.main(SOLUTION, ["sweep", *words], sweeps={"letters": LETTERS})
        status = 0
    except SystemExit as stop:
        status = int(stop.code or 0)
    printed = capsys.readouterr()
    return status, printed.out + printed.err


def test_the_first_seed_of_every_variant_comes_first() -> None:
    names = [(step.variant, step.seed) for step in LETTERS.steps(SOLUTION)]
    assert names == [("", 1), ("b", 1), ("c", 1), ("", 2), ("b", 2), ("c", 2)]
    assert next(LETTERS.steps(SOLUTION)).name == "phrasebook-fr-en-small-seed1"


def test_what_differs_is_in_the_recipe_or_in_its_training() -> None:
    small = SOLUTION.recipes["small"]
    same, units, epochs = (step.recipe for step in LETTERS.steps(SOLUTION, [1]))
    assert (same, units) == (small, replace(small, units=7))
    assert epochs == replace(small, training=replace(small.training, epochs=1))
    with pytest.raises(RecipeError, match="recipe small of bahdanau has no field 'wings'"):
        _ = Step(SOLUTION, replace(LETTERS, variants={"d": {"wings": 2}}), "d", 1).recipe


def test_what_is_done_is_not_done_again_and_what_failed_is_named(place: Path, capsys: pytest.CaptureFixture) -> None:
    status, printed = typed(capsys, "letters", "--jobs", "2")
    assert status == 2
    assert "letters: 6 runs, 0 of them done" in printed
    assert "2 of 6 runs failed:" in printed
    assert f"phrasebook-fr-en-small-b-seed2: a b: no more memory ({place}" in printed, printed
    (place / "mended").touch()
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*.json")}
    status, printed = typed(capsys, "letters")
    assert (status, len(before)) == (0, 4)
    assert "letters: 6 runs, 4 of them done" in printed
    assert before.items() <= {path: path.stat().st_mtime_ns for path in place.rglob("*.json")}.items()
    assert "letters: 6 runs, 6 of them done" in typed(capsys, "letters")[1]
    for words in ([], ["leters"], ["letters", "--jobs", "0"]):
        assert typed(capsys, *words)[0] == 2


def test_a_result_of_another_recipe_or_of_a_training_cut_short_is_done_again(place: Path) -> None:
    step = Step(SOLUTION, LETTERS, "", 1)
    path = result_files.results_folder("bahdanau") / f"{step.name}.json"
    path.parent.mkdir(parents=True)
    for recipe, ended, done in (
        (step.recipe, False, True),
        (step.recipe, True, False),
        (replace(step.recipe, units=5), False, False),
    ):
        result_files.write_json(path, {"recipe": asdict(recipe), "training": {"ended_by_budget": ended}})
        assert step.is_done == done
    assert sweeps.read_json(path)["recipe"]["units"] == 5
