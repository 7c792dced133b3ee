"""What test_distributed runs under torchrun: trainings in two processes, the second of which may be killed."""

import argparse
import os
import signal
from dataclasses import replace
from pathlib import Path

import torch

from benchmarks.gpu.small_models import small_models
from lab.cli.common import UsageError, fail
from lab.cli.kind import joint_failure
from lab.kinds.translation import Translating
from lab.text.batches import Example
from lab.train.devices import seed_all
from lab.train.distributed import here, part_ways
from lab.train.schedules import Training
from lab.train.training import Trainer
from solutions.bahdanau.model import Bahdanau
from solutions.bahdanau.recipe import Recipe

RECIPE = Recipe(embedding_dim=6, units=8, hidden=7, maxout=6)
# Batches of one to six sentences: some are too small to be shared.
TRAINING = Training(tokens=14, epochs=2, rate=1e-2, mean_of=2, smoothing=0.1, precision="fp32")
EXAMPLES: list[Example] = [([4 + i % 7] * (1 + i % 5), [4 + i % 5] * (1 + i % 13)) for i in range(23)]


def trainer(folder: Path, dropout: float = 0.0, minutes: float | None = None) -> Trainer:
    seed_all(3)
    model = Bahdanau(replace(RECIPE, dropout=dropout), 15, 15)
    return Trainer(
        model,
        Translating(EXAMPLES, TRAINING),
        TRAINING,
        folder,
        seed=3,
        validate=lambda candidate: -sum(float(weight.sum()) for weight in candidate.parameters()),
        device=torch.device("cpu"),
        minutes=minutes,
        quiet=True,
    )


def every(folder: Path) -> None:
    """Keep what each process's trainings end with: one in one go, one in many, and one of every chapter's model."""
    plain = trainer(folder / "plain")
    plain.run()
    whole = trainer(folder / "whole", dropout=0.3)
    whole.run()
    while (part := trainer(folder / "parts", dropout=0.3, minutes=0.0)).run().ended_by_budget:
        torch.rand(7)  # whatever happens to the random numbers in between
    results = {"plain": plain, "whole": whole, "parts": part}
    for name, model in small_models().items():
        results[name] = model.trainer(folder / name, torch.device("cpu"))
        results[name].run()
    torch.save(
        {
            name: {"weights": one.model.state_dict(), "losses": [entry["loss"] for entry in one.progress.history]}
            for name, one in results.items()
        },
        folder / f"rank{here().rank}.pt",
    )


def one(folder: Path, kill: bool) -> None:
    """Train one model, whose second process may be killed after the first epoch."""
    running = small_models(epochs=3)["bahdanau"].trainer(folder, torch.device("cpu"))
    whole = running.epoch

    def epoch(*given) -> None:
        if kill and here().rank == 1 and running.progress.epoch == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        whole(*given)

    running.epoch = epoch
    try:
        with joint_failure(here()):
            running.run()
    except UsageError as error:
        fail(str(error))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.support.two_processes", description=__doc__)
    parser.add_argument("what", choices=["every", "one", "killed"])
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    every(asked.folder) if asked.what == "every" else one(asked.folder, kill=asked.what == "killed")
    part_ways()
