"""Random sequences that repeat themselves, made on the fly: what comes next was seen before, and nowhere else."""

import torch
from jaxtyping import Int
from torch import Tensor

LEAST, MOST = 12, 32  # tokens until a sequence begins again


def repeats(
    rows: int, length: int, vocabulary: int, generator: torch.Generator, period: int | None = None
) -> tuple[Int[Tensor, "rows length"], Int[Tensor, " rows"]]:
    """Return sequences and the period of each: so many tokens from 0 to vocabulary - 1, all different, again and again.

    Each row has another period, LEAST to MOST, unless one is given: what came next last time stands at no fixed
    distance, and positions alone do not tell where.
    """
    drawn = torch.randint(LEAST, MOST + 1, (rows,), generator=generator)
    periods = drawn if period is None else torch.full((rows,), period)
    tokens = torch.rand(rows, vocabulary, generator=generator).argsort(dim=1)
    return tokens.gather(1, torch.arange(length) % periods[:, None]), periods
