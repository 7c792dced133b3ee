"""Finds solution cells that are the same in several submissions: equal syntax trees, whatever the variables' names."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.places import released_notebook, source_notebook
from autograder.submissions import parser_client
from autograder.submissions.fingerprint import Fingerprint, fingerprint

SHORT = 3  # statements: answers up to this length are often equal by chance
BIGGEST = 2_000_000  # bytes of a notebook that is compared


@dataclass(frozen=True)
class Group:
    """Students whose cells for one function are the same."""

    function: str
    students: tuple[str, ...]
    statements: int
    same_names: bool  # even the variables are called the same
    published: bool  # it is the course's own solution, which is public

    @property
    def short(self) -> bool:
        return self.statements <= SHORT


def groups(out: Path, assignment: str, students: Iterable[str]) -> list[Group]:
    """Return the groups of one assignment, the longest answers first; cells as released are left out."""
    released = {name: fingerprint(source) for name, source in _cells(released_notebook(assignment))}
    solution_prints = {name: fingerprint(source) for name, source in _cells(source_notebook(assignment))}
    students_by_tree: dict[tuple[str, str], dict[str, Fingerprint]] = defaultdict(dict)
    for student in students:
        sources = dict(_cells(out / "autograded" / student / assignment / f"{assignment}.ipynb"))
        for function, each in parser_client.fingerprints(sources).items():
            if each.tree != _tree(released, function) and each.statements > 1:
                students_by_tree[function, each.tree][student] = each
    all_groups = []
    for (function, tree), fingerprints in students_by_tree.items():
        if len(fingerprints) > 1:
            names = {each.named for each in fingerprints.values()}
            size = next(iter(fingerprints.values())).statements
            published = tree == _tree(solution_prints, function)
            all_groups.append(Group(function, tuple(sorted(fingerprints)), size, len(names) == 1, published))
    return sorted(all_groups, key=lambda group: (-group.statements, group.function, group.students))


def _tree(fingerprints: dict[str, Fingerprint | None], function: str) -> str | None:
    known = fingerprints.get(function)
    return known.tree if known else None


def _cells(notebook: Path) -> Iterator[tuple[str, str]]:
    """Yield grade_id and source of the solution cells of a notebook that hold code."""
    for cell in _read(notebook):
        grader = cell.get("metadata", {}).get("nbgrader", {})
        if cell.get("cell_type") == "code" and grader.get("solution"):
            source = cell.get("source", "")
            yield str(grader.get("grade_id", "")), source if isinstance(source, str) else "".join(source)


def _read(notebook: Path) -> list[dict[str, Any]]:
    try:
        if notebook.stat().st_size > BIGGEST:
            return []
        return json.loads(notebook.read_bytes())["cells"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []
