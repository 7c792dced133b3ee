"""Whether a notebook answers alike in every run: its cells run again in fresh workers, on the same inputs.

What a run leaves to chance, a coin thrown at its start by the clock or the system's random numbers, shows in no single
run, and gives equal files different scores.
"""

import io
import re
import time
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.judge.caller import Student
from autograder.judge.session import Limits, Session
from autograder.kit.answer import Answer, Call
from autograder.sandbox.sandbox import Sandbox

DIFFERS = "two runs of this notebook gave different answers"
AGAIN = 10  # further runs at most, up to the first that differs; a coin shows in all but one of 1,024
# Words without which a cell has nothing to draw from that is not the same in every run: clocks, the system's random
# numbers, addresses, memory that is not set, files, other threads and processes, and names put together while it runs.
# What is seeded with a number that stands there, as in torch.manual_seed(0), is the same in every run.
CHANCE = re.compile(
    r"""\b(\w*time|datetime|date|perf_counter\w*|monotonic\w*|clock\w*|tqdm|sleep
    |\w*random\w*|\w*seed\w*\b(?!\s*\(\s*\d+\s*\))|default_rng|Generator|secrets|uuid\w*|id|hash|repr|object|\w*empty\w*|gc|weakref
    |os|io|open|pathlib|Path|stat|tempfile|shutil|ctypes|threading|_thread|concurrent|asyncio|await|signal|socket
    |multiprocessing|subprocess|psutil|resource|exec|eval|compile|getattr|vars|globals|locals|import_module
    |__(?!init|call|name|len|getitem|future)\w+__)\b|^\s*[%!]""",
    re.MULTILINE | re.VERBOSE,
)
LONGEST_READ = 50_000  # characters of a cell that is read word by word, in milliseconds
PLAIN = re.compile(r"[rRuUbB]*['\"]")  # a string in which nothing is computed
BEFORE_STATEMENT = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
SECONDS = 15.0  # for all further runs together
TOLERANCE = 1e-5


@dataclass
class FirstCalls:
    """A student's functions as a check calls them; the first call of each case is kept, so that it can be repeated."""

    caller: Student
    function: str
    cases: int
    calls: list[tuple[list[Any], Answer]] = field(default_factory=list)

    def __call__(self, function: str, arguments: list[Any], cotangents: list[Any] | None = None) -> Answer:
        answer = self.caller(function, arguments, cotangents)
        return answer if cotangents is not None else self._kept(arguments, answer)

    def measured(self, function: str, arguments: list[Any], most: int) -> Answer:
        """Return the answer to a call that may take so many bytes; what it answered is kept, whatever it took."""
        return self._kept(arguments, self.caller.measured(function, arguments, most))

    def _kept(self, arguments: list[Any], answer: Answer) -> Answer:
        if len(self.calls) < self.cases:
            self.calls.append((arguments, answer))
        return answer

    def together(self, function: str, calls: list[Call]) -> list[Answer]:
        """Return the answers to calls made at one request; those to first ones are kept."""
        answers = self.caller.together(function, calls)
        for call, answer in zip(calls, answers, strict=True):
            if call.cotangents is None and call.again is None:
                self._kept(call.arguments, answer)
        return answers


def may_differ(sources: Iterable[str]) -> bool:
    """Return whether something in a student's cells may differ from run to run."""
    return any(CHANCE.search(source) and CHANCE.search(without_prose(source)) for source in sources)


def without_prose(source: str) -> str:
    """Return a cell without comments and docstrings, which people write about time and chance; as it is if not Python.

    Cut by Python's own reader: a sign # within a string begins no comment, and \\r ends a line.
    """
    if len(source) > LONGEST_READ:
        return source
    kept, last = [], tokenize.NEWLINE
    try:
        for token in tokenize.generate_tokens(io.StringIO(source, newline=None).readline):
            prose = token.type == tokenize.STRING and last in BEFORE_STATEMENT and PLAIN.match(token.string)
            if not (prose or token.type == tokenize.COMMENT):
                kept.append(token)
            last = last if token.type in (tokenize.COMMENT, tokenize.NL) else token.type
        return tokenize.untokenize((token.type, token.string) for token in kept)
    except (tokenize.TokenError, SyntaxError, ValueError):
        return source


def differing(wall: Sandbox, limits: Limits, events: list[str | FirstCalls], until: float) -> list[str]:
    """Return the functions that answered otherwise when the cells and first calls were run again, in their order."""
    until = min(until, time.monotonic() + SECONDS)
    other: dict[str, None] = {}
    for _ in range(AGAIN):
        if other or time.monotonic() >= until:
            break
        with Session(wall, limits, until=until) as session:
            other |= dict.fromkeys(_otherwise(session, events))
    return list(other)


def _otherwise(session: Session, events: list[str | FirstCalls]) -> Iterator[str]:
    """Yield the functions that answer otherwise in this run, as far as it comes in its time."""
    for number, event in enumerate(events):
        if isinstance(event, FirstCalls):
            if not _alike(session, event):
                yield event.function
            continue
        session.run(event, shown=False)
        if len(session.ran) < sum(isinstance(one, str) for one in events[: number + 1]):
            return  # it was stopped, as it was not the first time: nothing below it can be compared


def _alike(session: Session, first: FirstCalls) -> bool:
    session.begin_check()
    calls = [Call(arguments) for arguments, _ in first.calls]
    again = session.together(first.function, calls, first.caller.adapter)
    if session.trouble and session.trouble.kind != "died":  # it took longer: that says nothing of its numbers
        return True
    return all(_same(answer, other) for (_, answer), other in zip(first.calls, again, strict=True))


def _same(one: Answer, other: Answer) -> bool:
    if one.outputs is None or other.outputs is None:
        return one.outputs is None and other.outputs is None
    pairs = list(zip(one.outputs, other.outputs, strict=False))
    return len(one.outputs) == len(other.outputs) and all(
        a.shape == b.shape and np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True) for a, b in pairs
    )
