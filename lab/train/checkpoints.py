"""Checkpoints: written whole or not at all, read without running any code of theirs."""

import os
from pathlib import Path
from typing import Any

import torch

from lab.files import aside


class CheckpointError(Exception):
    """A checkpoint that is missing, broken, or belongs to something else."""


def save(path: Path, content: dict[str, Any]) -> None:
    """Write a checkpoint whole or not at all."""
    with aside(path) as part, part.open("wb") as file:
        torch.save(content, file)
        file.flush()
        os.fsync(file.fileno())


def load(path: Path) -> dict[str, Any]:
    """Read a checkpoint (tensors and plain values only: no code of the file is run)."""
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise CheckpointError(f"no checkpoint at {path}") from None
    except Exception as error:
        raise CheckpointError(
            f"{path} is not a readable checkpoint ({type(error).__name__}). Remove it and train again."
        ) from None
    if not isinstance(content, dict):
        raise CheckpointError(f"{path} is not a checkpoint: expected a dict, got {type(content).__name__}.")
    return content


def same_training(path: Path, state: dict[str, Any], about: dict[str, Any], seed: int) -> None:
    """Refuse a checkpoint of another training; the message names the differences."""
    now = {"seed": seed, **about}
    kept = {"seed": state.get("seed"), **state.get("about", {})}
    if kept != now:
        differing = [key for key in now if kept.get(key) != now[key]]
        raise CheckpointError(
            f"{path} belongs to another training: it differs in {', '.join(differing) or 'what it keeps'}. "
            "Give this one a --variant of its own, or start over with --fresh."
        )
