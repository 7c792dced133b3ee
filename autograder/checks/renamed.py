"""Wrong answers that are made of parts: each goes by the name of the part that is wrong."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def renamed(like: Callable[..., Any]) -> Callable[[F], F]:
    """Return a decorator that gives a function the name of another, and its docstring, which is the hint."""

    def decorate(function: F) -> F:
        function.__name__, function.__doc__ = like.__name__, like.__doc__
        return function

    return decorate
