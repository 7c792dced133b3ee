"""How the checks tell the past from the future, hand over parts of a softmax, and see that few tiles are read."""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from autograder.kit.verdict.by_hand import ExponentialCounter, without_autograd

MANY_TILES = 32
LONG_TEXT = 256  # positions


def of_two_parts(
    function: Callable, m_1: Tensor, l_1: Tensor, o_1: Tensor, m_2: Tensor, l_2: Tensor, o_2: Tensor
) -> Any:
    """Return the three numbers of both parts together."""
    return function((m_1, l_1, o_1), (m_2, l_2, o_2))


def of_a_part(function: Callable, m: Tensor, l: Tensor, o: Tensor, sink: Tensor) -> Any:
    """Return the context of a part and a sink."""
    return function((m, l, o), sink)


def few_weights(
    function: Callable,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    index_query: Tensor,
    index_key: Tensor,
    index_weight: Tensor,
    count: int,
) -> Any:
    """Call a function; where the text is long, see that no softmax runs over all of it."""
    given = query, key, value, index_query, index_key, index_weight, count
    if query.shape[1] < LONG_TEXT:
        return function(*given)
    with ExponentialCounter() as counter:
        result = function(*given)
    most = 4 * query[..., 0].numel() * count
    if counter.largest > most:
        raise ValueError(f"takes {counter.largest} exponentials at once: expected {most} or fewer")
    return result


def tiles_by_hand(
    function: Callable,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    context: Tensor,
    logsumexp: Tensor,
    grad: Tensor,
    tile: int,
) -> Any:
    """Call a function with autograd off; where there are many tiles, see that it reads few at a time."""
    with ExponentialCounter() as counter:
        result = without_autograd(function, query, key, value, context, logsumexp, grad, tile)
    most = 4 * query[..., 0].numel() * tile  # all queries may meet a tile of keys at once
    if key.shape[1] >= MANY_TILES * tile and counter.largest > most:
        raise ValueError(f"takes {counter.largest} exponentials at once: expected {most} or fewer")
    return result


def future_apart(function: Callable, heads: int, length: int) -> tuple[Tensor, Tensor]:
    """Return the bias of what came before with 0 for the future, and that of the future with 0 for what came before."""
    bias = function(heads, length)
    if bias is None:
        raise TypeError("expected a tensor (heads, length, length), got None: is a `return` missing?")
    if not isinstance(bias, Tensor):
        raise TypeError(f"expected a tensor (heads, length, length), got a {type(bias).__name__}")
    if bias.ndim < 2 or bias.shape[-2:] != (length, length):
        return bias, bias
    return bias.tril(), bias.triu(1)
