"""The parts of a check, and the checks of a course, which lie beside its notebooks: on the trusted side only.

README.md beside this file says how to write a graded exercise.
"""
# ruff: noqa: F401 — exercises import their parts from here

import tomllib
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

from autograder.assignment import assignments
from autograder.checks.check import CaseInput, Check, by_hand, hint_of
from autograder.checks.class_points import checks_of_class, questions_of_class
from autograder.checks.faults import CheckFault, demand_points
from autograder.checks.hunts import Hunt
from autograder.checks.points import (
    DIFFERENTIABLE,
    FAR,
    GRADIENTS,
    LARGE,
    LOW,
    MASKED,
    NO_MASK,
    PADDING,
    REPEAT,
    SHAPE,
    UNCHANGED,
    VALUES,
    Points,
    Written,
    by_mask,
)
from autograder.definition import definition
from autograder.places import ROOT


def checks(name: str) -> dict[str, Check]:
    """Return the checks of one name by function; raise CheckFault if its checks.py cannot be used."""
    if not (name.isidentifier() and _path(name).exists()):
        raise LookupError(f"no checks for '{name}': expected one of {', '.join(assignments())}")
    known = getattr(_module(name), "CHECKS", None)
    if not known:
        raise CheckFault(f"{_place(name)} defines no CHECKS: a list with a Check for each function")
    return checks_of_class(name, known)


def questions(name: str) -> dict[str, Written]:
    """Return the questions of one name that are graded by hand; raise CheckFault where one has no points."""
    path = _path(name).with_name("written.toml")
    by_name: dict[str, Written] = {}
    try:
        for question, fields in tomllib.loads(path.read_text("utf-8") if path.exists() else "").items():
            by_name[question] = Written(**fields)
            demand_points(question, (), {"the answer": by_name[question]})
    except (CheckFault, TypeError, tomllib.TOMLDecodeError) as error:
        raise CheckFault(f"{definition().folder(name)}/written.toml: {error}") from None
    functions = [check.function for check in getattr(_module(name), "CHECKS", [])]
    return questions_of_class(name, by_name, functions)


def written(name: str, question: str) -> Written:
    """Return the points and the model answer of a question that is graded by hand."""
    known = questions(name)
    if question not in known:
        raise LookupError(
            f"'{name}' has no written question '{question}': it has {', '.join(known) or 'none in written.toml'}"
        )
    return known[question]


def find(check_id: str) -> Check:
    """Return the check called NAME.FUNCTION."""
    name, _, function = check_id.partition(".")
    known = checks(name)
    if function not in known:
        raise LookupError(f"'{name}' has no check for '{function}': it has {', '.join(known)}")
    return known[function]


def _path(name: str) -> Path:
    return ROOT / definition().checks(name)


def _place(name: str) -> str:
    return definition().checks(name)


def _module(name: str) -> ModuleType:
    """Return the module with the checks of a name; a mistake in it is a CheckFault that names file and line."""
    try:
        return import_module(definition().package(definition().checks(name)))
    except CheckFault as error:
        raise CheckFault(f"{_place(name)}: {error}") from None
    except Exception as error:
        lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == str(_path(name))]
        if isinstance(error, SyntaxError) and error.filename == str(_path(name)):
            lines.append(error.lineno)
        text = f"{type(error).__name__}: {getattr(error, 'msg', error)}"
        raise CheckFault(f"{_place(name)}, line {lines[-1] if lines else 1}: {text}") from error
