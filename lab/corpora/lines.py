"""Texts too large for the memory: lines of files, read when they are asked for."""

import mmap
from collections.abc import Sequence
from pathlib import Path
from typing import overload

import numpy as np

from lab.corpora import CorpusError, Pair


class Lines(Sequence[str]):
    """The lines of a file as a sequence; only where they begin is kept in memory."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            size = path.stat().st_size
            # A file of no bytes cannot be mapped.
            self.text: mmap.mmap | bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        ends = [
            np.flatnonzero(np.frombuffer(self.text[start : start + (1 << 24)], dtype=np.uint8) == ord("\n")) + start
            for start in range(0, size, 1 << 24)
        ]
        self.ends = np.concatenate(ends) if ends else np.zeros(0, dtype=np.int64)
        if size and (not len(self.ends) or self.ends[-1] != size - 1):
            raise CorpusError(f"{path} does not end in a line feed: it was cut off. Delete it and prepare it again.")

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]  # refuses what is out of range, counts negative ones from the end
        start = int(self.ends[number - 1]) + 1 if number else 0
        return self.text[start : int(self.ends[number])].decode()


class LinePairs(Sequence[Pair]):
    """Two files side by side, line by line."""

    def __init__(self, source: Lines, target: Lines) -> None:
        if len(source) != len(target):
            raise CorpusError(f"Two languages must have as many lines; they have {len(source)} and {len(target)}.")
        self.source, self.target = source, target

    def __len__(self) -> int:
        return len(self.source)

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> list[Pair]: ...
    def __getitem__(self, index: int | slice) -> Pair | list[Pair]:
        if isinstance(index, slice):
            return [Pair(*both) for both in zip(self.source[index], self.target[index], strict=True)]
        return Pair(self.source[index], self.target[index])
