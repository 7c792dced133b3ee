"""The probability of a sentence under a grammar, by which tests hold the floor of the made grammar."""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def inside(
    tokens: Int[Tensor, " length"],
    binary: Float[Tensor, "symbols symbols symbols"],
    emission: Float[Tensor, "symbols vocabulary"],
    start: int = 0,
) -> Float[Tensor, ""]:
    """Return the probability of a sentence under a grammar in Chomsky normal form, summed over all its trees.

    binary[A, B, C] is P(A → B C), emission[A, w] is P(A → w). β_A(i, j) = Σ_{k, B, C} P(A → B C) β_B(i, k) β_C(k, j).

    Baker (1979); Lari and Young (1990).
    """
    length = len(tokens)
    chart = {(i, i + 1): emission[:, token] for i, token in enumerate(tokens)}
    for width in range(2, length + 1):
        for i in range(length - width + 1):
            parts = [torch.outer(chart[i, k], chart[k, i + width]) for k in range(i + 1, i + width)]
            chart[i, i + width] = torch.einsum("abc,bc->a", binary, torch.stack(parts).sum(dim=0))
    return chart[0, length][start]
