"""Item analysis: how hard each check is, and how well it tells strong submissions from weak ones."""

import re
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from autograder.assignment import template
from autograder.gradebook.view import Entry
from autograder.kit.course import numbers

FEWEST = 5  # submissions: a correlation of fewer says nothing
PLANNED = re.compile(r"^\|\s*(\d+) ·[^|]*\|\s*(\d+)\s*\|", re.MULTILINE)


@dataclass(frozen=True)
class Item:
    """One check: the numbers of students with all, some and none of its points, its difficulty and discrimination.

    Difficulty is the mean share of its points. Discrimination is the correlation of its points with the points of all
    other checks; where everybody has all or nothing it is the point-biserial (M1 - M0) / s · sqrt(p (1 - p)). Lord and
    Novick, Statistical Theories of Mental Test Scores, 1968; without the item itself: Henrysson, Psychometrika 28
    (1963).
    """

    function: str
    all: int
    some: int
    none: int
    difficulty: float
    discrimination: float | None  # None: too few submissions, or all are equal
    part: int | None
    minutes: int | None  # that the notebook plans for its part
    bonus: bool = False

    @property
    def rated(self) -> int:
        return self.all + self.some + self.none

    def share(self, count: int) -> str:
        return f"{100 * count / self.rated:.0f} %"


def items(assignment: str, entries: Iterable[Entry]) -> Iterator[Item]:
    """Yield the items of an assignment, from submissions that could be read and are not empty."""
    scores: dict[str, list[tuple[float, float, float]]] = {}  # of each check: points, most points, points of the others
    starred: set[str] = set()
    for entry in entries:
        for check in entry.line["checks"]:
            name = function(check)
            scores.setdefault(name, []).append(
                (check["score"], check["max_score"], entry.line["score"] - check["score"])
            )
            starred |= {name} if check.get("bonus") else set()
    places, minutes = _plan(assignment)
    for name, rows in scores.items():
        whole, nothing = sum(got >= most for got, most, _ in rows), sum(got <= 0 for got, *_ in rows)
        part = places.get(name)
        yield Item(
            name,
            whole,
            len(rows) - whole - nothing,
            nothing,
            statistics.fmean(got / most for got, most, _ in rows),
            discrimination([got for got, *_ in rows], [rest for *_, rest in rows]),
            part,
            minutes.get(part),
            name in starred,
        )


def discrimination(points: list[float], rest: list[float]) -> float | None:
    """Return the correlation of an item's points with the rest's, None of fewer than FEWEST or where all are equal."""
    if len(points) < FEWEST or len(set(points)) < 2 or len(set(rest)) < 2:
        return None
    return statistics.correlation(points, rest)


def function(check: dict[str, Any]) -> str:
    """Return the function of a check in a record."""
    return check["id"].partition(".")[2] or check["id"]


def _plan(assignment: str) -> tuple[dict[str, int | None], dict[int | None, int]]:
    """Return the part of each function, and the minutes that the notebook's table plans for each part."""
    try:
        cells = template(assignment).notebook.cells
    except FileNotFoundError:
        return {}, {}
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return numbers(cells), {int(part): int(minutes) for part, minutes in PLANNED.findall(text)}
