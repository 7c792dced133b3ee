"""Batches made ahead: while a GPU computes, a process of its own collates the next ones."""

import os
import pickle
import signal
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset

from lab.gradients import Collated, Collator
from lab.progress import Progress
from lab.ranges import RecipeError

AHEAD = 8  # batches that are ready at most
ENDED = "DataLoader worker (pid"  # begins what torch says of a worker that is no more


class WorkerLost(RecipeError):
    """The process that makes batches ahead has ended before the training."""


@dataclass(frozen=True)
class Place:
    """A batch, its number in its epoch, from 0, and how many the epoch has."""

    number: int
    of: int
    batch: Collated


@dataclass(frozen=True)
class Remaining:
    """The batches that are left of a training, in their order: of each epoch, without the first `done` of the first."""

    collator: Collator
    seeds: Sequence[int]  # one for each epoch
    done: int

    def __iter__(self) -> Iterator[Place]:
        done = self.done
        for seed in self.seeds:
            groups = self.collator.task.groups(seed)
            for number, group in enumerate(groups[done:], done):
                yield Place(number, len(groups), self.collator(group))
            done = 0


class Packed(IterableDataset[bytes]):
    """Batches as bytes: tensors would go from process to process by open files, of which there are few.

    An error comes as bytes too, to be raised as it is where the batch was due.
    """

    def __init__(self, places: Remaining) -> None:
        self.places = places

    def __iter__(self) -> Iterator[bytes]:
        try:
            for place in self.places:
                yield packed(place)
        except Exception as error:
            yield pickle.dumps(error)


def packed(place: Place) -> bytes:
    """Return a place as bytes."""
    batch = place.batch
    tables = [piece._make(table.numpy() for table in piece) for piece in batch.pieces]
    rest = (batch.shares, batch.units, batch.cells, batch.micro_tokens)
    return pickle.dumps((place.number, place.of, pickle.dumps(batch.examples()), tables, rest))


def unpacked(content: bytes) -> Place:
    """Return the place; its examples stay bytes until somebody asks for them."""
    parts = pickle.loads(content)
    if isinstance(parts, Exception):
        raise parts
    number, of, examples, tables, rest = parts
    pieces = [piece._make(torch.from_numpy(table) for table in piece) for piece in tables]
    return Place(number, of, Collated(lambda: pickle.loads(examples), pieces, *rest))


def batches(remaining: Remaining, ahead: bool, quiet: bool) -> AbstractContextManager[Iterator[Place]]:
    """Return the batches, made `ahead` by a process of its own or when they are due; say so if none can be started."""
    possible = hasattr(os, "fork")
    if ahead and not possible and not quiet:
        print("batches are not made ahead, but by each step: this system cannot fork a process", flush=True)
    return prefetched(remaining) if ahead and possible and remaining.seeds else nullcontext(iter(remaining))


def of_epoch(places: Iterator[Place], progress: Progress) -> Iterator[Collated]:
    """Yield the batches that are left of this epoch; raise RuntimeError where one is lost on its way."""
    while not progress.batch or progress.batch < progress.batches:
        place = next(places, None)
        if place is None and not progress.batches:
            return  # a task without examples
        if place is None or place.number != progress.batch:
            raise RuntimeError(f"expected batch {progress.batch + 1} of an epoch, got {place and place.number + 1}")
        progress.batches = place.of
        yield place.batch


@contextmanager
def prefetched(remaining: Remaining) -> Iterator[Iterator[Place]]:
    """Yield an iterator over the batches, collated by a process of its own that ends with the context."""
    loader = DataLoader(
        Packed(remaining),
        batch_size=None,
        collate_fn=_as_it_is,
        num_workers=1,
        prefetch_factor=AHEAD,
        worker_init_fn=_leave_interrupts_to_the_training,
        multiprocessing_context="fork",
        generator=torch.Generator(),  # else it draws a number from the one that dropout draws from
    )
    with warnings.catch_warnings():  # Python 3.12 and newer warn of every fork beside threads
        warnings.filterwarnings("ignore", ".*multi-threaded.*", DeprecationWarning)
        contents: Any = iter(loader)
    try:
        yield map(unpacked, contents)
    except RuntimeError as error:
        if ENDED not in str(error):
            raise
        raise WorkerLost(
            f"the process that makes batches ahead has ended ({str(error).strip().rstrip('.')}). The same command goes "
            "on from the last checkpoint, if there is one; with --prefetch off each step makes its own batch"
        ) from None
    finally:
        contents._shutdown_workers()  # not when nobody knows it any more: who keeps an error keeps what it has seen


def _leave_interrupts_to_the_training(_: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # else it ends with batches that nobody takes, and is waited for


def _as_it_is(content: Any) -> Any:
    return content
