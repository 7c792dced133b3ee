"""Encoded sentence pairs on the disk, for corpora that no memory holds: written once, read shard by shard, shuffled.

An epoch takes the shards in a random order, some at a time; the pairs of those are put into batches of about equally
long sentences, and the batches are shuffled. Where a training stands is the number of its batch: the batches before it
are planned again from the lengths alone, and not read.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, overload

import numpy as np

from lab import distributed
from lab.batches import Example, grouped
from lab.files import aside

PAIRS = 100_000  # in a shard
BUFFER = 10  # shards in memory at a time


def write(folder: Path, examples: Iterable[Example], pairs: int | None = None) -> None:
    """Write examples in shards, all or nothing."""
    try:
        with aside(folder) as part:
            part.mkdir()
            fill(part, examples, pairs or PAIRS)
    except OSError:
        if not (folder / "index.json").exists():  # else another training was faster, and has written the same
            raise


def fill(folder: Path, examples: Iterable[Example], pairs: int) -> None:
    """Write examples into a folder, so many in each shard."""
    count, left = 0, iter(examples)
    while part := list(islice(left, pairs)):
        rows = {"source": [source for source, _ in part], "target": [target for _, target in part]}
        arrays: dict[str, Any] = {}
        for side, lines in rows.items():
            arrays[side] = np.array([token for row in lines for token in row], np.int32)
            arrays[f"{side}_lengths"] = np.array([len(row) for row in lines])
        np.savez(folder / f"{count:05d}.npz", **arrays)
        count += 1
    (folder / "index.json").write_text(json.dumps({"shards": count}), "utf-8")


class Shards:
    """Examples that `write` has written."""

    def __init__(self, folder: Path, buffer: int = BUFFER) -> None:
        self.folder, self.buffer = folder, buffer
        self.count: int = json.loads((folder / "index.json").read_text("utf-8"))["shards"]
        self.lengths = [self.lengths_of(number) for number in range(self.count)]

    def __len__(self) -> int:
        return sum(len(target) for _, target in self.lengths)

    def lengths_of(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        with np.load(self.folder / f"{number:05d}.npz") as arrays:
            return arrays["source_lengths"], arrays["target_lengths"]

    def examples(self, number: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return one shard's examples, as views of its two arrays."""
        with np.load(self.folder / f"{number:05d}.npz") as arrays:
            sides = [np.split(arrays[side], np.cumsum(arrays[f"{side}_lengths"])[:-1]) for side in ("source", "target")]
        return list(zip(*sides, strict=True))

    def groups(self, tokens: int, seed: int) -> "Plan":
        """Return the batches of one epoch, planned from the lengths."""
        rng = np.random.default_rng(seed)
        order: list[int] = rng.permutation(self.count).tolist()
        buffers = [order[start : start + self.buffer] for start in range(0, len(order), self.buffer)]
        batches = []
        for chosen in buffers:
            source, target = zip(*(self.lengths[number] for number in chosen), strict=True)
            batches.append(grouped(np.concatenate(source), np.concatenate(target), tokens, rng))
        return Plan(self, buffers, batches, range(sum(map(len, batches))))


@dataclass(frozen=True)
class Plan(Sequence[list[Example]]):
    """Batches in their order: how many there are is known, what is in them is read when it is due."""

    shards: Shards
    buffers: list[list[int]]  # which shards are in memory together, in their order
    batches: list[list[list[int]]]  # of each buffer: the numbers of the pairs of its batches
    chosen: range  # those of all the batches that this plan has

    def __len__(self) -> int:
        return len(self.chosen)

    @overload
    def __getitem__(self, index: int) -> list[Example]: ...
    @overload
    def __getitem__(self, index: slice) -> "Plan": ...
    def __getitem__(self, index: int | slice) -> "list[Example] | Plan":
        if isinstance(index, slice):
            return replace(self, chosen=self.chosen[index])
        return next(iter(replace(self, chosen=range(self.chosen[index], self.chosen[index] + 1))))

    def __iter__(self) -> Iterator[list[Example]]:
        """Read the batches; each shard is read once, and one of which no batch is asked for is not."""
        first = 0
        for buffer, batches in zip(self.buffers, self.batches, strict=True):
            here = [number - first for number in self.chosen if first <= number < first + len(batches)]
            first += len(batches)
            if here:
                examples = [example for number in buffer for example in self.shards.examples(number)]
                for number in here:
                    rows = (examples[row] for row in batches[number])
                    yield [(source.tolist(), target.tolist()) for source, target in rows]


def kept(folder: Path, name: str, examples: Iterable[Example]) -> Shards:
    """Return the shards called `name`, written first if they are not there; of several processes one writes."""
    path = folder / hashlib.sha256(name.encode()).hexdigest()[:16]
    if distributed.here().is_main and not path.exists():
        write(path, examples)
    distributed.here().collected(None)
    return Shards(path)
