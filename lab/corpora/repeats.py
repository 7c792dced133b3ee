"""Random sequences made on the fly whose next token was seen before: repeated ones, and pairs to recall."""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

LEAST, MOST = 12, 32  # tokens until a sequence begins again


def repeats(
    rows: int, length: int, vocabulary: int, generator: torch.Generator, period: int | None = None
) -> tuple[Int[Tensor, "rows length"], Int[Tensor, " rows"]]:
    """Return sequences and the period of each: so many tokens from 0 to vocabulary - 1, all different, again and again.

    The period of each row is drawn, LEAST to MOST, unless one is given: so the earlier copy stands at no fixed
    distance, and positions alone do not tell where it is.
    """
    drawn = torch.randint(LEAST, MOST + 1, (rows,), generator=generator)
    periods = drawn if period is None else torch.full((rows,), period)
    tokens = torch.rand(rows, vocabulary, generator=generator).argsort(dim=1)
    return tokens.gather(1, torch.arange(length) % periods[:, None]), periods


def pairs(
    rows: int, count: int, vocabulary: int, generator: torch.Generator
) -> tuple[Int[Tensor, "rows length"], Bool[Tensor, " predictions"]]:
    """Return `count` pairs of a key and a value, then the same in another order; and which predictions are recalled.

    Keys are different tokens below vocabulary / 2, values any of the others: length = 4 · count. A value can be known
    when its key comes for the second time.
    """
    half = vocabulary // 2
    keys = torch.rand(rows, half, generator=generator).argsort(dim=1)[:, :count]
    values = torch.randint(half, vocabulary, (rows, count), generator=generator)
    order = torch.rand(rows, count, generator=generator).argsort(dim=1)
    twice = [torch.stack([keys, values], -1), torch.stack([keys.gather(1, order), values.gather(1, order)], -1)]
    following = torch.arange(1, 4 * count)
    return torch.cat(twice, dim=1).flatten(1), (following >= 2 * count) & (following % 2 == 1)
