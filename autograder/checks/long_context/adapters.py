"""How the check of ALiBi looks at -∞, which is no number that can be compared."""

from collections.abc import Callable

import torch
from torch import Tensor


def future_apart(function: Callable, heads: int, length: int) -> tuple[Tensor, Tensor]:
    """Return the bias with 0 in place of -∞, and where -∞ was in all heads: True."""
    bias = function(heads, length)
    if bias is None:
        raise TypeError("expected a tensor (heads, length, length), got None: is a `return` missing?")
    if not isinstance(bias, Tensor):
        raise TypeError(f"expected a tensor (heads, length, length), got a {type(bias).__name__}")
    future = bias == -torch.inf
    return bias.masked_fill(future, 0), future.all(dim=0)
