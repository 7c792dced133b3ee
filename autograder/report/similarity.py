"""Solution cells that are the same in two submissions: the same syntax tree, whatever the variables are called."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.places import released_notebook, source_notebook
from autograder.submissions import parser_client
from autograder.submissions.fingerprint import Fingerprint, fingerprint

SHORT = 3  # statements: up to so many are written alike by people who never met
BIGGEST = 2_000_000  # bytes of a notebook that is looked into


@dataclass(frozen=True)
class Group:
    """Students whose cell for one function is the same."""

    function: str
    students: tuple[str, ...]
    statements: int
    same_names: bool  # even the variables are called the same
    published: bool  # it is the course's own solution, which is public

    @property
    def short(self) -> bool:
        return self.statements <= SHORT


def groups(out: Path, assignment: str, students: Iterable[str]) -> list[Group]:
    """Return the groups of one assignment: the longest answers first, those that are short and natural last."""
    given = {name: fingerprint(source) for name, source in _cells(released_notebook(assignment))}
    public = {name: fingerprint(source) for name, source in _cells(source_notebook(assignment))}
    alike: dict[tuple[str, str], dict[str, Fingerprint]] = defaultdict(dict)
    for student in students:
        sources = dict(_cells(out / "autograded" / student / assignment / f"{assignment}.ipynb"))
        for function, made in parser_client.fingerprints(sources).items():
            if made.tree != _tree(given, function) and made.statements > 1:
                alike[function, made.tree][student] = made
    formed = []
    for (function, tree), fingerprints in alike.items():
        if len(fingerprints) > 1:
            names = {each.named for each in fingerprints.values()}
            size = next(iter(fingerprints.values())).statements
            published = tree == _tree(public, function)
            formed.append(Group(function, tuple(sorted(fingerprints)), size, len(names) == 1, published))
    return sorted(formed, key=lambda group: (-group.statements, group.function, group.students))


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
