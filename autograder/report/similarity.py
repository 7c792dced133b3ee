"""Finds functions that are alike in several submissions, by fingerprints without the release and the solution."""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from autograder.assignment import CHECK, template
from autograder.places import released_notebook, source_notebook
from autograder.submissions import fingerprint, parser_client

# Of 313 pairs of right answers in tests/answers none is alike by these numbers; 196 of 199 disguised copies are.
ALIKE = 0.65  # the share of the smaller one's hashes in the other
FEWEST = 8  # hashes of its own: a function with fewer is not compared
PUBLIC = 0.9  # the share of a function's hashes that are the course's own solution
BIGGEST = 2_000_000  # bytes of a notebook to compare


@dataclass(frozen=True)
class Group:
    """Students whose code for one function is alike: the smallest share among two of them, and its hashes."""

    function: str
    students: tuple[str, ...]
    share: float
    hashes: int
    same_names: bool  # even the variables are called the same


@dataclass
class Similarity:
    """The similarities in one assignment: groups, and each student's functions that are the public solution."""

    groups: list[Group] = field(default_factory=list)
    public: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Code:
    student: str
    hashes: frozenset[str]
    names: frozenset[str]


def similarity(out: Path, assignment: str, students: Iterable[str]) -> Similarity:
    """Return the similarities among the submissions to one assignment."""
    functions = template(assignment).functions if released_notebook(assignment).exists() else []
    solutions = fingerprint.fingerprints(_cells(source_notebook(assignment)), functions)
    public, result, by_function = given_out(assignment), Similarity(), defaultdict(list)
    for student in students:
        sources = _cells(out / "autograded" / student / assignment / f"{assignment}.ipynb")
        for name, code in parser_client.fingerprints(sources, functions).items():
            hashes, own = set(code.hashes), frozenset(code.hashes) - public
            solution = hashes & set(solutions[name].hashes) if name in solutions else ()
            if len(hashes) >= FEWEST and len(solution) >= PUBLIC * len(hashes):
                result.public.setdefault(student, []).append(name)
            elif len(own) >= FEWEST:
                by_function[name].append(_Code(student, own, frozenset(code.names)))
    result.groups = [group for name, codes in by_function.items() for group in _groups(name, codes)]
    result.groups.sort(key=lambda group: (-group.share * group.hashes, group.function, group.students))
    return result


def given_out(assignment: str) -> set[str]:
    """Return the hashes of all code in the released notebook and the public solution."""
    return fingerprint.hashes([*_cells(released_notebook(assignment)), *_cells(source_notebook(assignment))])


def _groups(function: str, codes: list[_Code]) -> Iterable[Group]:
    """Yield the groups of students whose code is like that of another one in the group."""
    same: dict[frozenset[str], list[_Code]] = defaultdict(list)
    for code in codes:
        same[code.hashes].append(code)
    group_of = {hashes: {hashes} for hashes in same}
    shares: dict[frozenset[str], float] = {}
    for one, other in combinations(same, 2):
        share = len(one & other) / min(len(one), len(other))
        if share >= ALIKE:
            shares |= {each: min(share, shares.get(each, 1)) for each in (one, other)}
            joined = group_of[one] | group_of[other]
            group_of |= dict.fromkeys(joined, joined)
    for group in {id(group): group for group in group_of.values()}.values():
        members = [code for hashes in group for code in same[hashes]]
        if len(members) > 1:
            names = {code.names for code in members}
            share = min(shares.get(hashes, 1) for hashes in group)
            students = tuple(sorted(code.student for code in members))
            yield Group(function, students, share, min(map(len, group)), len(names) == 1)


def _cells(notebook: Path) -> list[str]:
    """Return the code of a notebook's cells but for checks; [] where it cannot be read."""
    try:
        cells = json.loads(notebook.read_bytes())["cells"] if notebook.stat().st_size <= BIGGEST else []
        code = [cell for cell in cells if cell["cell_type"] == "code" and not _is_check(cell)]
        return ["".join(cell["source"]) for cell in code]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []


def _is_check(cell: dict[str, Any]) -> bool:
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "").startswith(CHECK)
