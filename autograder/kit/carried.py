"""Errors carried forward: the points of a part whose only fault is that it calls an earlier one, which is wrong."""

import contextlib
import io
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.kit import recordings
from autograder.kit.answer import Answer, Caller
from autograder.kit.cases import TOLERANCE, Case, Criterion, Verdict
from autograder.kit.example_hints import Examples
from autograder.kit.grading import grade
from autograder.kit.proxy import install, remote_stub

Parts = Mapping[str, int | None]  # earlier functions that are not right yet, and the numbers of their parts


def repair_first(first: Verdict, earlier: Parts) -> Verdict:
    """Return a verdict with the advice to repair the earlier functions before this one."""
    lines = [
        f"If it calls your {_named(name, part)}: that is not right yet. Repair {_part(name, part)} first."
        for name, part in earlier.items()
    ]
    return replace(first, hint="\n".join([first.hint or "", *lines]), details=[*first.details, *lines])


def with_right_ones(
    check_id: str, cases: list[Case], criteria: list[Criterion], caller: Caller, examples: Examples
) -> Verdict:
    """Return the verdict on a function that calls right earlier ones, in place of the student's.

    They give values only, so that no gradient is asked for: its points are had with the values.
    """
    return grade(check_id, [replace(case, cotangents=None) for case in cases], criteria, caller, examples)


def combined(function: str, first: Verdict, again: Verdict, earlier: Parts) -> Verdict:
    """Return the verdict on a function that was tried with its student's earlier functions, and with right ones.

    A demand counts that was met in either: what a right earlier function shows as right is right, and who has written
    two parts that fit each other only loses nothing by the second look.
    """
    names = " and ".join(_named(*each) for each in earlier.items())
    those, are = ("those", "are") if len(earlier) > 1 else ("that one", "is")
    both = list(zip(first.criteria, again.criteria, strict=True))
    rows = [(name, points, max(got, other)) for (name, points, got), (_, _, other) in both]
    score = sum(got for *_, got in rows)
    head = f"{function}: {score:g} of {first.max_score:g} points"
    if score == first.max_score:
        hint = f"{head}. It has them with a right {names}; with yours it fails, so repair {those} first."
        return Verdict(score, first.max_score, hint, [], rows)
    shown = again if again.score >= first.score else first
    with_whom = "a right one" if shown is again else "yours"
    lines = [
        f"{head}. Your {names} {are} not right yet: repair {those} first. Tried with {with_whom}, this part shows:"
    ]
    lines += shown.details
    more = [name for (name, _, got), (_, _, most) in zip(shown.criteria, rows, strict=True) if got < most]
    if more:
        lines.append(
            f"With {'yours' if shown is again else 'a right one'} it has the points for “{'”, “'.join(more)}”."
        )
    return replace(shown, score=score, hint="\n".join(lines), criteria=rows, details=lines[1:])


def _named(name: str, part: int | None) -> str:
    return name if part is None else f"{name} (part {part})"


def _part(name: str, part: int | None) -> str:
    return name if part is None else f"part {part}"


# On a student's machine


class Unrecorded(Exception):
    """A question that release did not record."""


def carried(check_id: str, namespace: dict, first: Verdict) -> Verdict:
    """Return the verdict on a function that lost points, its earlier functions taken into account where they are wrong.

    What they should have given is looked up in what release recorded; nothing there can answer for arguments of the
    student's own, and then the first verdict stands.
    """
    known = recordings.earlier(check_id)
    name, _, function = check_id.partition(".")
    with contextlib.redirect_stdout(io.StringIO()):  # what they print, they have printed at their own checks
        wrong = {each: about for each, about in known.items() if _is_wrong(f"{name}.{each}", namespace)}
        if not wrong:
            return first
        recording = Recording({each: about["asked"] for each, about in wrong.items()})
        again = _again(check_id, namespace, wrong, recording)
    parts = {each: about["part"] for each, about in wrong.items()}
    if again is None:
        return repair_first(first, parts)
    asked = {each: part for each, part in parts.items() if each in recording.used}
    return combined(function, first, again, asked) if asked else first


def _is_wrong(check_id: str, namespace: dict) -> bool:
    cases, criteria, _ = recordings.load(check_id)
    first = grade(check_id, cases, criteria, recordings.caller(check_id, namespace))
    return first.score < first.max_score and carried(check_id, namespace, first).score < first.max_score


def _again(check_id: str, namespace: dict, wrong: dict[str, dict], recording: "Recording") -> Verdict | None:
    """Return the verdict with recorded answers for the functions that are wrong, or None where there are none."""
    if any(about["asked"] is None for about in wrong.values()):
        return None
    cases, criteria, examples = recordings.load(check_id)
    remote_stubs = {each: remote_stub(each, about["parameters"], recording.answer) for each, about in wrong.items()}

    calls = recordings.caller(check_id, namespace)

    def caller(*question: Any) -> Answer:
        undo = install(namespace, remote_stubs)
        try:
            return calls(*question)
        finally:
            for step in undo:
                step()

    again = with_right_ones(check_id, cases, criteria, caller, lambda: examples)
    return None if recording.has_missed else again


class Recording:
    """What release recorded of the questions that a right function asks, and what it was answered."""

    def __init__(self, asked: Mapping[str, list[list] | None]) -> None:
        self.asked = asked
        self.used: set[str] = set()
        self.has_missed = False

    def find(self, question: dict) -> dict | None:
        """Return the answer to a question, or None where it was not recorded."""
        for known, answer in self.asked[question["function"]] or []:
            if alike(known["arguments"], question["arguments"]):
                return answer
        return None

    def answer(self, question: dict) -> dict:
        """Return the answer to a student's question, or note that there is none."""
        self.used.add(question["function"])
        answer = self.find(question)
        if answer is None:
            self.has_missed = True
            raise Unrecorded("the kit has recorded nothing for these numbers, the grader will know")
        return answer


def alike(one: Any, two: Any) -> bool:
    """Return whether two arguments of a question are the same but for rounding."""
    if isinstance(one, list | tuple) and isinstance(two, list | tuple):
        return len(one) == len(two) and all(map(alike, one, two))
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(alike(value, two[key]) for key, value in one.items())
    numbers = (np.ndarray, np.generic, bool, int, float)
    if isinstance(one, numbers) and isinstance(two, numbers):
        a, b = np.asarray(one), np.asarray(two)
        return a.shape == b.shape and np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
    return type(one) is type(two) and one == two
