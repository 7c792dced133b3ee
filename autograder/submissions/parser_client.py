"""Client of the parser process: student text is parsed in a separate process, with limits on CPU time and memory.

`assignment`, `is_unwritten`, `submission`, `analysis` and `fingerprints` send requests to that process
(parser_process.py) and return plain values. It is started on first use, restarted after a failure, and ends with the
process that started it. Pebble was tried in its place: it unpickles what comes from a process that read a student's
bytes, hands it the environment, and leaves semaphores where a judge is killed, of which each run ends with a warning.
"""

import atexit
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.assignment import Template
from autograder.kit.verdict.repair import Repair
from autograder.places import HOME
from autograder.submissions.fingerprint import Fingerprint
from autograder.submissions.parse_untrusted import MOST_SECONDS, Unreadable

ANALYSIS_SECONDS = 5  # of CPU time, for work on which no points depend: flags, similarity
CLOCK_FACTOR = 3  # wall-clock seconds for each CPU second: the machine may be loaded
START_SECONDS = 60
PROGRAM = (
    f"import sys; sys.path.insert(0, {str(HOME)!r}); from autograder.submissions.parser_process import main; main()"
)
TOO_COSTLY = "take too long or too much memory to read"
NOT_ANALYSED = "its code could not be looked through in time"


class LimitExceeded(Exception):
    """The parser process exceeded its limit of time or memory, or died."""


class ParserClient:
    """The parser process and the connection to it; a lock lets one thread at a time send a request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._has_answered = False

    def start(self) -> Connection:
        """Start the process if it is not running; return the connection to it, which may not be ready yet."""
        if self._connection and self._process and self._process.poll() is None:
            return self._connection
        self.stop()
        own_end, child_end = socket.socketpair()
        self._connection = Connection(own_end.detach())
        with child_end:
            # A separate session, so that Ctrl-C at the terminal does not reach it.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", PROGRAM],
                stdin=child_end.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={},
                start_new_session=True,
            )
        self._has_answered = False
        return self._connection

    def stop(self) -> int | None:
        """End the process; return its exit status if it had ended by itself within a second, else None."""
        exit_status = None
        if self._connection:
            self._connection.close()
        if self._process:
            try:
                exit_status = self._process.wait(1)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = self._connection = None
        return exit_status

    def ask(self, operation: str, cpu_seconds: int, **arguments: Any) -> Any:
        """Return the answer to one request, a JSON value; raise LimitExceeded if it takes more than `cpu_seconds`.

        Raise Unreadable if a submission cannot be read. If a process dies that has answered before, the request is sent
        once more to a fresh one.
        """
        with self._lock:
            while True:
                connection, has_answered = self.start(), self._has_answered
                _limit_waiting(connection, CLOCK_FACTOR * cpu_seconds + (0 if has_answered else START_SECONDS))
                try:
                    connection.send((operation, cpu_seconds, arguments))
                    answer = json.loads(connection.recv_bytes())
                except (OSError, EOFError) as error:
                    exit_status = self.stop()
                    if isinstance(error, BlockingIOError) or exit_status == -signal.SIGXCPU or not has_answered:
                        raise LimitExceeded from None
                except BaseException:  # an interrupt: the late answer must not be taken for the next
                    self.stop()
                    raise
                else:
                    self._has_answered = True
                    if "refused" in answer:
                        raise Unreadable(answer["refused"])
                    return answer["answer"]


def _limit_waiting(connection: Connection, seconds: int) -> None:
    """Let each reading and each writing that moves no byte in this time raise BlockingIOError."""
    with socket.socket(fileno=os.dup(connection.fileno())) as same:
        for direction in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
            same.setsockopt(socket.SOL_SOCKET, direction, struct.pack("ll", max(1, seconds), 0))


@cache
def _client(pid: int) -> ParserClient:
    client = ParserClient()
    atexit.register(client.stop)
    return client


def client() -> ParserClient:
    """Return this process's client; one that was inherited through a fork belongs to the parent."""
    return _client(os.getpid())


def _read(operation: str, content: bytes, **arguments: Any) -> Any:
    try:
        return client().ask(operation, MOST_SECONDS, content=content, **arguments)
    except LimitExceeded:
        size = f"{len(content) >> 20} MB" if len(content) >> 20 else f"{len(content) >> 10} KB"
        raise Unreadable(
            f"its {size} {TOO_COSTLY}, at most {MOST_SECONDS} seconds and 1 GB are given; "
            "clear the outputs, load data from files, and hand it in again"
        ) from None


def assignment(content: bytes, known: list[str]) -> str | None:
    """Return the assignment in a notebook file, None unless it is one of `known`; raise Unreadable."""
    return _read("assignment", content, known=known)


def is_unwritten(content: bytes, template: Template) -> bool:
    """Return whether a notebook holds no answer; raise Unreadable where it cannot be read."""
    return _read("unwritten", content, name=template.assignment, template=_json(template))


@dataclass(frozen=True)
class Submission:
    """A normalised notebook, and the bytes that are judged and kept: the file, or a large one without its outputs."""

    notebook: NotebookNode
    content: bytes


def submission(content: bytes, template: Template, known: list[str]) -> Submission:
    """Return a student's normalised notebook for the template's assignment; raise Unreadable where that fails."""
    answer = _read("submission", content, name=template.assignment, template=_json(template), known=known)
    kept = answer["kept"]
    notebook: Any = nbformat.from_dict(answer["notebook"])
    return Submission(notebook, content if kept is None else kept.encode("utf-8"))


@dataclass(frozen=True)
class Analysis:
    """The static analysis of a notebook's code cells."""

    flags: list[str]
    defines: dict[str, list[str]]  # by the id of each cell to run: the checked functions that it would define
    repairs: dict[str, Repair]  # by name, of the broken functions to mend


def analysis(notebook: NotebookNode, template: Template, broken: dict[str, str]) -> Analysis:
    """Return the static analysis of a normalised notebook; where it takes too long, one flag that says so.

    `broken` is the source of each broken function, by its repair's name.
    """
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    request: dict[str, Any] = {"cells": json.dumps(cells), "functions": template.functions, "broken": broken}
    try:
        answer = client().ask("analysis", ANALYSIS_SECONDS, **request)
        repairs = {name: Repair(**repair) for name, repair in answer["repairs"].items()}
        return Analysis(answer["flags"], answer["defines"], repairs)
    except LimitExceeded:
        from autograder.submissions.static_analysis import may_be_run  # it imports the parsers

        repairs = dict.fromkeys(broken, Repair(complaint=f"{NOT_ANALYSED}: make the notebook's cells shorter."))
        return Analysis([NOT_ANALYSED], {cell.id: [] for cell in cells if may_be_run(cell)}, repairs)


def fingerprints(sources: list[str], functions: list[str]) -> dict[str, Fingerprint]:
    """Return the fingerprints of the functions that cells define, by name; {} where that takes too long."""
    request: dict[str, Any] = {"sources": sources, "functions": functions}
    try:
        answer = client().ask("fingerprints", ANALYSIS_SECONDS, **request)
    except LimitExceeded:
        return {}
    return {name: Fingerprint(**of) for name, of in answer.items()}


def _json(template: Template) -> str:
    return json.dumps(template.notebook)
