"""Running text that is already tokens, in files of many million: each is fetched when it is first read.

A file is 256 numbers of 32 bits, of which the first three are a mark, the version and how many tokens follow, and then
these, 16 bits each: the format of llm.c (Karpathy, 2024).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lab.corpora import CorpusError
from lab.corpora.sources import Source, fetch
from lab.text.tokenizers import EOS, SPECIAL

HEADER, MARK, VERSION = 256, 20240520, 1


@dataclass(frozen=True)
class Shard:
    """The tokens of one file: `end` becomes </s>, the others are counted from behind the special ones."""

    source: Source
    end: int  # what the file has at the beginning of each text
    most: int | None = None  # so many tokens are read, where a part is enough

    @cached_property
    def tokens(self) -> np.ndarray:
        """The tokens as they are in the file, which is not read into memory."""
        path = fetch(self.source)
        header = np.fromfile(path, dtype="<i4", count=HEADER)
        found = (path.stat().st_size - 4 * HEADER) / 2
        if len(header) < HEADER or tuple(header[:2]) != (MARK, VERSION) or header[2] != found:
            raise CorpusError(
                f"{path} is no shard of tokens: expected {4 * HEADER} bytes that begin with {MARK}, {VERSION} and how "
                f"many tokens follow, got {header[:3].tolist()} and {max(0, found):g} tokens.\n"
                f"Delete the file: it is then fetched again from {self.source.url}."
            )
        return np.memmap(path, dtype="<u2", mode="r", offset=4 * HEADER)[: self.most]

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, part: slice) -> np.ndarray:
        tokens = self.tokens[part]
        return np.where(tokens == self.end, np.uint16(EOS), tokens + np.uint16(len(SPECIAL)))
