"""The chapter's experiments: python -m solutions.long_context lengths | distance | recall."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Literal

import torch
import tyro
from tyro.conf import Positional

from lab.cli.common import fail
from lab.evaluation.result_files import results_folder
from lab.evaluation.trials import Trials
from lab.ranges import Count, RecipeError, demand
from solutions.long_context import distance, lengths, recall

EXPERIMENTS: dict[str, ModuleType] = {"lengths": lengths, "distance": distance, "recall": recall}


@dataclass(frozen=True)
class Options:
    """Train the models of an experiment, and keep what is measured; what is kept is not trained again."""

    experiment: Positional[Literal["lengths", "distance", "recall"]]
    seeds: tuple[int, ...] = (1, 2, 3)
    steps: Count = 0
    """of each training; 0 = as in the book"""
    threads: Count = 0
    """CPU threads; 0 = as many as torch takes"""


def main(words: Sequence[str] | None = None, folder: Path | None = None) -> None:
    """Run what is asked for; print each run, and write results/EXPERIMENT.json."""
    options = tyro.cli(Options, prog="python -m solutions.long_context", args=words)
    try:
        demand(options)
        if min(options.seeds, default=-1) < 0:
            raise RecipeError("--seeds: expected numbers of 0 or more, at least one")
    except RecipeError as error:
        fail(str(error))
    if options.threads:
        torch.set_num_threads(options.threads)
    module = EXPERIMENTS[options.experiment]
    steps = options.steps or module.STEPS
    trials = Trials(
        (folder or results_folder("long_context")) / f"{options.experiment}.json", module.ABOUT | {"steps": steps}
    )
    for seed in options.seeds:
        for variant in module.VARIANTS:
            if trials.has(variant=variant, seed=seed):
                continue
            run = module.measured(variant, seed, steps)
            print(f"{variant}, seed {seed}: {run}", flush=True)
            trials.keep({"variant": variant, "seed": seed} | run)
    print(f"wrote {trials.path}")


if __name__ == "__main__":
    main()
