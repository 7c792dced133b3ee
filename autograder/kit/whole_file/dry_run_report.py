"""The report on a dry run, as text for a student, JSON for a program, a table for GitHub."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.kit import course
from autograder.kit.shown.lines import fitting
from autograder.kit.shown.progress import HANDED_IN, mark, summed

NOT_RUN = "It was not run."


@dataclass
class Report:
    """The result of a run: the score and hint of each check, the error of each stopped cell."""

    name: str
    verdicts: dict[str, dict[str, Any]] = field(default_factory=dict)
    stopped: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    answered: set[str] = field(default_factory=set)  # the questions for a person
    answers: dict[str, int] = field(default_factory=dict)  # the number of the cell that defines each function

    @property
    def parts(self) -> dict[str, course.Part]:
        return course.parts(self.name)

    @property
    def scores(self) -> dict[str, float]:
        """Return the points of each part that was checked, HANDED_IN where only grading knows them."""
        return {
            name: HANDED_IN if about.get("open") and about["score"] else min(about["score"], self.parts[name].points)
            for name, about in self.verdicts.items()
        }

    @property
    def left(self) -> list[str]:
        """Return the core parts without all their points or without an answer."""
        scores = self.scores
        done = {name for name, score in scores.items() if score in (self.parts[name].points, HANDED_IN)}
        return [name for name, part in self.parts.items() if not part.stars and name not in done | self.answered]

    @property
    def all_notes(self) -> list[str]:
        """Return lines on the stopped cells, on the repairs by grading, and on the things that it lacks."""
        cells = [f"cell {number} stopped: {text}" for number, text in sorted(self.stopped.items()) if _is_cause(text)]
        lacks = dict.fromkeys(line for about in self.verdicts.values() for line in about["lacking"])
        return [*cells, *self.notes, *lacks]


def has_all(report: Report) -> bool:
    """Return whether all core points of the checks are there; questions for a person do not count."""
    return all(report.parts[name].written for name in report.left)


def as_text(report: Report, path: Path) -> str:
    """Return the report on a notebook's file as text for the student."""
    saved = datetime.fromtimestamp(path.stat().st_mtime).strftime("%H:%M on %d %B")
    head = f"{path.name}, as it was saved at {saved}, run from the top as grading does (with other inputs there):"
    rows = [_row(part, report) for part in report.parts.values()]
    notes = [f"  {note}" for note in report.all_notes]
    return fitting("\n".join([head, "", *rows, "", *notes, *([""] if notes else []), _sum(report), _next(report)]))


def as_dict(report: Report, path: Path) -> dict[str, Any]:
    """Return a report as plain values, named as `python -m autograder score` names them.

    `score` is the sum of all checks, `max_score` that of the core tasks. A starred task's check has `bonus`: true; one
    whose points only grading knows has `only_grading_knows`: true, and 0 here.
    """
    parts, scores = report.parts, report.scores
    checked = {name: part for name, part in parts.items() if not part.written}
    got = {name: max(0.0, scores.get(name, 0.0)) for name in checked}
    return {
        "notebook": path.name,
        "assignment": report.name,
        "score": sum(got.values()),
        "max_score": sum(part.points for part in checked.values() if not part.stars),
        "manual_max_score": sum(part.points for part in parts.values() if part.written),
        "bonus": sum(got[name] for name, part in checked.items() if part.stars),
        "checks": [
            {"id": f"{report.name}.{name}", "part": part.number, "score": got[name], "max_score": part.points}
            | {"hint": None if scores.get(name) in (part.points, HANDED_IN) else _hint(name, report)}
            | ({"bonus": True} if part.stars else {})
            | ({"only_grading_knows": True} if scores.get(name) == HANDED_IN else {})
            for name, part in checked.items()
        ],
        "answered": sorted(report.answered),
        "open": report.left,
        "notes": report.all_notes,
        "error": None,
    }


def as_table(report: Report, path: Path) -> str:
    """Return a report as a heading, a table and a line in GitHub's Markdown."""
    rows = [
        [mark([part], report.scores) if not part.written else "", part.place, part.name, _points(part, report)]
        for part in report.parts.values()
    ]
    lines = [f"| {' | '.join(map(_in_a_table, row))} |" for row in rows]
    notes = [f"- {_in_a_table(note)}" for note in report.all_notes]
    head = [f"### {path.name}", "", "| | part | name | points |", "|---|---|---|---|"]
    return "\n".join([*head, *lines, "", *notes, *([""] if notes else []), f"{_sum(report)} {_next(report)}", "", ""])


def _in_a_table(text: str) -> str:
    """Return a text that neither ends a cell of a table nor is taken for HTML."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")


def _is_cause(error: str) -> bool:
    """Return whether an error is more than the echo of a part that is not written or not defined."""
    return not error.startswith(("NotImplementedError", "NameError"))


def _row(part: course.Part, report: Report) -> str:
    """Return a line on one part: a sign, its place and name, its points, and the reason for lost ones."""
    title = f"{part.place:10} {part.name:28}"
    if part.written:
        return f"  {'✓' if part.name in report.answered else '–'} {title} {_points(part, report)}"
    return f"  {mark([part], report.scores)} {title} {_points(part, report)}"


def _points(part: course.Part, report: Report) -> str:
    """Return the points of a part, and the reason for lost ones."""
    if part.written:
        words = "answered" if part.name in report.answered else "no answer yet"
        return f"{words}; {part.points:g} points by your teacher"
    score = report.scores.get(part.name, 0)
    if score == HANDED_IN:
        return f"handed in; {part.points:g} points if it is right: only grading says so"
    why = "" if score == part.points else f": {_reason(part, report)}"
    return f"{score:g} of {part.points:g}{why}"


def _hint(name: str, report: Report) -> str:
    return report.verdicts.get(name, {}).get("hint") or NOT_RUN


def _reason(part: course.Part, report: Report) -> str:
    """Return the reason for a part's lost points in one line: a stopped cell, else the check's first failure."""
    cell = report.answers.get(part.name, 0)
    if cell in report.stopped:
        return f"cell {cell} stopped: {report.stopped[cell]}"
    return report.verdicts.get(part.name, {}).get("reason") or NOT_RUN


def _sum(report: Report) -> str:
    """Return the points in a sentence."""
    scores = report.scores
    line = summed((part, scores.get(name, 0.0)) for name, part in report.parts.items())
    written = sum(part.points for part in report.parts.values() if part.written)
    return f"{line}; up to {written:g} by your teacher." if written else f"{line}."


def _next(report: Report) -> str:
    """Return the next step with the file."""
    return f"Open: {', '.join(report.left)}." if report.left else "Nothing is open: hand this file in."
