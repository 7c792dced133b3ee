"""What a check knows of the bug hunt to which it belongs; hunts.py has it whole."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from autograder.kit.answer import Caller
from autograder.kit.hunts import HuntInput

Within = Callable[[], AbstractContextManager]


class BugHunt(Protocol):
    """A function that somebody broke, and what students hand in about it."""

    @property
    def diagnosis(self) -> Callable: ...

    @property
    def source(self) -> str:
        """Return the broken function's source, without its docstring."""
        ...

    @property
    def about_input(self) -> HuntInput:
        """Return what the arguments that show the bug have to be."""
        ...

    def caller(self, function: str, caller: Caller, within: Within = nullcontext) -> Caller:
        """Return what the check of this function calls with a caller at hand."""
        ...
