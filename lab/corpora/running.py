"""Running text of made sentences: <s>, then one after the other, each ended by </s>, in rows of any length."""

import random
from collections.abc import Iterator

import torch
from jaxtyping import Int
from torch import Tensor

from lab.corpora.grammar import generate
from lab.text.tokenizers import BOS, EOS, Tokenizer

Made = list[tuple[list[int], float]]  # sentences as tokens, </s> included, each with its log-probability


def sentences(text: Tokenizer, count: int, seed: int) -> Made:
    """Return sentences of the grammar, drawn with this seed."""
    return [([*text.encode(sentence), EOS], log_p) for sentence, log_p in generate(count, seed)]


def rows_of(made: Made, length: int) -> tuple[Int[Tensor, "rows length"], list[list[tuple[int, int, float]]]]:
    """Return whole sentences filled into rows, and which of them a row holds whole: from, to, log-probability.

    A row begins with <s> and is cut where it is full; the last is left out, unless it is full.
    """
    rows, contents = [], []
    row, content = [BOS], []
    for tokens, log_p in made:
        if len(row) + len(tokens) <= length:
            content.append((len(row), len(row) + len(tokens), log_p))
        row = row + tokens
        if len(row) >= length:
            rows.append(row[:length])
            contents.append(content)
            row, content = [BOS], []
    return torch.tensor(rows), contents


def batches(made: Made, length: int, rows: int, seed: int) -> Iterator[Int[Tensor, "rows length"]]:
    """Yield groups of rows without end; the sentences are shuffled each time all of them have been read."""
    rng, made = random.Random(seed), list(made)
    while True:
        rng.shuffle(made)
        whole, _ = rows_of(made, length)
        yield from whole[: len(whole) // rows * rows].split(rows)
