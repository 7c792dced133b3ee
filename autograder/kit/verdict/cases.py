"""The parts of a check: cases with the right answers, and demands that earn points."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from autograder.kit.verdict.answer import Failure

TOLERANCE = 1e-4  # no wrong value is nearer than 1e-3 but those that EXACT is for
EXACT = 1e-5  # where float32 noise of right answers stays under 1e-6
SENTENCE = re.compile(r".+?(?<!i\.e)(?<!e\.g)[.?!](?=\s|$)")


def title_of(hint: str) -> str:
    """Return the first sentence of a mistake's hint."""
    sentence = SENTENCE.match(hint)
    return sentence[0] if sentence else hint


@dataclass(frozen=True)
class Recorded:
    """Stands for a function that was called when the kit was made, and returns its value."""

    values: Any

    def __call__(self, *index: int) -> Any:
        return self.values[index] if index else self.values


@dataclass
class KnownMistake:
    """The outputs of one known mistake on a case: the feedback names it when the student's numbers are the same."""

    name: str
    hint: str
    run: Callable[[], list[np.ndarray] | None]
    usual: bool = False  # a mistake that any function can have: it is named if no other fits

    @cached_property
    def outputs(self) -> list[np.ndarray] | None:
        """Return the mistake's outputs, None where it crashes. It runs only now, on request."""
        return self.run()


@dataclass
class Pairs:
    """The outputs of two known mistakes at once on a case: for each pair, a few numbers that stand for them."""

    places: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), np.int16))  # of the two known mistakes
    row: Callable[[int], np.ndarray] = Recorded(())  # pair -> its numbers, NaN where it crashes


@dataclass
class Example:
    """A small public call, the same for everyone: a hint shows it, with the values of a right function."""

    code: str  # to be pasted into a notebook
    arguments: list  # those of its last line
    outputs: dict[str, np.ndarray]  # of a right function
    mistakes: dict[str, list[np.ndarray]]  # the outputs of the known mistakes that show here


@dataclass
class Case:
    """One call: its arguments and the right answer. `features` say in words what is special in it.

    `group` is its name in criteria; `tolerance` is relative and absolute, for the outputs; `peak` is the number of
    bytes that the call may take beyond those in use before, None if it is not measured; `exact` names the outputs in
    which an integer has to come as one, and a 0 exactly.
    """

    name: str
    arguments: dict
    outputs: dict[str, np.ndarray]
    features: list[str] = field(default_factory=list)
    cotangents: list[np.ndarray] | None = None
    gradients: list[np.ndarray | None] | None = None
    known: list[KnownMistake] = field(default_factory=list)
    tolerance: float = TOLERANCE
    pairs: Pairs = field(default_factory=Pairs)
    group: str = ""
    peak: int | None = None
    exact: list[str] = field(default_factory=list)


class Kind(StrEnum):
    """The kinds of demands on the cases of a criterion."""

    SHAPE = "shape"
    VALUES = "values"
    GRADIENTS = "gradients"
    UNCHANGED = "unchanged"  # the arguments, by the call
    REPEAT = "repeat"  # the same answer to the same arguments


@dataclass
class Criterion:
    """Points for one demand on the cases of these groups, in this order; `part` names one of several outputs.

    Without groups it is about all cases, so that one crash costs only what depends on it: gradients about those with
    cotangents where the shape is right, the other kinds but `values` about those in which the function does not crash.
    A criterion that earns no points `alone` counts once other values are right.
    """

    name: str
    points: int
    kind: Kind
    groups: list[str] = field(default_factory=list)
    part: str | None = None
    alone: bool = True

    def __post_init__(self) -> None:
        self.kind = Kind(self.kind)  # a recording holds the kind's name

    def is_met_by_none(self, cases: Iterable[Case]) -> bool:
        """Return whether the right values need no code: an argument handed back, or zeros."""
        return all(
            not np.any(right) or any(_is_equal(right, each) for each in case.arguments.values())
            for case in self.chosen(cases)
            for right in ([case.outputs[self.part]] if self.part else case.outputs.values())
        )

    def chosen(self, cases: Iterable[Case]) -> list[Case]:
        """Return the cases of the criterion's groups; without groups, all of them."""
        cases = list(cases)
        return [case for group in self.groups for case in cases if case.group == group] if self.groups else cases


def _is_equal(right: np.ndarray, argument: object) -> bool:
    given = np.asarray(argument) if isinstance(argument, np.ndarray | bool | int | float) else np.zeros(0)
    if given.shape != right.shape or given.dtype.kind not in "biuf":
        return False
    return np.allclose(given, right, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)


@dataclass
class Verdict:
    """Points, and the message to the student, which is empty when all is right."""

    score: float
    max_score: float
    hint: str | None
    mistakes: list[str]
    criteria: list[tuple[str, float, float]]  # name, points, got
    titles: list[str] = field(default_factory=list)  # of the mistakes
    details: list[str] = field(default_factory=list)  # of the hint, below its first line, which says the points
    failures: list[Failure] = field(default_factory=list)  # of which the hint tells, each once
    outputs: tuple[tuple[str, np.ndarray, np.ndarray], ...] = ()  # of the hint's example: name, right, given
    shows_own: bool = False  # whether the hint's example shows the student's own values
    first_failure: str = ""  # the hint's text on the first unmet demand
