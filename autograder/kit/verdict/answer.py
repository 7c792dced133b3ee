"""The answer of one call of a student's function, or the failure: verdicts are made from nothing else."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args, runtime_checkable

import numpy as np

Kind = Literal[
    "undefined",  # the notebook has no function of this name
    "unwritten",  # its cell is as it was released
    "raised",  # it ended with an exception
    "timeout",  # it, or the cell that defines it, did not end in its time
    "died",  # its process ended
    "bad_output",  # its value is no tensor, or no answer at all
    "no_gradient",  # nothing can be sent back through it
    "no_worker",  # the grader could not start a process for it
    "wrong",  # it answered, and the answer is not the right one
]
KINDS: frozenset[str] = frozenset(get_args(Kind))
OWN_KINDS = frozenset({"undefined", "unwritten", "raised", "bad_output", "no_gradient"})  # what a worker may report
LONGEST_TEXT = 2000  # characters of a failure


@dataclass(frozen=True)
class Failure:
    """The reason why a demand is not met: decisions depend on `kind`, and `text` is for people alone."""

    kind: Kind
    text: str


@dataclass
class Answer:
    """The values of one call; `error` says what went wrong, and the other fields hold the values before it."""

    outputs: list[np.ndarray] | None = None
    gradients: list[np.ndarray | None] | None = None  # one per float array among the arguments, in order
    inputs_after: list[str] | None = None  # a digest of each array among the arguments, in order
    error: Failure | None = None
    several: bool = False  # the function returned a tuple or list; outputs holds its elements
    apart: bool = False  # a tuple with tensors in it: they are not the rows of one, as a list's may be


Caller = Callable[[str, list, list | None], Answer]  # of a function's name, arguments, cotangents


@dataclass(frozen=True)
class Call:
    """A call to make."""

    arguments: list
    cotangents: list | None = None
    number: int | None = None  # under which its tensors are kept: another call with it has the very same ones
    most: int | None = None  # bytes that it may take beyond those in use before


@runtime_checkable
class ManyCaller(Protocol):
    """A caller that makes many calls at one request, and keeps the tensors of each under its number."""

    def call_many(self, function: str, calls: list[Call]) -> list[Answer]: ...


def clean_text(value: Any, longest: int) -> str:
    """Return any value as text that can be written to a file."""
    return value[:longest].encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def clean_answer(reply: Any, kinds: frozenset[str] = KINDS) -> Answer:
    """Return a reply from the student's side as an Answer with fields of the declared types, or a bad output.

    The reply may be anything. `kinds` are the allowed kinds of its failure.
    """
    if not isinstance(reply, Answer):
        return Answer(error=Failure("bad_output", "the answer was no answer"))
    if reply.error is not None:
        return Answer(error=_clean_failure(reply.error, kinds))
    gradients, after = reply.gradients, reply.inputs_after
    sound = (
        isinstance(reply.several, bool)
        and isinstance(reply.apart, bool)
        and (reply.outputs is None or _is_numeric(reply.outputs))
        and (
            gradients is None or (isinstance(gradients, list) and _is_numeric([g for g in gradients if g is not None]))
        )
        and (after is None or (isinstance(after, list) and all(isinstance(each, str) for each in after)))
    )
    return reply if sound else Answer(error=Failure("bad_output", "the answer held other things than arrays"))


def _clean_failure(error: Any, kinds: frozenset[str]) -> Failure:
    if not isinstance(error, Failure) or not isinstance(error.kind, str) or error.kind not in kinds:
        return Failure("bad_output", "the answer was no answer")
    return Failure(error.kind, clean_text(error.text, LONGEST_TEXT) or "an error without a text")


def _is_numeric(value: Any) -> bool:
    """Return whether a value is a list of arrays of numbers or truth values."""
    return isinstance(value, list) and all(isinstance(a, np.ndarray) and a.dtype.kind in "biuf" for a in value)
