"""A notebook's saved file, run anew from the top as grading runs it: `check_all()`, `python kit/check.py NOTEBOOK`.

A process of its own runs the cells (`dry_run_worker.py`): with the packages of grading, in an empty folder, each cell
for so long. The inputs are those that `release` recorded; grading draws others.
"""

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
from pathlib import Path
from typing import IO, Any

from autograder.kit import course
from autograder.kit.dry_run_steps import NoNotebook, Step, read, steps, texts

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
