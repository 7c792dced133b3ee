"""A check on a student's own machine, from the recordings of `release`."""

import ast
import contextlib
import functools
import inspect
import io
import re
import sys
import textwrap
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from autograder.kit import course
from autograder.kit.calls import peak
from autograder.kit.known import recordings
from autograder.kit.shown.printed import Prints
from autograder.kit.verdict.answer import Answer, Caller, Failure
from autograder.kit.verdict.cases import Verdict
from autograder.kit.verdict.grading import grade
from autograder.kit.verdict.hunts import LETTERS, HuntInput, Tried, refusing
from autograder.kit.verdict.lacking import names_used
from autograder.kit.verdict.repair import repair

Parts = Mapping[str, int | None]  # earlier functions that are not right yet, and the numbers of their parts
MISSING = re.compile(r"name '(\w+)' is not defined")
GRADING_TRIES = "Grading tries this one with right earlier ones, too."


@dataclass(frozen=True)
class LocalVerdict:
    """The verdict of a check on a student's own machine."""

    verdict: Verdict
    only_grading_knows: bool  # whether the function is right
    stars: int  # of its task


def verdict_on(check_id: str, namespace: dict, prints: Prints) -> LocalVerdict:
    """Return a check's verdict on a notebook's function; its printed output goes to `prints`."""
    recording = recordings.load(check_id)
    cases, hunt = recording.cases, recording.hunt
    # nbgrader takes any line on stderr for a failure, and a student's warning is none.
    with warnings.catch_warnings(), contextlib.redirect_stderr(sys.stdout):
        warnings.simplefilter("ignore")
        caller = prints.of(recording.caller(namespace))
        caller, note = _hunting(check_id, hunt, namespace, caller) if hunt else (caller, "")
        verdict = grade(check_id, cases, recording.criteria, caller, lambda: recording.examples)
        if verdict.score < verdict.max_score and not hunt:
            verdict = advised(check_id, namespace, verdict, recording.earlier)
    line = f"○ {check_id.partition('.')[2]}: {note}" if note else ""
    if any(case.peak for case in cases):
        line = f"✓ {check_id.partition('.')[2]}: all {verdict.max_score:g} points; {peak.NOTE}"
    if verdict.hint is None and line:
        verdict = replace(verdict, hint=line)
    return LocalVerdict(verdict, bool(note), recording.stars)


def _hunting(check_id: str, hunt: HuntInput, namespace: dict, caller: Caller) -> tuple[Caller, str]:
    """Return the caller for the checks of a bug hunt, and a note on the part that only grading can tell, or ""."""
    function = check_id.partition(".")[2]
    if function == "failing_input":
        own = _own(check_id, hunt, namespace)
        missing = [name for name in dict.fromkeys((hunt.graded, hunt.function)) if name not in namespace]
        how = (
            f"run the cells of {' and '.join(missing)}"
            if missing
            else f"write your {hunt.graded} first, with all its points"
        )
        note = (
            "these arguments can be tried. To see here whether the broken function is wrong on them, "
            f"{how}; grading says it in any case."
        )
        right = functools.partial(_defined(hunt.through), own) if own and hunt.through else own
        return Tried(hunt.arguments, _defined(hunt.broken), right, caller), "" if own else note
    if function == "diagnosis":
        note = "a line and a kind are handed in. Only grading says whether they are right."
        return functools.partial(_possible, len(hunt.broken.splitlines()), caller), note
    made = repair(hunt.broken, _tree(namespace.get(function)), function)
    return refusing(made.complaint, caller) if made.complaint else caller, ""


def _possible(lines: int, caller: Caller, function: str, arguments: list, cotangents: list | None = None) -> Answer:
    """Return the answer to a diagnosis, or an error if the function has no such line, or no kind this letter."""
    answer = caller(function, arguments, cotangents)
    if answer.error:
        return answer
    line, kind = (int(each) for each in answer.outputs or [])
    if not 1 <= line <= lines:
        return Answer(error=Failure("wrong", f"there is no line {line}: they have the numbers 1 to {lines}."))
    if not 0 <= kind < len(LETTERS):
        return Answer(error=Failure("wrong", f"this letter stands for no kind: take one of {', '.join(LETTERS)}."))
    return answer


def _own(check_id: str, hunt: HuntInput, namespace: dict) -> Callable | None:
    """Return the student's own right function, None as long as it does not have all its points."""
    with contextlib.redirect_stdout(None):
        wrong = is_wrong(f"{check_id.partition('.')[0]}.{hunt.graded}", namespace)
    return None if wrong else namespace.get(hunt.function)


def _defined(source: str) -> Callable:
    """Return the function that this source defines."""
    namespace: dict = {}
    exec("import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn", namespace)
    exec(source, namespace)
    return namespace[ast.parse(source).body[0].name]  # pyright: ignore[reportAttributeAccessIssue]


def _tree(function: object) -> ast.AST | None:
    """Return the syntax of a notebook's function, None where there is no source."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))  # pyright: ignore
    except (OSError, TypeError, SyntaxError, ValueError):
        return None


def repair_first(first: Verdict, earlier: Parts, *more: str, calls: str = "If it calls") -> Verdict:
    """Return a verdict with the advice to repair the earlier functions before this one."""
    lines = [
        f"{calls} your {named(name, part)}: that is not right yet. "
        f"Repair {name if part is None else f'part {part}'} first."
        for name, part in earlier.items()
    ]
    return begun_with(first, *lines, *more)


def begun_with(verdict: Verdict, *lines: str) -> Verdict:
    """Return a verdict whose words begin with these lines."""
    hint = "\n".join(filter(None, [*lines, verdict.hint]))
    return replace(verdict, hint=hint, details=[*lines, *verdict.details])


def named(name: str, part: int | None) -> str:
    """Return a function's name for a student: with the number of its part."""
    return name if part is None else f"{name} (part {part})"


def advised(check_id: str, namespace: dict, first: Verdict, earlier: Parts) -> Verdict:
    """Return the verdict on a function that lost points, with advice where an earlier one that it calls is to blame.

    Only grading can tell its points with right ones: a kit that could answer for them would hold the solution.
    """
    name, _, function = check_id.partition(".")
    missing = dict.fromkeys(MISSING.findall(first.hint or ""))
    if not_run := [part for each in missing if (part := course.parts(name).get(each)) and each not in namespace]:
        return begun_with(first, *(f"`{part.name}` is from {part.place}: run its cell first." for part in not_run))
    used = names_used(namespace.get(function), namespace)
    with contextlib.redirect_stdout(io.StringIO()):  # their own checks have shown their output
        called = {each: part for each, part in earlier.items() if each in used}
        wrong = {each: part for each, part in called.items() if is_wrong(f"{name}.{each}", namespace)}
    return repair_first(first, wrong, GRADING_TRIES, calls="It calls") if wrong else first


def is_wrong(check_id: str, namespace: dict) -> bool:
    """Return whether a notebook's function loses points in its check."""
    recording = recordings.load(check_id)
    verdict = grade(check_id, recording.cases, recording.criteria, recording.caller(namespace))
    return verdict.score < verdict.max_score
