"""How the check of a merged softmax hands over its parts, and looks at the maximum of no keys."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

LOWEST = -10_000.0  # stands for -∞, which is no number that can be compared; far below all maxima of the cases


def of_two_parts(
    function: Callable, m_1: Tensor, l_1: Tensor, o_1: Tensor, m_2: Tensor, l_2: Tensor, o_2: Tensor
) -> Any:
    """Return the three numbers of both parts together, with a low maximum in place of -∞."""
    result = function((m_1, l_1, o_1), (m_2, l_2, o_2))
    if not isinstance(result, tuple | list) or len(result) != 3 or not isinstance(result[0], Tensor):
        return result
    return result[0].masked_fill(result[0] == -torch.inf, LOWEST), result[1], result[2]
