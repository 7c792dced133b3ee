"""The process in which a notebook's cells run for `dry_run.py`: a job comes on stdin, each step answers in JSON.

Nothing here needs Linux: a thread looks at the process's own clock and stops a cell; the interpreter's own watchdog
ends one that cannot be stopped, or waits for ever.
"""

import _thread
import contextlib
import faulthandler
import json
import os
import re
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any


class _OnlyKnown:
    """A finder that finds only the modules of grading, as if nothing else were installed."""

    def __init__(self, known: set[str], finder: Any) -> None:
        self.known, self.finder = known, finder

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        top = name.partition(".")[0]
        is_known = top in self.known or top.startswith("_")  # _sysconfigdata of the standard library
        return self.finder.find_spec(name, path, target) if is_known else None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.finder, name)


class _Clock:
    """Interrupts the main thread when a step computes for too long, and ends the process if it goes on."""

    def __init__(self, longest: float, nowhere: Any) -> None:
        self.longest, self.nowhere = longest, nowhere
        self.until: float | None = None
        self.over = False
        threading.Thread(target=self._watch, daemon=True).start()

    @contextlib.contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        self.over, self.until = False, time.process_time() + seconds
        faulthandler.dump_traceback_later(self.longest, exit=True, file=self.nowhere)
        try:
            yield
        finally:
            self.until = None
            faulthandler.cancel_dump_traceback_later()

    def _watch(self) -> None:
        while True:
            time.sleep(0.1)
            if self.until is not None and time.process_time() > self.until:
                self.until, self.over = None, True
                _thread.interrupt_main()


def main() -> None:
    """Work on the job."""
    job = json.loads(sys.stdin.readline())
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = Path(os.devnull).open("wb")  # noqa: SIM115 — for as long as the process lives
    os.dup2(nowhere.fileno(), 1)  # output of cells is no reply
    import torch
    from IPython.core.interactiveshell import InteractiveShell

    from autograder.kit import local  # noqa: F401 — loaded before any step, whose time it would take
    from autograder.kit.verdict.lacking import modules_of_grading

    torch.set_num_threads(1)
    torch.manual_seed(0)
    shell, clock = InteractiveShell.instance(), _Clock(job["longest"], nowhere)
    known = modules_of_grading()
    if known is not None:
        sys.meta_path[:] = [_OnlyKnown(known, finder) for finder in sys.meta_path]  # pyright: ignore[reportArgumentType]
    own_left = job["own_seconds"]
    for at, source, function, own in job["steps"]:
        print(json.dumps({"at": at}), file=replies, flush=True)
        began = time.monotonic()
        if function:
            reply = {"verdict": _checked(f"{job['name']}.{function}", shell.user_ns, clock, job["seconds"])}
        elif own and own_left <= 0:
            reply = {"error": f"not run: the cells that you added have {job['own_seconds']:g} seconds together."}
        else:
            reply = {"error": _ran(shell, source, clock, job["seconds"])}
        own_left -= time.monotonic() - began if own else 0
        print(json.dumps({"at": at, **reply}), file=replies, flush=True)
    print(json.dumps({"finished": True}), file=replies, flush=True)


def _ran(shell: Any, source: str, clock: _Clock, seconds: float) -> str:
    """Run a cell; return the error that stopped it, or ""."""
    try:
        with clock.limit(seconds):
            result = shell.run_cell(source)
    except KeyboardInterrupt:
        return _too_long(seconds)
    error = result.error_before_exec or result.error_in_exec
    if clock.over:
        return _too_long(seconds)
    text = re.sub(r"<ipython-input-[^>]*>, ", "", " ".join(str(error).split()))  # its own name for the cell
    return f"{type(error).__name__}: {text}"[:300] if error else ""


def _checked(check_id: str, namespace: dict, clock: _Clock, seconds: float) -> dict[str, Any]:
    """Return a check's result: score, hint, the reason for lost points, things that grading lacks or alone knows."""
    from autograder.kit.local import verdict_on
    from autograder.kit.shown.printed import Prints
    from autograder.kit.verdict.lacking import lacking

    function = check_id.partition(".")[2]
    try:
        with clock.limit(seconds):
            local = verdict_on(check_id, namespace, Prints())
    except KeyboardInterrupt:
        hint = f"{function}: {_too_long(seconds)}"
        return {"score": 0, "hint": hint, "reason": hint, "lacking": [], "open": False}
    return {
        "score": float(local.verdict.score),
        "hint": local.verdict.hint or "",
        "reason": local.verdict.first_failure,
        "lacking": lacking(function, namespace),
        "open": local.only_grading_knows,
    }


def _too_long(seconds: float) -> str:
    return f"too long: it may compute for {seconds:g} seconds. Is there an endless loop?"
