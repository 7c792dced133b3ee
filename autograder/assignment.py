"""The assignments of the course: their names, and each one's released notebook with its graded cells.

This module needs no torch: anyone who only hands out or collects work starts without it. Nor does it need nbformat
before it reads a file: a bare machine with a GPU does not have it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.definition import definition
from autograder.places import ROOT, released_notebook
from autograder.settings import FILE, demand_one_of, settings

if TYPE_CHECKING:
    from nbformat import NotebookNode

CHECK = "check-"  # begins the grade_id of each cell with a check
OWN = "attention_workbook"  # the key of our own metadata, of a notebook and of a cell


class UnknownAssignment(ValueError):
    """No exercises have this name; the message lists the names that have some."""


def assignments() -> list[str]:
    """Return the names with exercises: those in the course's list that course.toml chooses, then the others."""
    known, in_order, chosen = written(), listed(), settings().chapters
    first = [name for name in in_order if name in known and (chosen is None or name in chosen)]
    return [*first, *(name for name in known if name not in in_order)]


def listed(root: Path = ROOT) -> list[str]:
    """Return the names in the course's list, in order; [] where it has none."""
    order = definition(root).order
    return list(_keys((root / order).read_text("utf-8"))) if order else []


@cache
def _keys(text: str) -> tuple[str, ...]:
    """Return the keys of a TOML text: to parse the course's list takes a fiftieth of judging a notebook."""
    return tuple(tomllib.loads(text))


def demand_settings() -> None:
    """Raise SettingsError where course.toml has points for a name without exercises, or a chapter that is not there."""
    demand_one_of(settings().points, written(), f"{FILE}: points: ")
    demand_one_of(settings().chapters or (), listed(), f"{FILE}: chapters: ")


def written() -> list[str]:
    """Return the names of all folders that have a notebook, whether this class has them or not."""
    return sorted(path.parent.name for path in ROOT.glob(definition().notebook("*")))


def dropped() -> list[str]:
    """Return the names with exercises that this class does not have."""
    known = assignments()
    return [name for name in written() if name not in known]


def demand(names: Sequence[str]) -> None:
    """Raise UnknownAssignment unless all of these names have exercises."""
    unknown = [name for name in names if name not in assignments()]
    if unknown:
        raise UnknownAssignment(f"no exercise called {', '.join(unknown)}: expected some of {', '.join(assignments())}")


@dataclass(frozen=True)
class Template:
    """The student's notebook as it was released, with its graded cells and their points."""

    assignment: str
    notebook: NotebookNode

    @cached_property
    def graded(self) -> dict[str, NotebookNode]:
        """Return the cells that nbgrader knows, by grade_id, in order."""
        return {grade_id(cell): cell for cell in self.notebook.cells if grade_id(cell)}

    @cached_property
    def functions(self) -> list[str]:
        """Return the functions that are checked, in order."""
        return [name.removeprefix(CHECK) for name in self.graded if name.startswith(CHECK)]

    @cached_property
    def stars(self) -> dict[str, int]:
        """Return {function: number of its stars} of the functions whose points are a bonus."""
        return {name: stars(self.graded[CHECK + name]) for name in self.functions if stars(self.graded[CHECK + name])}

    @property
    def core_points(self) -> float:
        """Return the points of all core tasks, written questions included."""
        return float(sum(cell.metadata.nbgrader.get("points") or 0 for cell in self.graded.values()))

    @property
    def bonus_points(self) -> float:
        """Return the points of the tasks with stars, which come on top."""
        return sum(bonus(cell) for cell in self.graded.values())

    @property
    def manual_points(self) -> float:
        """Return the points that a person gives."""
        cells = [cell.metadata.nbgrader for cell in self.graded.values()]
        return float(sum(cell.get("points", 0) for cell in cells if is_manual(cell)))


def template(assignment: str) -> Template:
    """Return the released notebook of an assignment; raise FileNotFoundError before the first `make release`."""
    path = released_notebook(assignment)
    if not path.exists():
        raise FileNotFoundError(f"No {path}: the notebooks are not made yet. Run `make release` first.")
    import nbformat

    return Template(assignment, nbformat.read(path, as_version=4))


def grade_id(cell: NotebookNode) -> str:
    """Return nbgrader's name for a cell, "" for the others."""
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")


def stars(cell: NotebookNode) -> int:
    """Return the number of stars of the task that a cell checks, 0 of a core task."""
    return cell.metadata.get(OWN, {}).get("stars", 0)


def bonus(cell: NotebookNode) -> float:
    """Return the most bonus points that a cell gives: nbgrader's own maximum for such a cell is 0."""
    return float(cell.metadata.get(OWN, {}).get("bonus", 0))


def is_manual(metadata: dict) -> bool:
    """Return whether a person gives a cell's points, by its nbgrader metadata."""
    return bool(metadata.get("grade") and metadata.get("solution"))
