"""What a dry run says to its student, and which file it is of: the running notebook's, or the one that is named."""

import argparse
import contextlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from autograder.kit import course
from autograder.kit.dry_run import RUNNING, Report, dry_run
from autograder.kit.dry_run_steps import NoNotebook, read
from autograder.kit.history import shell, unsaved
from autograder.kit.lines import fitting
from autograder.kit.progress import HANDED_IN, mark, summed


def main(arguments: list[str] | None = None) -> int:
    """Run the command `python kit/check.py NOTEBOOK`; return the exit status: 0, or 2 where it could not run."""
    parser = argparse.ArgumentParser(
        prog="python kit/check.py",
        description="Runs a notebook's file from the top as grading does, and says what it would get.",
    )
    parser.add_argument("notebook", type=Path, metavar="NOTEBOOK", help="work/…/NAME.ipynb")
    for stream in (sys.stdout, sys.stderr):  # a console of Windows may have no ✓
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="replace")  # pyright: ignore[reportAttributeAccessIssue]
    try:
        print(report_on(parser.parse_args(arguments).notebook))
    except NoNotebook as error:
        print(f"python kit/check.py: {error}", file=sys.stderr)
        return 2
    return 0


def report_on_own(notebook: str) -> None:
    """Print the report on the running notebook's saved file, or on the one that is named."""
    if os.environ.get(RUNNING):
        return
    try:
        with _own_file(notebook) as path:
            print(report_on(path), *([] if notebook else map(fitting, unsaved(path))), sep="\n")
    except NoNotebook as error:
        print(f"check_all: {error}")


@contextlib.contextmanager
def _own_file(notebook: str) -> Iterator[Path]:
    """Yield the file of the running notebook; raise NoNotebook where none is found."""
    named = [notebook, getattr(shell(), "user_ns", {}).get("__vsc_ipynb_file__"), os.environ.get("JPY_SESSION_NAME")]
    path = next((Path(name) for name in named if name and Path(name).is_file()), None)
    if notebook and path is None:
        raise NoNotebook(f"there is no file {notebook} in {Path.cwd()}")
    if path is None and "google.colab" in sys.modules:  # the notebook lies elsewhere: Colab gives what it shows
        from google.colab import _message  # pyright: ignore[reportMissingImports]

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "notebook.ipynb"
            path.write_text(json.dumps(_message.blocking_request("get_ipynb")["ipynb"]), encoding="utf-8")
            yield path
        return
    yield path or _newest(Path.cwd())


def _newest(folder: Path) -> Path:
    """Return the notebook of the course in a folder that was saved last."""
    for path in sorted(folder.glob("*.ipynb"), key=lambda path: -path.stat().st_mtime):
        with contextlib.suppress(NoNotebook):
            read(path)
            return path
    raise NoNotebook(f'there is no notebook of the course in {folder}: name the file, check_all("NAME.ipynb")')


def report_on(path: Path) -> str:
    """Return what a notebook's file would get; raise NoNotebook where it cannot be run."""
    report = dry_run(path)
    saved = datetime.fromtimestamp(path.stat().st_mtime).strftime("%H:%M on %d %B")
    head = f"{path.name}, as it was saved at {saved}, run from the top as grading does (with other inputs there):"
    parts = course.parts(report.name)
    scores = {
        name: HANDED_IN if about.get("open") and about["score"] else min(about["score"], parts[name].points)
        for name, about in report.verdicts.items()
    }
    rows = [_row(part, report, scores) for part in parts.values()]
    cells = [f"cell {number} stopped: {text}" for number, text in sorted(report.stopped.items()) if _is_cause(text)]
    lacks = dict.fromkeys(line for about in report.verdicts.values() for line in about["lacking"])
    notes = [f"  {note}" for note in [*cells, *report.notes, *lacks]]
    return fitting("\n".join([head, "", *rows, "", *notes, *([""] if notes else []), *_sums(parts, report, scores)]))


def _is_cause(error: str) -> bool:
    """Return whether it is more than the echo of a part that is not written or not defined."""
    return not error.startswith(("NotImplementedError", "NameError"))


def _row(part: course.Part, report: Report, scores: dict[str, float]) -> str:
    """Return a line on one part: a sign, its place and name, its points, and why it has no more."""
    title = f"{part.place:10} {part.name:28}"
    if part.written:
        sign, words = ("✓", "answered") if part.name in report.answered else ("–", "no answer yet")
        return f"  {sign} {title} {words}; {part.points:g} points by your teacher"
    begins, score = f"  {mark([part], scores)} {title}", scores.get(part.name, 0)
    if score == HANDED_IN:
        return f"{begins} handed in; {part.points:g} points if it is right, which only grading says"
    hint = report.verdicts.get(part.name, {"hint": "It was not run."})["hint"]
    why = "" if score == part.points else f": {_reason(part, hint, report)}"
    return f"{begins} {score:g} of {part.points:g}{why}"


def _reason(part: course.Part, hint: str, report: Report) -> str:
    """Return in one line why a part lost points: the cell that stopped, else what the check says first."""
    cell = report.answers.get(part.name, 0)
    if cell in report.stopped:
        return f"cell {cell} stopped: {report.stopped[cell]}"
    first, *lines = hint.splitlines()
    failed = next((line for line in lines if line.startswith("  ✗")), "")
    said = re.sub(r"^  ✗ (?:.*\(\d+\)|everything): ", "", failed) or first.partition("points.")[2] or first
    return said.strip()


def _sums(parts: dict[str, course.Part], report: Report, scores: dict[str, float]) -> list[str]:
    """Return the points, and what is to be done with the file."""
    line = summed((part, scores.get(name, 0.0)) for name, part in parts.items())
    written = sum(part.points for part in parts.values() if part.written)
    line += f"; up to {written:g} by your teacher" if written else ""
    done = {name for name, score in scores.items() if score in (parts[name].points, HANDED_IN)} | report.answered
    left = [name for name, part in parts.items() if not part.stars and name not in done]
    return [f"{line}.", f"Open: {', '.join(left)}." if left else "Nothing is open: hand this file in."]
