"""A student's functions, as a check calls them, and a second run in a fresh worker, which must answer the same."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.judge.session import Limits, Session
from autograder.kit.calls.adapter import Adapter
from autograder.kit.known.table_models import CachedSteps
from autograder.kit.verdict.answer import Answer, Call, Caller, Failure
from autograder.kit.verdict.compare import are_different
from autograder.sandbox.sandbox import Sandbox

MISSING = re.compile(r"NameError: name '(\w+)' is not defined")
DIFFERS = "two runs of this notebook gave different answers"
# What may differ in a second run: modules other than these, random numbers, addresses, files.
CHANCE = re.compile(
    r"""(?:^|;)\s*(?:import|from)\s+(?!(?:torch|numpy|math|matplotlib|lab|jaxtyping|collections|typing|functools)\b
        (?:[\w. ]*$|.*\simport\s))
    |\brandom\b|(?:seed|default_rng|Generator|empty|empty_like|\b(?:id|hash|open|exec|eval|__import__))\s*\(|^\s*[%!]""",
    re.MULTILINE | re.VERBOSE,
)
SECONDS = 15.0  # for the second run


@dataclass
class Student:
    """Calls the functions of a session; where a name is missing, says why.

    `stopped` is the error that ended the function's cell, and `explain` tells why another name is missing. The first
    call of so many `cases` is kept, so that a second run can repeat it.
    """

    session: Session
    stopped: Failure | None = None
    adapter: Adapter | None = None  # the check's
    explain: Callable[[str], str] = lambda name: ""
    cases: int = 0
    first: list[tuple[list[Any], Answer]] = field(default_factory=list)

    def __call__(self, function: str, arguments: list[Any], cotangents: list[Any] | None = None) -> Answer:
        return self.call_many(function, [Call(arguments, cotangents)])[0]

    def _explain(self, function: str, answer: Answer) -> None:
        if self.stopped and answer.error and answer.error.kind == "undefined":
            text = f"{function} is not defined: its cell stopped with {self.stopped.text}"
            answer.error = Failure(self.stopped.kind, text)
        elif answer.error and (missing := MISSING.match(answer.error.text)) and (why := self.explain(missing[1])):
            answer.error = Failure(answer.error.kind, f"{missing[0]} ({why}){answer.error.text[missing.end() :]}")

    def call_many(self, function: str, calls: list[Call]) -> list[Answer]:
        """Return the answers to calls made one after the other, at one request."""
        answers = self.session.call_many(function, calls, self.adapter)
        for call, answer in zip(calls, answers, strict=True):
            self._explain(function, answer)
            if call.cotangents is None and len(self.first) < self.cases:
                self.first.append((call.arguments, answer))
        return answers


@dataclass(frozen=True)
class StepServer:
    """Calls functions that ask this side for each step, and counts the steps here."""

    session: Session
    caller: Caller
    steps: Callable[[list[Any]], CachedSteps]  # made from the arguments of a call

    def __call__(self, function: str, arguments: list[Any], cotangents: list[Any] | None = None) -> Answer:
        server = self.steps(arguments)
        self.session.server = server.answer
        try:
            answer = self.caller(function, arguments, cotangents)
        finally:
            self.session.server = None
        if answer.outputs:
            answer.outputs[-1] = np.array(server.count)
        return answer


Events = list[str | tuple[str, Student]]  # the cells of a run, and the functions with their callers at checks


def differing(sandbox: Sandbox, limits: Limits, events: Events, until: float) -> list[str]:
    """Return the functions with other answers when the cells and first calls were run again, in their order."""
    with Session(sandbox, limits, until=min(until, time.monotonic() + SECONDS)) as session:
        return list(dict.fromkeys(_otherwise(session, events)))


def _otherwise(session: Session, events: Events) -> Iterator[str]:
    """Yield the functions that answer otherwise in this run, as far as it comes in its time."""
    for number, event in enumerate(events):
        if not isinstance(event, str):
            if not _are_alike(session, *event):
                yield event[0]
            continue
        session.run(event, is_shown=False)
        if len(session.ran) < sum(isinstance(one, str) for one in events[: number + 1]):
            return  # it was stopped, unlike the first time: nothing below it can be compared


def _are_alike(session: Session, function: str, student: Student) -> bool:
    session.begin_check()
    calls = [Call(arguments) for arguments, _ in student.first]
    again = session.call_many(function, calls, student.adapter)
    if session.trouble and session.trouble.kind != "died":  # it took longer: its numbers may be the same
        return True
    return all(_are_same(answer, other) for (_, answer), other in zip(student.first, again, strict=True))


def _are_same(one: Answer, other: Answer) -> bool:
    """Return whether both answers are the same numbers, or both are none.

    An answer that took too much memory has an error besides its numbers: the second run does not measure the memory.
    """
    return one.outputs is other.outputs is None or not are_different(Answer(one.outputs), Answer(other.outputs))
