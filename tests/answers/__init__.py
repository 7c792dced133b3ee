"""Answers to the exercises as students write them, right in many styles and wrong in many ways: tests of the checks.

A name has `right_NAME` (RIGHT), `wrong_NAME` (WRONG) and `same_NAME` (SAME, and PARTS where a reference calls parts),
and may have `sly_NAME` (SLY): each a table from the check's id to what belongs to it.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from autograder.assignment import assignments

SEEDS = pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])  # one draw in minutes, two in all


def collected(kind: str, table: str) -> dict[str, Any]:
    """Return one kind of table of all names, in the order of the book."""
    found: dict[str, Any] = {}
    for name in assignments():
        if Path(__file__).with_name(f"{kind}_{name}.py").exists():
            found |= getattr(import_module(f"{__name__}.{kind}_{name}"), table, {})
    return found


def forget() -> None:
    """Empty the memories of those sly answers that keep something between calls."""
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{__name__}.sly_"):
            getattr(module, "_memory", {}).clear()
