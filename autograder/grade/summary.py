"""The summary of a run: summary.csv, and the same as a table for the terminal."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from autograder import files
from autograder.gradebook.store import spreadsheet

COLUMNS = (
    "student assignment score max_score bonus manual_score manual_max_score late_penalty total needs_manual_grade "
    "mistakes flags error note file"
).split()
OF_GRADEBOOK = ("manual_score", "late_penalty", "total", "needs_manual_grade")
MISSING = "has not handed in"
MOST_NAMED = 10  # students whom one line names
GONE = "not handed in this time; the earlier grade is kept"


def row(line: dict[str, Any]) -> dict[str, Any]:
    """Return the summary's row of one submission; small, as the rows of a whole class are in memory."""
    mistakes = dict.fromkeys(mistake for check in line["checks"] for mistake in check["mistake"])
    kept = {
        name: line.get(name) for name in ("student", "assignment", "score", "max_score", "manual_max_score", "file")
    }
    if line["error"]:
        kept["score"] = None  # not graded is not zero
    return kept | {
        "bonus": line.get("bonus", 0),
        "mistakes": " ".join(mistakes),
        "flags": "; ".join(line["flags"]),
        "error": line["error"] or "",
        "note": "; ".join(line.get("notes", [])),
        "failed": line.get("failed", False),
        "starved": line.get("starved", False),
    }


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
        yield f"{counted(hidden, 'row')} without a remark on this run: --all prints them, summary.csv has them."
    if not is_all:
        yield from note(GONE, (row["student"] for row in rows if row.get("note") == GONE))


def _has_remark(row: dict[str, Any]) -> bool:
    remarks = [row.get(name) for name in ("error", "mistakes", "flags", "note", "late_penalty")]
    return any(remark and remark != GONE for remark in remarks)


def _lines(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of a table with a row for each."""
    lines = [{name: _shown(value) for name, value in row.items()} for row in rows]
    who = max([len("student"), *(len(line["student"]) for line in lines)])
    what = max([len("assignment"), *(len(line.get("assignment", "")) for line in lines)])
    yield f"{'student':<{who}}  {'assignment':<{what}}  {'score':>11}  remarks"
    for line in lines:
        points = f"{line['score']} / {line['max_score']}" if line.get("score") else "-"
        if line.get("late_penalty", "0") not in ("0", ""):
            points += f" -{line['late_penalty']}"
        remarks = [line.get(name, "") for name in ("error", "mistakes", "flags", "note")]
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
