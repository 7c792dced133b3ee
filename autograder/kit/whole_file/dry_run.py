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
from pathlib import Path
from typing import IO, Any

from autograder.kit import course
from autograder.kit.shown.history import shell, unsaved
from autograder.kit.shown.lines import console_takes_all, fitting
from autograder.kit.whole_file.dry_run_report import Report, as_dict, as_table, as_text, has_all
from autograder.kit.whole_file.dry_run_steps import NoNotebook, Step, read, steps, texts

CELL_SECONDS, OWN_SECONDS, PATIENCE = 10.0, 60.0, 5.0  # those of grading: judge/timing.py, whose test compares them
WORKER = "from autograder.kit.whole_file.dry_run_worker import main; main()"
MOST_RUNS = 5  # a step that ends its process is left out, and all others are run again
RUNNING = "ATTENTION_DRY_RUN"  # set in the process that runs the cells, which must not start another one
UNANSWERED = "YOUR ANSWER HERE"


def dry_run(path: Path) -> Report:
    """Run a notebook file as grading does; raise NoNotebook if it is missing or not of this kit."""
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
        hint = f"{step.check}: {why}"
        report.verdicts[step.check] = {"score": 0, "hint": hint, "reason": hint, "lacking": []}
    else:
        report.stopped[step.number] = why


def _run(name: str, todo: list[tuple[int, Step]], report: Report) -> tuple[int, str] | None:
    """Run steps in a new process; return the place of the step that ended it, and the reason; None if none did."""
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
    """Yield the replies of a process that works on a job, a line each, and the file with its complaints."""
    settings = {"OMP_NUM_THREADS": "1", "MPLBACKEND": "agg", "CUDA_VISIBLE_DEVICES": "", "PYTHONHASHSEED": "0"}
    settings |= {"PYTHONPATH": str(course.KIT), "PYTHONSAFEPATH": "1", RUNNING: "1", "PYTHONUTF8": "1"}
    settings["PYTHONIOENCODING"] = "utf-8"  # it counts before UTF8, where somebody has set it
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
    """Note the missing names whose defining cell stands further down."""
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
    """Run the command `python kit/check.py NOTEBOOK`; return the exit status.

    It is 0 with all core points of the checks, 1 if some are lost, 2 if the file could not be run.
    """
    parser = argparse.ArgumentParser(
        prog="python kit/check.py",
        description="Runs a notebook's file from the top as grading does, and says what it would get.",
        epilog="Exit status: 0 all core points of the checks, 1 some are lost, 2 the file could not be run. "
        "Where $GITHUB_STEP_SUMMARY names a file, a table of the parts is added to it.",
    )
    parser.add_argument("notebook", type=Path, metavar="NOTEBOOK", help="work/…/NAME.ipynb")
    parser.add_argument("--json", action="store_true", help="print one line of JSON instead of the report")
    console_takes_all()
    given = parser.parse_args(arguments)
    try:
        report = dry_run(given.notebook)
    except NoNotebook as error:
        if given.json:
            print(json.dumps({"notebook": given.notebook.name, "error": str(error)}))
        print(f"python kit/check.py: {error}", file=sys.stderr)
        return 2
    print(json.dumps(as_dict(report, given.notebook)) if given.json else as_text(report, given.notebook))
    _add_to_summary(as_table(report, given.notebook))
    return 0 if has_all(report) else 1


def _add_to_summary(table: str) -> None:
    """Add a table to GitHub's page of a run, where there is one."""
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if not place:
        return
    try:
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(table)
    except OSError as error:
        print(f"python kit/check.py: no table in $GITHUB_STEP_SUMMARY: {error}", file=sys.stderr)


def report_on_own(notebook: str) -> None:
    """Print the report on the running notebook's saved file, or on the one named."""
    if os.environ.get(RUNNING):
        return
    try:
        with _own_file(notebook) as path:
            print(as_text(dry_run(path), path), *([] if notebook else map(fitting, unsaved(path))), sep="\n")
    except NoNotebook as error:
        print(f"check_all: {error}")


@contextlib.contextmanager
def _own_file(notebook: str) -> Iterator[Path]:
    """Yield the file of the running notebook; raise NoNotebook where none is found."""
    named = [notebook, getattr(shell(), "user_ns", {}).get("__vsc_ipynb_file__"), os.environ.get("JPY_SESSION_NAME")]
    path = next((Path(name) for name in named if name and Path(name).is_file()), None)
    if notebook and path is None:
        raise NoNotebook(f"there is no file {notebook} in {Path.cwd()}")
    if path is None and "google.colab" in sys.modules:  # the file lies elsewhere: Colab hands over its content
        from google.colab import _message  # pyright: ignore[reportMissingImports]

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "notebook.ipynb"
            path.write_text(json.dumps(_message.blocking_request("get_ipynb")["ipynb"]), encoding="utf-8")
            yield path
        return
    yield path or _newest(Path.cwd())


def _newest(folder: Path) -> Path:
    """Return the last saved notebook of the course in a folder."""
    for path in sorted(folder.glob("*.ipynb"), key=lambda path: -path.stat().st_mtime):
        with contextlib.suppress(NoNotebook):
            read(path)
            return path
    raise NoNotebook(f'there is no notebook of the course in {folder}: name the file, check_all("NAME.ipynb")')
