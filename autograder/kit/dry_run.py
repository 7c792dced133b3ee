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
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from autograder.kit import course
from autograder.kit.dry_run_steps import NoNotebook, Step, read, steps, texts

CELL_SECONDS, OWN_SECONDS, PATIENCE = 10.0, 60.0, 5.0  # those of grading: judge/timing.py, whose test compares them
START_SECONDS = 120.0  # torch may take its time to load
MOST_MEMORY = 3 << 30  # bytes of the process
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
    job = {
        "name": name,
        "seconds": CELL_SECONDS,
        "own_seconds": OWN_SECONDS,
        "steps": [[i, step.source, step.check, step.own] for i, step in todo],
    }
    at: int | None = None
    by_place = dict(todo)
    with _process(job) as (process, replies, errors):
        while True:
            reply = _next(process, replies, PATIENCE * CELL_SECONDS + (START_SECONDS if at is None else 0))
            if "finished" in reply:
                return None
            if "ended" in reply:
                if at is None:
                    raise NoNotebook(
                        f"the process that runs the cells did not start: {errors.read_text('utf-8')[-500:]}"
                    )
                return at, reply["ended"]
            at = place = int(reply["at"])
            if "verdict" in reply:
                report.verdicts[by_place[place].check] = reply["verdict"]
            elif reply.get("error"):
                report.stopped[by_place[place].number] = reply["error"]


def _next(process: subprocess.Popen[bytes], replies: Queue, seconds: float) -> dict[str, Any]:
    """Return the next reply of a process, or what ended it: the time, its memory, itself."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with contextlib.suppress(Empty):
            reply = replies.get(timeout=0.2)
            return {"ended": "ended the process that runs it."} if reply is None else reply
        if _memory(process.pid) > MOST_MEMORY:
            return {"ended": f"takes more than {MOST_MEMORY >> 30} GB of memory."}
    return {"ended": f"too long: more than {PATIENCE * CELL_SECONDS:g} seconds."}


@contextlib.contextmanager
def _process(job: dict[str, Any]) -> Iterator[tuple[subprocess.Popen[bytes], Queue, Path]]:
    """Yield a process that works on a job, its replies as they come, None when it has ended, and what it complains."""
    replies: Queue = Queue()
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
        reader = threading.Thread(target=_read_replies, args=(process.stdout, replies), daemon=True)
        reader.start()
        try:
            with contextlib.suppress(OSError):  # it ended already
                process.stdin.write(json.dumps(job).encode("utf-8") + b"\n")
                process.stdin.close()
            yield process, replies, errors
        finally:
            process.kill()
            process.wait()
            reader.join()
            process.stdout.close()


def _read_replies(stream: Any, replies: Queue) -> None:
    for line in stream:
        with contextlib.suppress(ValueError):
            replies.put(json.loads(line))
    replies.put(None)


def _memory(pid: int) -> int:
    """Return the bytes that a process holds, 0 where that cannot be told."""
    try:
        import psutil  # ipykernel brings it

        return psutil.Process(pid).memory_info().rss
    except Exception:
        return 0


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
