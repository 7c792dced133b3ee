"""A notebook's saved file, run anew from the top as grading runs it: `check_all()`, `python kit/check.py NOTEBOOK`.

A process of its own runs the cells (`dry_run_worker.py`): with the packages of grading, in an empty folder, each cell
for so long. The inputs are those that `release` recorded; grading draws others.
"""

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from autograder.kit import course
from autograder.kit.dry_run_steps import NoNotebook, Step, read, steps, texts
from autograder.kit.history import shell, unsaved
from autograder.kit.lines import fitting
from autograder.kit.progress import HANDED_IN, mark, summed

CELL_SECONDS, OWN_SECONDS, PATIENCE = 10.0, 60.0, 5.0  # those of grading: judge/timing.py, whose test compares them
WORKER = "from autograder.kit.dry_run_worker import main; main()"
MOST_RUNS = 5  # what ends its process is left out, and all others are run again
RUNNING = "ATTENTION_DRY_RUN"  # is set in the process that runs the cells: it starts no other one
UNANSWERED = "YOUR ANSWER HERE"


@dataclass
class Report:
    """What came of a run: of each check its score and hint, of each cell what stopped it."""

    name: str
    verdicts: dict[str, dict[str, Any]] = field(default_factory=dict)
    stopped: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    answered: set[str] = field(default_factory=set)  # the questions for a person
    answers: dict[str, int] = field(default_factory=dict)  # in which cell each function is defined


def dry_run(path: Path) -> Report:
    """Run a notebook file as grading does; raise NoNotebook where there is none."""
    name, cells = read(path)
    todo, notes, defined = steps(name, cells)
    report = Report(name, notes=notes, answers=defined)
    written = {part.name for part in course.parts(name).values() if part.written}
    answers = texts(name, cells)
    report.answered = {part for part in written if (text := answers.get(part, "").strip()) and UNANSWERED not in text}
    skipped: set[int] = set()  # places in `todo` that ended the process
    for _ in range(MOST_RUNS):
        ended = _run(name, [(i, step) for i, step in enumerate(todo) if i not in skipped], report)
        if ended is None:
            break
        place, why = ended
        skipped.add(place)
        _stop(todo[place], why, report)
    _say_what_is_below(todo, report)
    return report


def _stop(step: Step, why: str, report: Report) -> None:
    if step.check:
        report.verdicts[step.check] = {"score": 0, "hint": f"{step.check}: {why}", "lacking": []}
    else:
        report.stopped[step.number] = why


def _run(name: str, todo: list[tuple[int, Step]], report: Report) -> tuple[int, str] | None:
    """Run steps in a process of their own; return the place of the one that ended it, and why, None for none."""
    longest = PATIENCE * CELL_SECONDS
    job = {
        "name": name,
        "seconds": CELL_SECONDS,
        "longest": longest,
        "own_seconds": OWN_SECONDS,
        "steps": [[i, step.source, step.check, step.own] for i, step in todo],
    }
    by_place, place, began = dict(todo), None, 0.0
    with _process(job) as (replies, errors):
        for reply in map(json.loads, replies):
            if "finished" in reply:
                return None
            place, began = int(reply["at"]), time.monotonic()
            if "verdict" in reply:
                report.verdicts[by_place[place].check] = reply["verdict"]
            elif reply.get("error"):
                report.stopped[by_place[place].number] = reply["error"]
        if place is None:
            raise NoNotebook(f"the process that runs the cells did not start: {errors.read_text('utf-8')[-500:]}")
    is_late = time.monotonic() - began >= longest
    return place, f"too long: more than {longest:g} seconds." if is_late else "ended the process that runs it."


@contextlib.contextmanager
def _process(job: dict[str, Any]) -> Iterator[tuple[IO[bytes], Path]]:
    """Yield the replies of a process that works on a job, a line each, and the file of what it complains."""
    settings = {"OMP_NUM_THREADS": "1", "MPLBACKEND": "agg", "CUDA_VISIBLE_DEVICES": "", "PYTHONHASHSEED": "0"}
    settings |= {"PYTHONPATH": str(course.KIT), "PYTHONSAFEPATH": "1", RUNNING: "1", "PYTHONUTF8": "1"}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place, errors = Path(folder) / "empty", Path(folder) / "errors"
        place.mkdir()
        with errors.open("wb") as stderr:
            process = subprocess.Popen(
                [sys.executable, "-c", WORKER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=place,
                env={**os.environ, **settings},
            )
        assert process.stdin
        assert process.stdout
        try:
            with contextlib.suppress(OSError):  # it ended already
                process.stdin.write(json.dumps(job).encode("utf-8") + b"\n")
                process.stdin.close()
            yield process.stdout, errors
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def _say_what_is_below(todo: list[Step], report: Report) -> None:
    """Note the names that were missing because the cell that defines them stands further down."""
    errors = [(step.number, report.stopped.get(step.number, "")) for step in todo if not step.check]
    errors += [(s.number, report.verdicts[s.check]["hint"]) for s in todo if s.check in report.verdicts]
    for number, text in errors:
        for name in dict.fromkeys(re.findall(r"name '(\w+)' is not defined", text)):
            define = re.compile(rf"^(?:def|class) {name}\b|^{name}\s*=", re.MULTILINE)
            below = [step.number for step in todo if step.number > number and define.search(step.source)]
            if below:
                where = f"in cell {below[0]}, further down than cell {number}, which needs it"
                report.notes.append(f"{name} is defined {where}: grading runs from the top, so move it up.")
    report.notes = list(dict.fromkeys(report.notes))


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
