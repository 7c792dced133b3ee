"""Batches of sentences of similar length: little padding, a fixed number of target tokens."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor
from torch.nn import functional

from lab.text.tokenizers import BOS, EOS, PAD, UNK
from lab.train.transfer import sent

Source = Int[Tensor, "batch source"]  # numbers of tokens, padded
Mask = Bool[Tensor, "batch source"]  # True: a real token
Target = Int[Tensor, "batch target"]
Real = Bool[Tensor, "batch target"] | None  # where a target is; None: everywhere
Example = tuple[list[int], list[int]]  # source and target token numbers, neither with <s> nor </s>


class Batch(NamedTuple):
    """Sentence pairs side by side; the source ends in </s>, the decoder reads `inputs` and should say `targets`."""

    source: Source
    mask: Mask
    inputs: Target
    targets: Target

    def to(self, device: torch.device) -> "Batch":
        return Batch(*(sent(each, device) for each in self))

    @property
    def tokens(self) -> int:
        """The number of real target tokens, </s> included."""
        return int((self.targets != PAD).sum())


def pad(rows: Sequence[Sequence[int] | np.ndarray]) -> Int[Tensor, "batch length"]:
    """Return the rows as one tensor, filled up with PAD on the right."""
    table = np.full((len(rows), max(map(len, rows), default=0)), PAD, dtype=np.int64)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return torch.from_numpy(table)


def source_batch(rows: Sequence[Sequence[int]]) -> tuple[Source, Mask]:
    """Return sentences and their mask (True = a real token). Each gets </s>, so that an empty one has a token too."""
    source = pad([[*row, EOS] for row in rows])
    return source, source != PAD


def collate(examples: Sequence[Example]) -> Batch:
    """Return the pairs as a batch."""
    source, mask = source_batch([pair[0] for pair in examples])
    whole = pad([[BOS, *target, EOS] for _, target in examples])
    inputs, targets = whole[:, :-1], whole[:, 1:]
    return Batch(source, mask, inputs.masked_fill(targets == PAD, PAD).contiguous(), targets.contiguous())


ROWS, POSITIONS = 8, 4  # a batch is filled up to multiples of these


def filled_up(batch: Batch) -> Batch:
    """Return the batch with padding, up to multiples of ROWS and POSITIONS: few shapes for many batches.

    An added row has the words of the last one, and no target.
    """
    more = -len(batch.source) % ROWS
    source, mask, inputs, targets = (
        functional.pad(torch.cat([each, each[-1:].expand(more, -1)]), (0, -each.shape[1] % POSITIONS)) for each in batch
    )
    targets[len(targets) - more :] = PAD
    return Batch(source, mask, inputs, targets)


def bucketed(examples: Sequence[Example], tokens: int, seed: int | None = None) -> Iterator[list[Example]]:
    """Yield groups of about `tokens` padded target tokens, of sentences that are about equally long.

    With a seed both the groups and their order differ from seed to seed; without one the order is by length.
    """
    rng = None if seed is None else np.random.default_rng(seed)
    source, target = (np.array([len(pair[side]) for pair in examples]) for side in (0, 1))
    # Target length decides (the decoder costs most); source length, blurred by chance, orders equals.
    blur = rng.uniform(0, 2, len(source)) if rng is not None else 0
    order = np.lexsort((source + 1 + blur, target + 1))
    lengths = [(int(length) + 1,) for length in target]
    groups = within([int(index) for index in order], lengths, tokens)
    if rng is not None:
        rng.shuffle(groups)
    for group in groups:
        yield [examples[i] for i in group]


def within(order: Iterable[int], sizes: Sequence[tuple[int, ...]], cells: int) -> list[list[int]]:
    """Return the numbers in groups, in this order, whose padded table has at most so many cells.

    Each text needs sizes[number] of a table: its length, or (nested) its sentences and the words of the longest one.
    """
    groups: list[list[int]] = []
    widest: tuple[int, ...] = ()
    for number in order:
        wider = tuple(map(max, widest, sizes[number])) if widest else sizes[number]
        if not groups or math.prod(wider) * (len(groups[-1]) + 1) > cells:
            groups.append([])
            wider = sizes[number]
        groups[-1].append(number)
        widest = wider
    return groups


def text_batch(
    documents: Sequence[Sequence[Sequence[int]]], nested: bool
) -> tuple[Int[Tensor, "batch ..."], Bool[Tensor, "batch ..."]]:
    """Return texts and their mask (True = a word), each one row of words or, nested, one row for each sentence.

    The smallest table has one cell, and that is padding where no text has a word.
    """
    if not nested:
        rows = [[word for sentence in document for word in sentence] or [PAD] for document in documents]
        table = pad(rows)
        return table, table != PAD
    most = max(map(len, documents), default=0) or 1
    filled = [[*document, *[[]] * (most - len(document))] for document in documents]
    table = pad([sentence or [PAD] for document in filled for sentence in document])
    table = table.reshape(len(documents), most, -1)
    return table, table != PAD


def word_dropout(tokens: Int[Tensor, "*words"], share: float) -> Int[Tensor, "*words"]:
    """Return the words with a share of them, drawn by chance, read as <unk>: Iyyer et al. (2015). Padding stays."""
    if not share:
        return tokens
    return tokens.masked_fill((torch.rand(tokens.shape, device=tokens.device) < share) & (tokens != PAD), UNK)
