"""Batches of sentences of similar length: little padding, a fixed number of target tokens."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from lab.text import BOS, EOS, PAD

Example = tuple[list[int], list[int]]  # source and target token numbers, neither with <s> nor </s>


@dataclass(frozen=True)
class Batch:
    """Sentence pairs side by side; the source ends in </s>, the decoder reads `inputs` and should say `targets`."""

    source: Int[Tensor, "batch source"]
    mask: Bool[Tensor, "batch source"]
    inputs: Int[Tensor, "batch target"]
    targets: Int[Tensor, "batch target"]

    def to(self, device: torch.device) -> "Batch":
        return Batch(*(t.to(device, non_blocking=True) for t in (self.source, self.mask, self.inputs, self.targets)))

    @property
    def tokens(self) -> int:
        """The number of real target tokens, </s> included."""
        return int((self.targets != PAD).sum())


def pad(rows: Sequence[Sequence[int]]) -> Int[Tensor, "batch length"]:
    """Return the rows as one tensor, filled up with PAD on the right."""
    table = np.full((len(rows), max(map(len, rows))), PAD, dtype=np.int64)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return torch.from_numpy(table)


def source_batch(rows: Sequence[Sequence[int]]) -> tuple[Int[Tensor, "batch source"], Bool[Tensor, "batch source"]]:
    """Return sentences and their mask (True = a real token). Each gets </s>, so that an empty one has a token too."""
    source = pad([[*row, EOS] for row in rows])
    return source, source != PAD


def collate(examples: Sequence[Example]) -> Batch:
    source, mask = source_batch([pair[0] for pair in examples])
    whole = pad([[BOS, *target, EOS] for _, target in examples])
    inputs, targets = whole[:, :-1], whole[:, 1:]
    return Batch(source, mask, inputs.masked_fill(targets == PAD, PAD).contiguous(), targets.contiguous())


def bucketed(
    examples: Sequence[Example], tokens: int, seed: int | None = None, round_to: int = 1
) -> Iterator[list[Example]]:
    """Yield groups of about `tokens` padded target tokens, of sentences that are about equally long.

    With a seed both the groups and their order differ from seed to seed; without one the order is by length.
    """
    rng = np.random.default_rng(seed)
    target = np.array([len(pair[1]) + 1 for pair in examples])
    source = np.array([len(pair[0]) + 1 for pair in examples])
    # Target length decides (the decoder costs most); source length, blurred by the seed, orders equals.
    order = np.lexsort((source + (rng.uniform(0, 2, len(source)) if seed is not None else 0), target))
    groups: list[list[int]] = [[]]
    for index in order:
        longest = -(-int(target[index]) // round_to) * round_to
        if groups[-1] and longest * (len(groups[-1]) + 1) > tokens:
            groups.append([])
        groups[-1].append(int(index))
    if seed is not None:
        rng.shuffle(groups)
    for group in groups:
        if group:
            yield [examples[i] for i in group]


def padding_ratio(batches: Iterable[Batch]) -> float:
    """Return padded target tokens / real target tokens: 1 means that nothing is wasted."""
    cells, real = 0, 0
    for batch in batches:
        cells += batch.targets.numel()
        real += batch.tokens
    return cells / real
