"""Models that chapters and notebooks train once and share: a store keyed by all that a training depends on."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from lab import corpora
from lab.imports import files_behind
from lab.translation import ROOT, Run, Solution, Trained, restore, train

STORE = Path(os.environ.get("ATTENTION_STORE", ROOT / "build" / "store"))


def trained(
    solution: Solution,
    *,
    corpus: str = "phrasebook",
    recipe: str | None = None,
    seed: int = 1,
    quiet: bool = False,
    **changes: Any,
) -> Trained:
    """Return a chapter's model, trained on a corpus; from the store when nothing that it depends on has changed.

    `changes` replace fields of the recipe's training: epochs=2, for example.
    """
    named = recipe or solution.defaults[corpus]
    settings = solution.recipes[named]
    settings = replace(settings, training=replace(settings.training, **changes))
    run = Run(solution.name, corpus, *corpora.direction(corpus), named, seed=seed)
    folder = STORE / f"{solution.name}-{run.name}-seed{seed}-{key(solution, settings, seed)}"
    if (folder / "done").exists():
        return restore(solution, folder)
    found = train(solution, run, settings, folder=folder, quiet=quiet)
    (folder / "last.pt").unlink(missing_ok=True)
    (folder / "done").touch()
    return found


def key(solution: Solution, settings: Any, seed: int) -> str:
    """Return a short name for the recipe, the seed, torch, and the code that a training runs."""
    digest = hashlib.sha256(repr((settings, seed, torch.__version__)).encode())
    for file in files_behind([f"solutions.{solution.name}.model"], ROOT):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
