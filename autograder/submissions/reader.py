"""The process that parses what students wrote (see limited.py): it holds to its limits, and answers with plain JSON."""

import json
import pickle
import resource
import signal
import socket
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import nbformat

from autograder.assignment import Template
from autograder.submissions import looking, normalise, shape
from autograder.submissions.limited import LENGTH
from autograder.submissions.notebook import parse
from autograder.submissions.parse_untrusted import LARGEST_KEPT, Unreadable, plain, without_outputs

MOST_MEMORY = 1 << 30
STALE = 500 << 20  # bytes that it still takes after an answer: then a fresh process serves better


@lru_cache(maxsize=32)
def _form(name: str, text: str) -> Template:
    return Template(name, nbformat.from_dict(json.loads(text)))  # pyright: ignore[reportArgumentType]


def assignment(content: bytes, known: list[str]) -> dict[str, Any]:
    """Return which assignment a notebook says it is."""
    return {"assignment": normalise.assignment_of(parse(content), known)}


def submission(content: bytes, name: str, form: str, known: list[str]) -> dict[str, Any]:
    """Return the normalised notebook; of one too large to be kept as it is, what is kept and judged in its place."""
    kept = None
    if len(content) > LARGEST_KEPT:
        content = without_outputs(plain(content))
        kept = content.decode("utf-8")
    return {"notebook": normalise.submission(content, _form(name, form), known), "kept": kept}


def looked(cells: str, functions: list[str]) -> dict[str, Any]:
    """Return what the sources of a notebook say before anything runs."""
    return looking.look([nbformat.from_dict(cell) for cell in json.loads(cells)], functions)  # pyright: ignore


def shapes(sources: dict[str, str]) -> dict[str, Any]:
    """Return the shapes of solution cells by name."""
    made = {name: shape.shape(source) for name, source in sources.items()}
    return {name: asdict(of) for name, of in made.items() if of}


OPERATIONS: dict[str, Callable[..., dict[str, Any]]] = {
    "assignment": assignment,
    "submission": submission,
    "looked": looked,
    "shapes": shapes,
}


def _answer(operation: str, seconds: int, given: dict[str, Any]) -> bytes:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    most = int(usage.ru_utime + usage.ru_stime) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
    try:
        answer = OPERATIONS[operation](**given)
    except Unreadable as error:
        answer = {"refused": str(error)}
    return json.dumps(answer).encode("utf-8")


def _received(link: socket.socket, size: int) -> bytearray:
    content = bytearray()
    while len(content) < size:
        more = link.recv(min(1 << 20, size - len(content)))
        if not more:
            raise SystemExit  # whoever asks has gone
        content += more
    return content


def _size() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def main() -> None:
    """Serve the socket that is standard input until it is closed."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    link = socket.socket(fileno=0)
    while True:
        answer = _answer(*pickle.loads(_received(link, LENGTH.unpack(_received(link, LENGTH.size))[0])))
        link.sendall(LENGTH.pack(len(answer)) + answer)
        if _size() > STALE:
            return
