"""The process that parses students' text, within limits of CPU time and memory; parser_client.py is its client."""

import contextlib
import json
import resource
import signal
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import nbformat

from autograder.assignment import Template
from autograder.submissions import fingerprint, normalise, static_analysis
from autograder.submissions.notebook import parse
from autograder.submissions.parse_untrusted import LARGEST_KEPT, Unreadable, parse_cells, without_outputs

MOST_MEMORY = 1 << 30
RESTART_ABOVE = 500 << 20  # bytes still in use after an answer: the process ends, and a fresh one takes its place


@lru_cache(maxsize=32)
def _template(name: str, text: str) -> Template:
    return Template(name, nbformat.from_dict(json.loads(text)))  # pyright: ignore[reportArgumentType]


def submission(content: bytes, name: str, template: str, known: list[str]) -> dict[str, Any]:
    """Return {"notebook": the normalised notebook, "kept": None, or the text to keep of a too large file}."""
    kept = None
    if len(content) > LARGEST_KEPT:
        content = without_outputs(parse_cells(content))
        kept = content.decode("utf-8")
    return {"notebook": normalise.submission(content, _template(name, template), known), "kept": kept}


def analysis(cells: str, functions: list[str], broken: dict[str, str]) -> dict[str, Any]:
    """Return the fields of `parser_client.Analysis` for a list of cells in JSON."""
    parsed: list[Any] = [nbformat.from_dict(cell) for cell in json.loads(cells)]
    return static_analysis.analyse(parsed, functions, broken)


def fingerprints(sources: list[str], functions: list[str]) -> dict[str, Any]:
    """Return the fields of a `Fingerprint` for each of the functions that the cells define."""
    return {name: asdict(of) for name, of in fingerprint.fingerprints(sources, functions).items()}


OPERATIONS: dict[str, Callable[..., Any]] = {
    "assignment": lambda content, known: normalise.assignment_of(parse(content), known),
    "unwritten": lambda content, name, template: normalise.is_unwritten(content, _template(name, template)),
    "submission": submission,
    "analysis": analysis,
    "fingerprints": fingerprints,
}


def _answer(operation: str, cpu_seconds: int, arguments: dict[str, Any]) -> bytes:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    total_seconds = int(usage.ru_utime + usage.ru_stime) + 1 + cpu_seconds
    resource.setrlimit(resource.RLIMIT_CPU, (total_seconds, resource.RLIM_INFINITY))
    try:
        answer = {"answer": OPERATIONS[operation](**arguments)}
    except Unreadable as error:
        answer = {"refused": str(error)}
    return json.dumps(answer).encode("utf-8")


def _memory_used() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def main() -> None:
    """Answer requests on the connection that is standard input until it is closed."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = Connection(0)
    with contextlib.suppress(EOFError, OSError):  # the client has ended
        while _memory_used() <= RESTART_ABOVE:
            connection.send_bytes(_answer(*connection.recv()))
