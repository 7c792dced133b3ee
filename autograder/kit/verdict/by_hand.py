"""Gradients worked out by hand: neither autograd nor quotients of differences may compute them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.utils._pytree import tree_leaves

from autograder.kit.calls.peak import EachOperation

OFF = "autograd is switched off in this check: work the gradient out with tensor operations"
# All of torch's derivatives pass here: backward ones in any thread, and those of torch.func.
ENGINE = ((torch.autograd, "_engine_run_backward"), (forward_ad, "enter_dual_level"), (forward_ad, "make_dual"))
EXPONENTIALS = {"exp", "exp2", "expm1", "tanh", "sigmoid"}
EXPONENTIALS |= {"_softmax", "_log_softmax", "softmax", "log_softmax", "logsumexp"}
POWERS = {"aten::pow.Scalar", "aten::pow.Tensor_Tensor"}  # e ** x; x ** 2 has another name
# Operations that are not divided: those seen so far that consist of no others, and two without an exponential.
INDIVISIBLE: set[Any] = {torch.ops.aten.matmul.default, torch.ops.aten.reshape.default}
MOST = 20  # times as many exponentials as the arguments have numbers: by hand 1 suffices, differences take 25 and more


class ExponentialCounter(EachOperation):
    """Counts the numbers of which exp, tanh and the like are taken, altogether and at most in one operation.

    Where `given` numbers are differentiated by hand, it ends a call in an error that takes many times as many.
    """

    def __init__(self, given: float = inf) -> None:
        super().__init__()
        self.given, self.numbers, self.largest = given, 0, 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.overloadpacket.__name__.rstrip("_") in EXPONENTIALS or func.name() in POWERS:
            count = max((leaf.numel() for leaf in tree_leaves(args) if isinstance(leaf, Tensor)), default=0)
            self.numbers, self.largest = self.numbers + count, max(self.largest, count)
            self.demand_few()
            return func(*args, **(kwargs or {}))
        if func not in INDIVISIBLE:
            with self:
                parts = func.decompose(*args, **(kwargs or {}))
            if parts is not NotImplemented:
                return parts
            INDIVISIBLE.add(func)
        return func(*args, **(kwargs or {}))

    def demand_few(self) -> None:
        """Raise RuntimeError if the count of exponentials is that of quotients of differences."""
        if self.numbers > MOST * self.given:
            raise RuntimeError(
                f"takes {self.numbers} exponentials where the arguments hold {self.given} numbers, as quotients of "
                "differences do: work the gradient out, and go through the formulas once"
            )


@contextmanager
def _without_engine() -> Iterator[None]:
    """Let every derivative of torch's end in an error, until the block is left."""

    def refused(*_: Any, **__: Any) -> Any:
        raise RuntimeError(OFF)

    functions = [(place, name, getattr(place, name)) for place, name in ENGINE if hasattr(place, name)]
    try:
        for place, name, _ in functions:
            setattr(place, name, refused)
        yield
    finally:
        for place, name, own in functions:
            setattr(place, name, own)


@torch.inference_mode()
def without_autograd(function: Callable, *arguments: Any) -> Any:
    """Call a function with autograd off and return its value; an error says so where it wants autograd."""
    given = sum(leaf.numel() for leaf in tree_leaves(arguments) if isinstance(leaf, Tensor))
    try:
        with _without_engine(), ExponentialCounter(given) as counter:
            result = function(*arguments)
    except RuntimeError as error:
        if "does not require grad" in str(error):
            error.args = (OFF,)
        raise
    counter.demand_few()  # the target may have caught the error
    return result
