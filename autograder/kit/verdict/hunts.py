"""Inputs on which a broken function is to fail: are they valid, and is the function wrong on them?"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.kit.calls.call import call
from autograder.kit.verdict.answer import Answer, Caller, Failure

MOST_NUMBERS = 4096  # of all arguments together
CLEAR = 1e-3  # a difference from the right values, relative and absolute, that is no rounding
KINDS = {"float": "f", "int": "iu", "bool": "b"}
LETTERS = "abcdef"  # of the kinds of bugs in checks/hunts.py
NOT_SHOWN = (
    "on this input the broken function gives what the right one gives, to a thousandth: try another, or larger numbers."
)
WORDS = {"float": "floats", "int": "whole numbers", "bool": "True and False"}


@dataclass
class Argument:
    """The demands on one argument. Axes of the same name have the same length; None for `axes`: a single number."""

    name: str
    kind: str  # one of KINDS
    axes: list[str] | None
    optional: bool = False  # None is allowed
    least: float | None = None
    most: float | str | None = None  # a number, or the axis whose length it is


@dataclass
class HuntInput:
    """A bug hunt as a student's machine knows it: the broken function, and the demands on its arguments."""

    function: str  # the student's right function
    broken: str  # source
    arguments: list[Argument] = field(default_factory=list)
    graded: str = ""  # the right function, or one that it calls: all its points mean that the right one is right
    through: str = ""  # source of a function that calls the right one with these arguments, where it takes others


def input_of(answer: Answer, arguments: list[Argument]) -> list | str:
    """Return the arguments from a student's `failing_input`, or a complaint about them."""
    names = ", ".join(each.name for each in arguments)
    given = answer.outputs or []
    if len(given) != len(arguments):
        count = "one argument" if len(given) == 1 else f"{len(given)} arguments"
        return f"returns {count}, expected {len(arguments)}: ({names})."
    if sum(each.size for each in given) > MOST_NUMBERS:
        return f"returns {sum(each.size for each in given)} numbers, at most {MOST_NUMBERS} are tried: make it smaller."
    sizes: dict[str, int] = {}
    values = []
    for about, array in zip(arguments, given, strict=True):
        if array.size == 0 and array.ndim == 1 and about.optional:
            values.append(None)
        elif complaint := _complaint(about, array, sizes):
            return complaint
        else:
            values.append(_plain(about, array))
    return values


def _complaint(about: Argument, array: np.ndarray, sizes: dict[str, int]) -> str:
    """Return the complaint about one argument, "" for none; note the lengths of its axes."""
    if array.dtype.kind not in KINDS[about.kind] and not (about.axes is None and about.kind == "float"):
        return f"{about.name} holds {array.dtype}, expected {WORDS[about.kind]}."
    axes = about.axes or []
    expected = "a number" if about.axes is None else f"shape ({', '.join(axes)}{',' if len(axes) == 1 else ''})"
    if array.ndim != len(axes) or 0 in array.shape:
        return f"{about.name} has shape {array.shape}, expected {expected}, every axis at least 1 long."
    for axis, length in zip(axes, array.shape, strict=True):
        if length != sizes.setdefault(axis, length):
            return f"{about.name} has shape {array.shape}, expected {expected}, and {axis} is {sizes[axis]} elsewhere."
    return _out_of_range(about, array, sizes)


def _out_of_range(about: Argument, array: np.ndarray, sizes: dict[str, int]) -> str:
    """Return the complaint about the numbers of an argument of the right shape, "" for none."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        return f"{about.name} holds NaN or infinity: take finite numbers."
    if about.kind == "bool" and array.ndim and not array.any(axis=-1).all():
        return f"{about.name} is False all along a row: leave something to attend to."
    most = sizes.get(about.most) if isinstance(about.most, str) else about.most
    if about.least is not None and array.min() < about.least:
        return f"{about.name} is below {about.least:g}."
    if most is not None and array.max() > most:
        return f"{about.name} is above {most:g}{f' ({about.most})' if isinstance(about.most, str) else ''}."
    return ""


def _plain(about: Argument, array: np.ndarray) -> Any:
    """Return an argument as the function takes it: a tensor's array, float32 or int64, or a plain number."""
    if about.axes is None:
        return float(array) if about.kind == "float" else array.item()
    return array.astype({"float": np.float32, "int": np.int64, "bool": bool}[about.kind])


def fails(broken: Callable, right: Callable, arguments: list) -> Failure | None:
    """Return a failure for an input that does not show the bug; None where the broken function crashes or is wrong."""
    expected = call({"f": right}, "f", list(arguments))
    if expected.error:
        reason = expected.error.text.partition("\n")[0]
        return Failure("wrong", f"the right function cannot take this input either: {reason}.")
    if not all(np.isfinite(each).all() for each in expected.outputs or []):
        return Failure("wrong", "the right function gives NaN or infinity on this input: take smaller numbers.")
    got = call({"f": broken}, "f", list(arguments))
    if got.error or _are_different(expected.outputs or [], got.outputs or []):
        return None
    return Failure("wrong", NOT_SHOWN)


@dataclass(frozen=True)
class Tried:
    """Answers 1 where a student's input shows the bug, otherwise with the reason why not.

    Without a `right` function, only the input's validity is checked.
    """

    arguments: list[Argument]
    broken: Callable
    right: Callable | None
    caller: Caller
    within: Callable[[], AbstractContextManager] = nullcontext  # bounds what both functions may cost

    def __call__(self, function: str, arguments: list, cotangents: list | None = None) -> Answer:
        answer = self.caller(function, arguments, cotangents)
        if answer.error:
            return answer
        given = input_of(answer, self.arguments)
        if isinstance(given, str):
            return Answer(error=Failure("wrong", given))
        with self.within():
            failure = fails(self.broken, self.right, given) if self.right else None
        return Answer(error=failure) if failure else Answer(outputs=[np.array(1.0, np.float32)])


def _are_different(right: list[np.ndarray], others: list[np.ndarray]) -> bool:
    return len(right) != len(others) or any(
        one.shape != two.shape or not np.allclose(one, two, rtol=CLEAR, atol=CLEAR)
        for one, two in zip(right, others, strict=True)
    )


def refusing(complaint: str, caller: Caller) -> Caller:
    """Return a caller that answers with the complaint wherever the student wrote something: it earns nothing."""

    def refused(*question: Any) -> Answer:
        answer = caller(*question)
        missing = answer.error and answer.error.kind in ("unwritten", "undefined")
        return answer if missing else Answer(error=Failure("wrong", complaint))

    return refused
