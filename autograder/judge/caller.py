"""A student's functions, as a check calls them."""

from dataclasses import dataclass
from typing import Any

from autograder.judge.session import Session
from autograder.kit.answer import Answer, Failure


@dataclass(frozen=True)
class Student:
    """Calls the functions of a session; where there is none, says what ended the cell that should define it."""

    session: Session
    stopped: Failure | None = None

    def __call__(self, function: str, arguments: list[Any], cotangents: list[Any] | None = None) -> Answer:
        answer = self.session.call(function, arguments, cotangents)
        if self.stopped and answer.error and answer.error.kind == "undefined":
            text = f"{function} is not defined: its cell stopped with {self.stopped.text}"
            answer.error = Failure(self.stopped.kind, text)
        return answer

    def again(self, function: str, arguments: list[Any], number: int) -> Answer:
        """Return the answer to the very tensors of the check's call of this number, counted from 0."""
        return self.session.again(function, arguments, number)
