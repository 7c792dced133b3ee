"""Ways to spoil any right function: what they return is wrong, however good the mathematics is."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor


def _all(result, change: Callable):
    """Return the result with a change made to each of its tensors."""
    return tuple(change(item) for item in result) if isinstance(result, tuple | list) else change(result)


def _first(result, change: Callable):
    """Return the result with a change made to the first of its tensors."""
    return (change(result[0]), *result[1:]) if isinstance(result, tuple | list) else change(result)


def _with(arguments: tuple, which: int, change: Callable) -> list:
    return [change(item) if i == which else item for i, item in enumerate(arguments)]


def detached(right, *arguments):
    return _all(right(*arguments), Tensor.detach)


def second_argument_detached(right, *arguments):
    return right(*_with(arguments, 1, Tensor.detach))


def changes_its_first_argument(right, *arguments):
    result = right(*arguments)
    with torch.no_grad():
        arguments[0].zero_()
    return result


def changes_its_second_argument(right, *arguments):
    result = right(*arguments)
    with torch.no_grad():
        arguments[1].mul_(2)
    return result


def noisy(right, *arguments):
    return _first(right(*arguments), lambda result: result + 0.001 * torch.randn_like(result))


def dropped_out(right, *arguments):
    return _first(right(*arguments), lambda result: F.dropout(result, 0.2))


def in_half(right, *arguments):
    return _first(right(*arguments), lambda result: result.half().float())


def rounded(right, *arguments):
    return _first(right(*arguments), lambda result: (result * 1000).round() / 1000 + 0 * result)


def squeezed(right, *arguments):
    return _first(right(*arguments), Tensor.squeeze)


def with_an_axis(right, *arguments):
    return _first(right(*arguments), lambda result: result[:, None])


def upside_down(right, *arguments):
    return _first(right(*arguments), lambda result: result.flip(0))


def a_little_more(right, *arguments):
    return _first(right(*arguments), lambda result: result + 0.0005)


def a_little_larger(right, *arguments):
    return _first(right(*arguments), lambda result: result * 1.001)


def zeros(right, *arguments):
    return _all(right(*arguments), torch.zeros_like)


def nothing(right, *arguments):
    right(*arguments)


SPOILERS = [value for name, value in list(globals().items()) if callable(value) and name.islower() and name[0] != "_"]


def spoiled(right: Callable) -> list[Callable]:
    """Return the function in every spoiled form, and two forms with a memory of their own."""

    def made(spoiler: Callable) -> Callable:
        def wrong(*arguments):
            return spoiler(right, *arguments)

        wrong.__name__ = f"{right.__name__}_{spoiler.__name__}"
        return wrong

    seen: dict = {}
    calls = [0]

    def remembers(*arguments):
        key = tuple(tuple(item.shape) for item in arguments if isinstance(item, Tensor))
        return seen.setdefault(key, right(*arguments))

    def tires(*arguments):
        calls[0] += 1
        return _all(right(*arguments), lambda result: result * (1 if calls[0] % 9 else 2))

    remembers.__name__, tires.__name__ = f"{right.__name__}_remembers", f"{right.__name__}_tires"
    return [*(made(spoiler) for spoiler in SPOILERS), remembers, tires]
