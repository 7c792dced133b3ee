"""Batches made ahead: while a GPU computes, a process of its own collates the next ones."""

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

from lab.gradients import Collated, Collator
from lab.schedules import RecipeError

AHEAD = 8  # batches that are ready at most
ENDED = "DataLoader worker (pid"  # begins what torch says of a worker that is no more


class WorkerLost(RecipeError):
    """The process that makes batches ahead has ended before the training."""


@dataclass(frozen=True)
class Place:
    """A batch, and how many its epoch has."""

    batches: int
    batch: Collated

    def pin_memory(self) -> "Place":
        """Return the same in memory that a GPU reads by itself: DataLoader calls this."""
        return replace(self, batch=self.batch.pin_memory())


class Remaining(IterableDataset[Place]):
    """The batches that are left of a training, in their order: of each epoch, without the first `done` of the first."""

    def __init__(self, collator: Collator, seeds: Sequence[int], done: int) -> None:
        self.collator, self.seeds, self.done = collator, seeds, done

    def __iter__(self) -> Iterator[Place]:
        done = self.done
        for seed in self.seeds:
            groups = self.collator.task.groups(seed)
            for group in groups[done:]:
                yield Place(len(groups), self.collator(group))
            done = 0


def is_possible(quiet: bool) -> bool:
    """Return whether this system can start the process; say so if it cannot."""
    if hasattr(os, "fork"):
        return True
    if not quiet:
        print("batches are not made ahead, but by each step: this system cannot fork a process", flush=True)
    return False


def _as_it_is(place: Any) -> Any:
    return place


@contextmanager
def prefetched(remaining: Dataset[Place], device: torch.device) -> Iterator[Iterator[Place]]:
    """Yield an iterator over the batches: a process of its own collates them, into memory that a GPU reads by itself.

    The process ends with the context.
    """
    loader = DataLoader(
        remaining,
        batch_size=None,
        collate_fn=_as_it_is,
        num_workers=1,
        prefetch_factor=AHEAD,
        pin_memory=device.type == "cuda",
        multiprocessing_context="fork",
        generator=torch.Generator(),  # else it draws a number from the one that dropout draws from
    )
    with warnings.catch_warnings():  # Python 3.12 and newer warn of every fork beside threads
        warnings.filterwarnings("ignore", ".*multi-threaded.*", DeprecationWarning)
        batches = (place for place in loader)  # the process begins here, and ends with this generator
    try:
        yield batches
    except RuntimeError as error:
        if ENDED not in str(error):
            raise
        raise WorkerLost(
            f"the process that makes batches ahead has ended ({str(error).strip().rstrip('.')}). The same command goes "
            "on from the last checkpoint; with --prefetch off each step makes its own batch"
        ) from None
    finally:
        batches.close()
