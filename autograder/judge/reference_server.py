"""Right answers for earlier functions: values of the references, on the trusted side.

A student's code may ask for anything, so every question is examined, and the cost of an answer is bounded.
"""

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map_only

from autograder.kit.calls.call import fresh
from autograder.kit.calls.codec import CodecError
from autograder.kit.calls.peak import EachOperation

MOST_QUESTIONS = 5_000  # for one check; a right function asks for less than a hundred
MOST_ELEMENTS = 4 << 20  # that the operations of one answer may make
EACH = 1000  # elements that an operation counts for at least
SMALL = 1 << 18  # elements; up to so many are not counted exactly, for which torch imports its compiler: a second
MOST_ARGUMENTS = 32
LONGEST_AXIS = 1 << 16
PLAIN = (type(None), np.ndarray, bool, int, float, str)


class Earlier:
    """The references of earlier functions, for the check of a function that may call them."""

    def __init__(self, references: dict[str, Callable]) -> None:
        self.references = references
        self.begin()

    def begin(self) -> None:
        """Forget earlier questions, as a check begins."""
        self.asked: set[str] = set()
        self.left = MOST_QUESTIONS

    def answer(self, question: Any) -> dict:
        """Return the answer to a question, the reference's own error included; raise CodecError if it is none."""
        function, arguments, named = self._looked_through(question)
        self.asked.add(function)
        self.left -= 1
        if self.left < 0:
            return {"error": ["RuntimeError", f"it was called more than {MOST_QUESTIONS} times"]}
        arrays = [leaf for leaf in tree_leaves((arguments, named)) if isinstance(leaf, np.ndarray)]
        if any(max(array.shape, default=0) > LONGEST_AXIS for array in arrays):
            text = f"its arguments are too large: an axis has more than {LONGEST_AXIS} places"
            return {"error": ["ValueError", text]}
        try:
            with torch.inference_mode(False), torch.no_grad(), Bounded():
                return _answer(self.references[function], arguments, named)
        except Exception as error:  # whatever the arguments lead to; never with the reference's lines
            message = " ".join(str(error).split())
            return {"error": [type(error).__name__, message[:500]]}

    def _looked_through(self, question: Any) -> tuple[str, list, dict]:
        if not isinstance(question, dict) or set(question) != {"function", "arguments", "named"}:
            raise CodecError("a question that asks for nothing")
        function, arguments, named = question["function"], question["arguments"], question["named"]
        if not isinstance(function, str) or function not in self.references:
            raise CodecError("a question for a function that is not to be asked for")
        try:
            is_plain = all(isinstance(leaf, PLAIN) for leaf in tree_leaves((arguments, named)))
        except RecursionError:
            is_plain = False
        is_call = isinstance(arguments, list) and isinstance(named, dict)
        if not is_plain or not is_call or len(arguments) + len(named) > MOST_ARGUMENTS:
            raise CodecError("a question with arguments that are no arrays or numbers")
        return function, arguments, named


def _answer(reference: Callable, arguments: list, named: dict) -> dict:
    call = inspect.signature(reference).bind(*arguments, **named)
    given: Any = fresh([call.args, call.kwargs], [], wants_gradients=False)
    result = reference(*given[0], **given[1])
    several = isinstance(result, tuple | list)
    outputs = [each.numpy().copy() if isinstance(each, Tensor) else each for each in (result if several else [result])]
    return {"outputs": outputs, "several": several}


class Bounded(EachOperation):
    """Refuses the operation of torch's that would pass MOST_ELEMENTS, before it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.left = MOST_ELEMENTS

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        self.left -= EACH if _at_most((args, kwargs)) <= SMALL else EACH + _size(func, args, kwargs)
        if self.left < 0:
            raise ValueError(f"its arguments are too large: it would make more than {MOST_ELEMENTS} numbers")
        return func(*args, **kwargs)


def _at_most(given: Any) -> int:
    """Return a bound on the elements that an operation makes: at most it pairs all its arguments, sizes included."""
    sizes = (
        each.numel() if isinstance(each, Tensor) else abs(each)
        for each in tree_leaves(given)
        if isinstance(each, Tensor | int)
    )
    return math.prod(max(1, size) for size in sizes)


def _size(func: Any, args: Any, kwargs: dict) -> int:
    """Return the number of elements that an operation makes, without making them."""
    shapes = tree_map_only(Tensor, _shape_only, (args, kwargs | ({"device": "meta"} if "device" in kwargs else {})))
    try:
        made = func(*shapes[0], **shapes[1])
    except RuntimeError:  # it fails, or depends on the values, as a boolean index does, and makes no more than it got
        made = (args, kwargs)
    return sum(math.prod(leaf.shape) for leaf in tree_leaves(made) if isinstance(leaf, Tensor))


def _shape_only(tensor: Tensor) -> Tensor:
    return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device="meta")
