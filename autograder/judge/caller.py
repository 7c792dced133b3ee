"""A student's functions, as a check calls them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.judge.session import Session
from autograder.kit.adapter import Adapter
from autograder.kit.answer import Answer, Call, Caller, Failure
from autograder.kit.table_models import CachedSteps

MISSING = re.compile(r"NameError: name '(\w+)' is not defined")


@dataclass(frozen=True)
class Student:
    """Calls the functions of a session; where a name is missing, says why.

    `stopped` is what ended the cell that should define the function, `explain` says why another name is not there.
    """

    session: Session
    stopped: Failure | None = None
    adapter: Adapter | None = None  # the check's
    explain: Callable[[str], str] = lambda name: ""

    def __call__(self, function: str, arguments: list[Any], cotangents: list[Any] | None = None) -> Answer:
        return self.together(function, [Call(arguments, cotangents)])[0]

    def _explained(self, function: str, answer: Answer) -> Answer:
        if self.stopped and answer.error and answer.error.kind == "undefined":
            text = f"{function} is not defined: its cell stopped with {self.stopped.text}"
            answer.error = Failure(self.stopped.kind, text)
        elif answer.error and (missing := MISSING.match(answer.error.text)) and (why := self.explain(missing[1])):
            answer.error = Failure(answer.error.kind, f"{missing[0]} ({why}){answer.error.text[missing.end() :]}")
        return answer

    def together(self, function: str, calls: list[Call]) -> list[Answer]:
        """Return the answers to calls that are made one after the other, at one request."""
        return [self._explained(function, answer) for answer in self.session.together(function, calls, self.adapter)]


@dataclass(frozen=True)
class StepServer:
    """Calls functions that ask this side for each step; their number is the one that was counted here."""

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
