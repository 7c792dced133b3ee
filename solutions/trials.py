"""The command of experiments that train many small models: which seeds, how many steps, and what is kept.

An experiment is a module with `measured(variant, seed, steps)`, its STEPS and VARIANTS, VARIES, which is what a run
calls its variant, and its settings, ABOUT.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import torch
import tyro
from tyro.conf import Positional

from lab.cli.common import fail
from lab.evaluation.result_files import results_folder
from lab.evaluation.trials import Trials
from lab.kinds.ranges import Count, RecipeError, demand


def main(
    program: str, experiments: list[ModuleType], words: Sequence[str] | None = None, folder: Path | None = None
) -> None:
    """Train the models that the command line asks for, print each run, and write results/EXPERIMENT.json."""
    modules = {module.__name__.rpartition(".")[2]: module for module in experiments}
    names: Any = tuple(modules)

    @dataclass(frozen=True)
    class Options:
        """Train the models of an experiment, and keep what is measured; what is kept is not trained again."""

        experiment: Positional[Literal[names]] = (  # pyright: ignore[reportInvalidTypeForm]
            names[0] if len(names) == 1 else tyro.MISSING
        )
        """whose models are trained"""
        seeds: tuple[int, ...] = (1, 2, 3)
        steps: Count = 0
        """of each training; 0 = as in the book"""
        threads: Count = 0
        """CPU threads; 0 = as many as torch takes"""

    options = tyro.cli(Options, prog=f"python -m {program}", args=words)
    try:
        demand(options)
        if min(options.seeds, default=-1) < 0:
            raise RecipeError("--seeds: expected numbers of 0 or more, at least one")
    except RecipeError as error:
        fail(str(error))
    if options.threads:
        torch.set_num_threads(options.threads)
    module = modules[options.experiment]
    steps, chapter = options.steps or module.STEPS, module.__name__.split(".")[-2]
    path = (folder or results_folder(chapter)) / f"{options.experiment}.json"
    trials = Trials(path, module.ABOUT | {"steps": steps})
    for seed in options.seeds:
        for variant in module.VARIANTS:
            run: dict[str, Any] = {module.VARIES: variant, "seed": seed}
            if not trials.has(**run):
                measured = module.measured(variant, seed, steps)
                print(f"{variant}, seed {seed}: {measured.get('history', [measured])[-1]}", flush=True)
                trials.keep(run | measured)
    print(f"wrote {path}")
