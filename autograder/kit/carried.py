"""Errors carried forward, on the student's side: which earlier functions are to be repaired first."""

import contextlib
import io
from collections.abc import Mapping
from dataclasses import replace

from autograder.kit import recordings
from autograder.kit.cases import Verdict
from autograder.kit.grading import grade

Parts = Mapping[str, int | None]  # earlier functions that are not right yet, and the numbers of their parts
GRADING_TRIES = "Grading tries this one with right earlier ones, too."


def repair_first(first: Verdict, earlier: Parts, *more: str) -> Verdict:
    """Return a verdict with the advice to repair the earlier functions before this one."""
    lines = [
        f"If it calls your {named(name, part)}: that is not right yet. "
        f"Repair {name if part is None else f'part {part}'} first."
        for name, part in earlier.items()
    ]
    lines += more
    return replace(first, hint="\n".join(filter(None, [*lines, first.hint])), details=[*lines, *first.details])


def named(name: str, part: int | None) -> str:
    """Return how a function is named to a student: with the number of its part."""
    return name if part is None else f"{name} (part {part})"


def advised(check_id: str, namespace: dict, first: Verdict, earlier: Parts) -> Verdict:
    """Return the verdict on a notebook's function that lost points, with advice where those that it may call are wrong.

    What it would get with right ones, grading knows alone: a kit that could answer for them would hold the solution.
    """
    name = check_id.partition(".")[0]
    with contextlib.redirect_stdout(io.StringIO()):  # what they print, they have printed at their own checks
        wrong = {each: part for each, part in earlier.items() if is_wrong(f"{name}.{each}", namespace)}
    return repair_first(first, wrong, GRADING_TRIES) if wrong else first


def is_wrong(check_id: str, namespace: dict) -> bool:
    """Return whether a notebook's function loses points in its check."""
    recording = recordings.load(check_id)
    verdict = grade(check_id, recording.cases, recording.criteria, recording.caller(namespace))
    return verdict.score < verdict.max_score
