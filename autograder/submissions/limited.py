"""What parses a student's text does it in a process of its own, with limits of processor time and memory.

`assignment`, `submission`, `looked` and `shapes` ask that process (reader.py) and get plain values back. It is started
when it is first needed, and again after it has failed; it goes with the process that asks it.
"""

import atexit
import json
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from functools import cache
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.assignment import Template
from autograder.places import ROOT
from autograder.submissions.parse_untrusted import MOST_SECONDS, Unreadable
from autograder.submissions.shape import Shape

LOOK_SECONDS = 5  # of processor time, for what no points hang on: flags, likeness
PATIENCE = 3  # times those seconds by the clock: on a loaded machine others want the processor too
START_SECONDS = 60
LENGTH = struct.Struct("!Q")
PROGRAM = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from autograder.submissions.reader import main; main()"
NOT_LOOKED_AT = "its code could not be looked through in time"


class Exceeded(Exception):
    """The process took more time or memory than it may, or died."""


class Reader:
    """The process with limits and the way to it; threads take turns."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._link: socket.socket | None = None
        self._answers = 0

    def start(self) -> None:
        """Start the process if it does not run, and do not wait for it."""
        if self._process is not None and self._process.poll() is None:
            return
        self.stop()
        self._link, theirs = socket.socketpair()
        with theirs:
            # Isolated, and in a session of its own: an interrupt at the terminal is not meant for it.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", PROGRAM],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={},
                start_new_session=True,
            )
        self._answers = 0

    def stop(self) -> int | None:
        """End the process; return its exit status if it had ended by itself."""
        ended = None
        if self._link:
            self._link.close()
        if self._process:
            try:
                ended = self._process.wait(1)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = self._link = None
        return ended

    def ask(self, operation: str, seconds: int, **given: Any) -> Any:
        """Return the answer; a process that dies after it had served others is tried once more, afresh."""
        request = pickle.dumps((operation, seconds, given))
        with self._lock:
            while True:
                self.start()
                served = self._answers > 0
                try:
                    return self._answer(request, seconds)
                except OSError as error:
                    ended = self.stop()
                    if isinstance(error, TimeoutError) or ended == -signal.SIGXCPU or not served:
                        raise Exceeded from None
                except BaseException:  # an interrupt: what it answers later is no answer to the next question
                    self.stop()
                    raise

    def _answer(self, request: bytes, seconds: int) -> Any:
        assert self._link
        until = time.monotonic() + PATIENCE * seconds + (0 if self._answers else START_SECONDS)
        self._link.settimeout(PATIENCE * seconds + START_SECONDS)
        self._link.sendall(LENGTH.pack(len(request)) + request)
        answer = json.loads(self._read(LENGTH.unpack(self._read(LENGTH.size, until))[0], until))
        self._answers += 1
        return answer

    def _read(self, size: int, until: float) -> bytes:
        assert self._link
        content = bytearray()
        while len(content) < size:
            self._link.settimeout(max(0.01, until - time.monotonic()))
            more = self._link.recv(min(1 << 20, size - len(content)))
            if not more:
                raise ConnectionError
            content += more
        return bytes(content)


@cache
def _reader(pid: int) -> Reader:
    reader = Reader()
    atexit.register(reader.stop)
    return reader


def reader() -> Reader:
    """Return this process's reader; one that was inherited through a fork is another process's."""
    return _reader(os.getpid())


def _read(operation: str, content: bytes, **given: Any) -> Any:
    try:
        answer = reader().ask(operation, MOST_SECONDS, content=content, **given)
    except Exceeded:
        size = f"{len(content) >> 20} MB" if len(content) >> 20 else f"{len(content) >> 10} KB"
        raise Unreadable(
            f"its {size} take too long or too much memory to read, at most {MOST_SECONDS} seconds and 1 GB are given; "
            "clear the outputs, load data from files, and hand it in again"
        ) from None
    if "refused" in answer:
        raise Unreadable(answer["refused"])
    return answer


def assignment(content: bytes, known: list[str]) -> str | None:
    """Return which assignment the notebook in these bytes says it is; raise Unreadable where it is none."""
    return _read("assignment", content, known=known)["assignment"]


@dataclass(frozen=True)
class Submission:
    """A normalised notebook, and the bytes that it is judged and kept by."""

    notebook: NotebookNode
    content: bytes


def submission(content: bytes, form: Template, known: list[str]) -> Submission:
    """Return what a student handed in for an assignment, normalised; raise Unreadable where it cannot be read."""
    answer = _read("submission", content, name=form.assignment, form=_text(form), known=known)
    kept = answer["kept"]
    notebook: Any = nbformat.from_dict(answer["notebook"])
    return Submission(notebook, content if kept is None else kept.encode("utf-8"))


@dataclass(frozen=True)
class Looked:
    """What the sources of a notebook say before anything runs."""

    flags: list[str]
    wanted: dict[str, list[str]]  # by the id of each cell that is run, the checked functions that it would define


def looked(notebook: NotebookNode, form: Template) -> Looked:
    """Return what is to be known of a normalised notebook's cells; where that takes too long, a flag says so."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    try:
        return Looked(**reader().ask("looked", LOOK_SECONDS, cells=json.dumps(cells), functions=form.functions))
    except Exceeded:
        from autograder.submissions.looking import may_run  # it imports what parses

        return Looked([NOT_LOOKED_AT], {cell.id: [] for cell in cells if may_run(cell)})


def shapes(sources: dict[str, str]) -> dict[str, Shape]:
    """Return the shapes of a notebook's solution cells, by name; none where that takes too long."""
    try:
        return {name: Shape(**of) for name, of in reader().ask("shapes", LOOK_SECONDS, sources=sources).items()}
    except Exceeded:
        return {}


def _text(form: Template) -> str:
    return json.dumps(form.notebook)
