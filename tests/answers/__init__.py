"""Answers to the exercises as students write them, right in several styles and wrong in many ways: tests of the checks.

A chapter's folder has modules of three kinds, told by how their names begin: `right` (RIGHT), `wrong` (WRONG) and
`equivalent` (EQUIVALENT: mutants that compute the same, before and after the change, by the reason; PARTS, where a
reference calls parts). Each holds a table from the check's id to its answers: the beginning of their names, a list of
them, or a dictionary from names to functions.
Wrong answers that are edits of the reference stand in wrong/FUNCTION.txt, in the form of the known mistakes; what can
spoil any function, in spoilers.py.

A right answer is kept if a check could refuse it though it takes the others; a wrong one if it loses points on other
cases than a known mistake does, or hardly loses them.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from autograder.assignment import assignments, listed
from autograder.checks import checks
from autograder.checks.edits import Mistake, known

SEEDS = pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])  # one draw in minutes, two in all


def chapters() -> list[str]:
    """Return the assignments that have a chapter: an exercise of a teacher's own needs no answers."""
    return [name for name in assignments() if name in listed()]


def check_ids() -> list[str]:
    """Return the ids of all checks of the chapters, in the order of the book."""
    return [f"{name}.{function}" for name in chapters() for function in checks(name)]


def collected(kind: str, table: str) -> dict[str, Any]:
    """Return the tables of one kind, check by check, in the order of the book."""
    answers: dict[str, Any] = {}
    for name in chapters():
        for path in sorted((Path(__file__).parent / name).glob(f"{kind}*.py")):
            module = import_module(f"{__name__}.{name}.{path.stem}")
            for check_id, more in getattr(module, table, {}).items():
                functions = [*answers.get(check_id, []), *_functions(more, module)] if kind != "equivalent" else more
                answers[check_id] = functions
        for check_id, more in edited(name).items() if kind == "wrong" else ():
            answers[check_id] = [*answers.get(check_id, []), *_functions(more)]
    return answers


def edited(name: str) -> dict[str, list[Mistake]]:
    """Return the wrong answers of a chapter that are edits of the reference, check by check."""
    folder = Path(__file__).parent / name / "wrong"
    files = {path.stem for path in folder.glob("*.txt")}
    return {
        f"{name}.{function}": list(known(check.reference, function, folder))
        for function, check in checks(name).items()
        if function in files
    }


def _functions(answers: str | list[Callable] | dict[str, Callable], module: Any = None) -> list[tuple[str, Callable]]:
    if isinstance(answers, str):
        return [(name, value) for name, value in vars(module).items() if name.startswith(answers)]
    if isinstance(answers, dict):
        return list(answers.items())
    return [(getattr(answer, "__name__", type(answer).__name__), answer) for answer in answers]


def answers(kind: str) -> list:
    """Return a parameter (check_id, function) for each right or wrong answer, with its name as id."""
    return [
        pytest.param(check_id, function, id=f"{check_id}-{name}")
        for check_id, functions in collected(kind, kind.upper()).items()
        for name, function in functions
    ]
