"""Models that chapters and notebooks train once and share: a store keyed by all that a training depends on."""

from dataclasses import replace
from typing import Any

import torch
from filelock import FileLock

from lab.dependencies import STORE, digest_of
from lab.kinds.kind import kind_of, run_of
from lab.kinds.runs import Solution


def trained(
    solution: Solution,
    *,
    corpus: str = "phrasebook",
    recipe: str | None = None,
    seed: int = 1,
    quiet: bool = False,
    texts: Any = None,
    **changes: Any,
) -> Any:
    """Return a chapter's model, trained on a corpus; from the store when nothing that it depends on has changed.

    It is a `Trained` of `translation`, on a corpus with labels of `classification`, on a text for language models of
    `language`. `texts` are a corpus to take in place of the named one; `changes` replace fields of the recipe's
    training: epochs=2, for example.
    """
    named = recipe or solution.defaults[corpus]
    settings = solution.recipes[named]
    settings = replace(settings, training=replace(settings.training, **changes))
    kind, run = kind_of(corpus), run_of(solution.name, corpus, named, seed=seed)
    folder = STORE / f"{solution.name}-{run.name}-seed{seed}-{key(solution, settings, seed, texts)}"
    STORE.mkdir(parents=True, exist_ok=True)
    # Chapters run side by side: the second that needs a model waits until the first has trained it.
    with FileLock(STORE / f"{folder.name}.lock"):
        if (folder / "done").exists():
            return kind.restore(solution, folder)
        model = kind.train(solution, run, settings, folder=folder, quiet=quiet, corpus=texts)
        (folder / "last.pt").unlink(missing_ok=True)
        (folder / "done").touch()
        return model


def key(solution: Solution, settings: Any, seed: int, texts: Any = None) -> str:
    """Return a short name for the recipe, the seed, torch, the texts given, and the code that a training runs."""
    about = repr((settings, seed, torch.__version__)), repr(texts) if texts else ""
    return digest_of([f"solutions.{solution.name}.model", solution.build.__module__], *about)
