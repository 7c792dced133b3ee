"""A check on a student's own machine, from what release recorded."""

import ast
import contextlib
import functools
import inspect
import sys
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.kit import peak, recordings
from autograder.kit.answer import Answer, Caller, Failure
from autograder.kit.call import call
from autograder.kit.carried import carried
from autograder.kit.cases import Verdict
from autograder.kit.grading import grade
from autograder.kit.hunts import HuntInput, fails, input_of
from autograder.kit.repair import refusing, repair


def verdict_on(check_id: str, namespace: dict) -> Verdict:
    """Return what the check says of the notebook's function."""
    cases, criteria, examples = recordings.load(check_id)
    hunt, function = recordings.hunt(check_id), check_id.partition(".")[2]
    # nbgrader takes any line on stderr for a failure, and a student's warning is none.
    with warnings.catch_warnings(), contextlib.redirect_stderr(sys.stdout):
        warnings.simplefilter("ignore")
        caller: Caller = functools.partial(call, namespace)
        if hunt:
            caller = _hunting(check_id, hunt, namespace, caller)
        verdict = grade(check_id, cases, criteria, caller, lambda: examples)
        if verdict.score < verdict.max_score and not hunt:
            verdict = carried(check_id, namespace, verdict)
    if hunt and verdict.hint is None and (note := _note(check_id, hunt, function, namespace)):
        verdict = replace(verdict, hint=f"✓ {function}: {note}")
    if verdict.hint is None and any(case.peak for case in cases):
        verdict = replace(verdict, hint=f"✓ {function}: all {verdict.max_score:g} points; {peak.NOTE}")
    return verdict


def _hunting(check_id: str, hunt: HuntInput, namespace: dict, caller: Caller) -> Caller:
    """Return what the checks of a bug hunt call: the input is tried, and a repair may change one statement."""
    function = check_id.partition(".")[2]
    if function == "failing_input":
        return functools.partial(_tried, hunt, _own(check_id, hunt, namespace), caller)
    if function == "diagnosis":
        return caller
    made = repair(hunt.broken, _tree(namespace.get(function)), function)
    return refusing(made.complaint, caller) if made.complaint else caller


def _tried(hunt: HuntInput, own: object, caller: Caller, function: str, *rest: Any) -> Answer:
    """Answer 1 for an input that shows the bug, as far as that can be told here, else with what speaks against it."""
    answer = caller(function, *rest)
    if answer.error:
        return answer
    given = input_of(answer, hunt.arguments)
    if isinstance(given, str):
        return Answer(error=Failure("wrong", given))
    if callable(own) and hunt.through:
        own = functools.partial(_defined(hunt.through), own)
    failure = fails(_defined(hunt.broken), own, given) if callable(own) else None
    return Answer(error=failure) if failure else Answer(outputs=[np.array(1.0, np.float32)])


def _own(check_id: str, hunt: HuntInput, namespace: dict) -> object:
    """Return the student's own right function, None as long as it does not have all its points."""
    other = f"{check_id.partition('.')[0]}.{hunt.graded}"
    with contextlib.redirect_stdout(None):
        cases, criteria, _ = recordings.load(other)
        verdict = grade(other, cases, criteria, functools.partial(call, namespace))
    return namespace.get(hunt.function) if verdict.score == verdict.max_score else None


def _defined(source: str) -> Callable:
    """Return the function that this source defines."""
    namespace: dict = {}
    exec("import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn", namespace)
    exec(source, namespace)
    return namespace[ast.parse(source).body[0].name]  # pyright: ignore[reportAttributeAccessIssue]


def _note(check_id: str, hunt: HuntInput, function: str, namespace: dict) -> str:
    """Return what is said where a student's own machine cannot tell everything, "" where it can."""
    if function == "diagnosis":
        return "a line and a kind are handed in. Whether they are right, only grading says."
    if function == "failing_input" and _own(check_id, hunt, namespace) is None:
        return (
            f"these arguments can be tried. Whether the broken function is wrong on them shows here once your "
            f"{hunt.graded} has all its points; grading says it in any case."
        )
    return ""


def _tree(function: object) -> ast.AST | None:
    """Return the syntax of a notebook's function, None where there is no source."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))  # pyright: ignore
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
