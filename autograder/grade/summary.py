"""The summary of a run: summary.csv, and the same as a table for the terminal."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from autograder import files
from autograder.gradebook.store import spreadsheet
from autograder.gradebook.view import is_empty
from autograder.places import CLASS

COLUMNS = (
    "student assignment score max_score bonus manual_score manual_max_score late_penalty total needs_manual_grade "
    "mistakes flags error note file"
).split()
OF_GRADEBOOK = ("manual_score", "late_penalty", "total", "needs_manual_grade")
MOST_TITLES = 2  # of one student's mistakes in the terminal
MISSING = "has not handed in"
MOST_NAMED = 10  # students whom one line names
GONE = "not handed in this time; the earlier grade is kept"


def row(line: dict[str, Any]) -> dict[str, Any]:
    """Return the summary's row of one submission; small, as the rows of a whole class are in memory."""
    mistakes = {
        mistake: title
        for check in line["checks"]
        for mistake, title in zip(check["mistake"], check.get("titles", check["mistake"]), strict=True)
    }
    kept = {
        name: line.get(name) for name in ("student", "assignment", "score", "max_score", "manual_max_score", "file")
    }
    if line["error"]:
        kept["score"] = None  # not graded is not zero
    return kept | {
        "bonus": line.get("bonus", 0),
        "mistakes": " ".join(mistakes),
        "titles": _some([*mistakes.values()]),
        "flags": "; ".join(line["flags"]),
        "error": line["error"] or "",
        "note": "; ".join(line.get("notes", [])),
        "empty": is_empty(line),
        "failed": line.get("failed", False),
        "starved": line.get("starved", False),
    }


def _some(titles: list[str]) -> str:
    more = len(titles) - MOST_TITLES
    return " ".join([*titles[:MOST_TITLES], *([f"And {counted(more, 'mistake')} more."] if more > 0 else [])])


def write(rows: list[dict[str, Any]], path: Path, mode: int = files.PRIVATE) -> None:
    """Write the rows as CSV, atomically, with permissions `mode`."""
    files.atomic_write(path, spreadsheet.table(COLUMNS, rows), mode)


def table(rows: Sequence[dict[str, Any]], here: Iterable[str], is_all: bool = False) -> Iterator[str]:
    """Yield the lines of a table for the terminal: rows with a remark of the assignments `here`, or all rows."""
    names_here = {"", *here}
    about = rows if is_all else [row for row in rows if row.get("assignment", "") in names_here and _has_remark(row)]
    if about:
        yield from _lines(about)
    if hidden := len(rows) - len(about):
        yield f"{counted(hidden, 'more row')}: --all prints them, summary.csv has them."
    if not is_all:
        yield from note(GONE, (row["student"] for row in rows if row.get("note") == GONE))


def _has_remark(row: dict[str, Any]) -> bool:
    remarks = [row.get(name) for name in ("error", "mistakes", "flags", "note", "late_penalty")]
    return any(remark and remark != GONE for remark in remarks)


def next_steps(rows: Sequence[dict[str, Any]], out: Path) -> Iterator[str]:
    """Yield lines on what a teacher looks at in these rows, and on the commands that come next."""
    moved = [row for row in rows if row.get("before") not in (None, row.get("score"))]
    points = (f"{name} {row['before']:g} → {_shown(row.get('score')) or 'none'}" for name, row in _named(moved))
    yield from note("graded again, with other points than before", points)
    yield from note("handed in late", _names(row for row in rows if row.get("seconds_late")))
    yield from note("with nothing written", _names(row for row in rows if row.get("empty")))
    by_hand = f"waiting for points by hand (`jupyter server` in {out}, then /formgrader)"
    yield from note(by_hand, _names(row for row in rows if row.get("needs_manual_grade")))
    yield from note("with a regrade request", _names(row for row in rows if row.get("has_request")))
    place = "" if out == CLASS else f" --out {shlex.quote(str(out))}"
    yield f"Next: python -m autograder report{place}, and python -m autograder export{place} --to moodle, canvas or csv"


def _named(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((f"{row['student']}/{row['assignment']}", row) for row in rows)


def _names(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    return (name for name, _ in _named(rows))


def _points(row: dict[str, Any]) -> str:
    """Return a row's points, those by hand among them, less the late penalty, of all core tasks."""
    if row.get("score") is None:
        return "-"
    most = row["max_score"] + (row.get("manual_max_score") or 0)
    late = f" − {row['late_penalty']:g} late" if row.get("late_penalty") else ""
    return f"{row['score'] + (row.get('manual_score') or 0):g}{late} / {most:g}"


def _lines(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of a table with a row for each."""
    lines = [{name: _shown(value) for name, value in row.items()} for row in rows]
    who = max([len("student"), *(len(line["student"]) for line in lines)])
    what = max([len("assignment"), *(len(line.get("assignment", "")) for line in lines)])
    yield f"{'student':<{who}}  {'assignment':<{what}}  {'points':>11}  remarks"
    for line, row in zip(lines, rows, strict=True):
        points = _points(row)
        remarks = [line.get(name, "") for name in ("error", "titles", "flags", "note")]
        remark_text = "; ".join(remark for remark in remarks if remark)
        yield f"{line['student']:<{who}}  {line.get('assignment', ''):<{what}}  {points:>11}  {remark_text}".rstrip()


def _shown(value: Any) -> str:
    if isinstance(value, float | int) and not isinstance(value, bool):
        return f"{value:g}"
    return printable(value if isinstance(value, str) else str(spreadsheet.cell(value)))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: "1 file", "2 files"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def note(what: str, who: Iterable[str]) -> list[str]:
    """Return [a line with the people concerned], [] for nobody."""
    names = [printable(each) for each in who]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return [f"{len(names)} {what}: {'; '.join(names[:MOST_NAMED])}{more}."] if names else []


def printable(text: str) -> str:
    """Return a text for a terminal: control characters, and those that it cannot show, are escaped."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
