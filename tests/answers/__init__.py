"""Answers to the exercises as students write them, right in many styles and wrong in many ways: tests of the checks.

A name has `right_NAME` (RIGHT), `wrong_NAME` (WRONG) and `same_NAME` (SAME, and PARTS where a reference calls parts),
and may have `sly_NAME` (SLY): each a table from the check's id to what belongs to it.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from autograder.assignment import assignments, has_chapter

SEEDS = pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])  # one draw in minutes, two in all


def chapters() -> list[str]:
    """Return the assignments that have a chapter: an exercise of a teacher's own needs no answers."""
    return [name for name in assignments() if has_chapter(name)]


def collected(kind: str, table: str) -> dict[str, Any]:
    """Return one kind of table of all names, in the order of the book."""
    answers: dict[str, Any] = {}
    for name in chapters():
        if Path(__file__).with_name(f"{kind}_{name}.py").exists():
            answers |= getattr(import_module(f"{__name__}.{kind}_{name}"), table, {})
    return answers


def forget() -> None:
    """Empty the memories of those sly answers that keep something between calls."""
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{__name__}.sly_"):
            getattr(module, "_memory", {}).clear()
