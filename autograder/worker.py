"""The trusted end of a worker: it asks, waits no longer than it said, and believes values only."""

import math
import secrets
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from autograder.customs import clean_answer, clean_outputs, failure
from autograder.kit import wire
from autograder.kit.answers import Answer
from autograder.kit.proxy import MOST_BODY, MOST_HEADER
from autograder.wall import Wall

if TYPE_CHECKING:
    from autograder.earlier import Earlier

ENDED = "the code ended the Python process (exit, a crash in native code, or too much memory)"
FALLS = 3  # so often a sandbox that fell is built again for one request


@dataclass(frozen=True)
class Most:
    """The largest frame that a worker may send: bytes of text, and of arrays."""

    header: int
    body: int


READY = Most(100, 0)
CELL = Most(5 << 20, 0)  # a cell's outputs are text: a million characters of up to four bytes, and what frames them
CALL = Most(1 << 20, 16 << 20)  # a call's are arrays: what a check gave, its gradients and the outputs are far less
ASKING = Most(max(CELL.header, MOST_HEADER), max(CALL.body, MOST_BODY))  # either, or a question for an earlier function


@dataclass(frozen=True)
class Limits:
    """Seconds that a notebook may take."""

    cell: float = 10.0
    check: float = 10.0
    notebook: float = 60.0
    grace: float = 1.0  # after an interrupt, before the kill


class Dead(Exception):
    """The worker is gone; says why, in words for the student."""


class Fallen(Exception):
    """The sandbox fell, and the worker with it: the grader's misfortune, not the student's doing."""


class Late(Exception):
    """The request was interrupted at its deadline; the worker lives."""


class Worker:
    """One worker behind the wall."""

    def __init__(self, wall: Wall, limits: Limits, earlier: "Earlier | None" = None) -> None:
        self.grace = limits.grace
        self.earlier = earlier
        self.asked = 0
        self.job = wall.enter(cpu_seconds=10 + 2 * math.ceil(limits.notebook))
        try:
            wire.receive(self.job.link, time.monotonic() + 60, READY.body, READY.header)
        except wire.WireError as error:
            self._lost(f"no worker came up: {error}")
        if earlier:
            self.request(time.monotonic() + 60, READY, op="carry", functions=earlier.outlines)

    def request(self, deadline: float, most: Most, **request: Any) -> Any:
        """Return the reply; raise Late or Dead when there is none in time."""
        self.asked = secrets.randbits(62)  # no answer can be sent ahead of its question
        try:
            self.job.link.settimeout(max(0.1, deadline - time.monotonic()))
            wire.send(self.job.link, {"id": self.asked, **request})
            return self._reply(deadline, most)
        except wire.TooLate:
            return self._interrupt(most)
        except wire.Closed:
            self._lost(ENDED)
        except ConnectionError:
            self._lost(ENDED)
        except (wire.WireError, OSError) as error:
            self._lost(f"the code disturbed the grader's connection ({error})")

    def _lost(self, why: str) -> NoReturn:
        """Kill what is left of the worker, and say whose fault it was."""
        fell = self.job.fell()
        self.kill()
        raise (Fallen(why) if fell else Dead(why)) from None

    def _reply(self, deadline: float, most: Most) -> Any:
        """Return the reply; before it, the worker may ask for what earlier functions give."""
        most = ASKING if self.earlier else most
        while True:
            frame = wire.receive(self.job.link, deadline, most.body, most.header)
            if not isinstance(frame, dict) or frame.get("id") != self.asked:
                raise wire.WireError("an answer to no question")
            if "reply" in frame:
                return frame["reply"]
            if self.earlier is None or "ask" not in frame:
                raise wire.WireError("an answer to no question")
            answer = self.earlier.answer(frame["ask"])
            self.job.link.settimeout(max(0.1, deadline - time.monotonic()))
            wire.send(self.job.link, {"id": self.asked, "answer": answer})

    def _interrupt(self, most: Most) -> Any:
        """Send an interrupt as Ctrl-C would; kill a worker that does not mind it, or that may be asking something."""
        if self.earlier:
            self._lost("the code did not end in time: is there an endless loop?")
        with suppress(OSError, wire.WireError):
            self.job.process.send(signal.SIGINT)
            self._reply(time.monotonic() + self.grace, most)
            raise Late
        self._lost("the code did not end in time and ignored the interrupt")

    def kill(self) -> None:
        """Kill the worker and every process that it started: it is pid 1 of its namespace."""
        self.job.end()


@dataclass
class Session:
    """One notebook's run: its workers, one after the other, and what time is left."""

    wall: Wall
    limits: Limits = field(default_factory=Limits)
    earlier: "Earlier | None" = None  # answers for functions that are not to be the student's own
    _worker: Worker | None = None
    ran: list[str] = field(default_factory=list)  # the cells that ended by themselves, those with an error too
    _finished: list[str] = field(default_factory=list)
    _check_until: float = 0.0
    _calls: int = 0  # without gradients, in the running check
    _why: str | None = None  # the running check has no caller any more, and why

    def __post_init__(self) -> None:
        self._until = time.monotonic() + self.limits.notebook

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        if self._worker:
            self._worker.kill()
            self._worker = None

    def run(self, source: str) -> list[dict[str, Any]]:
        """Run one of the student's cells and return its outputs, cleaned."""
        seconds = self._seconds(self.limits.cell)
        if seconds <= 0:
            return [failure("Not run", "the notebook's time is over")]
        try:
            self._alive()
            reply = self._ask(time.monotonic() + seconds, CELL, op="cell", source=source)
        except Late:
            return [failure("Stopped", f"this cell did not end within {self.limits.cell:g} seconds")]
        except Dead as error:
            self._worker = None
            return [failure("Stopped", str(error))]
        self.ran.append(source)
        if isinstance(reply, dict) and reply.get("finished") is True:
            self._finished.append(source)
        return clean_outputs(reply.get("outputs") if isinstance(reply, dict) else None)

    def begin_check(self) -> None:
        """Start the clock of the next check, with a worker at hand that has run the finished cells."""
        self._why = None
        self._calls = 0
        try:
            if self._seconds(1) > 0:
                self._alive()
        except Dead as error:
            self._why = str(error)
        self._check_until = time.monotonic() + max(0.0, self._seconds(self.limits.check))

    def call(self, function: str, arguments: list[Any], cotangents: list[Any] | None = None) -> Answer:
        """Return what the student's function answers."""
        number = None
        if cotangents is None:
            number, self._calls = self._calls, self._calls + 1
        return self._call(function=function, arguments=arguments, cotangents=cotangents, number=number, again=False)

    def again(self, function: str, arguments: list[Any], number: int) -> Answer:
        """Return what it answers to the very tensors of the check's call of this number: what it has left in them."""
        return self._call(function=function, arguments=arguments, cotangents=None, number=number, again=True)

    def _call(self, **about: Any) -> Answer:
        if self._why is None and time.monotonic() >= self._check_until:
            self._why = "the notebook's time is over" if self._seconds(1) <= 0 else self._too_slow()
        if self._why is not None:
            return Answer(error=self._why)
        try:
            return clean_answer(self._ask(self._check_until, CALL, op="call", **about))
        except Late:
            self._why = self._too_slow()
        except Dead as error:
            self._worker = None
            self._why = str(error)
        return Answer(error=self._why)

    @property
    def trouble(self) -> str | None:
        """Return why the last check got no more answers: time, or the end of the process."""
        return self._why

    def _too_slow(self) -> str:
        return f"the check did not end within {self.limits.check:g} seconds: is there an endless loop?"

    def _seconds(self, most: float) -> float:
        return min(most, self._until - time.monotonic())

    def _ask(self, deadline: float, most: Most, **request: Any) -> Any:
        """Return the worker's reply; a sandbox that falls costs the student neither an answer nor time."""
        worker = self._alive()
        for _ in range(FALLS):
            began = time.monotonic()
            try:
                return worker.request(deadline, most, **request)
            except Fallen:
                self._worker = None
                worker = self._alive()
                spent = time.monotonic() - began
                deadline += spent
                self._until += spent
                self._check_until += spent
        raise Dead("the grader's sandbox fell again and again")

    def _alive(self) -> Worker:
        """Return the worker; a fresh one first runs the cells that had finished."""
        for _ in range(FALLS):
            with suppress(Fallen):
                self._worker = self._worker or self._fresh()
                return self._worker
        raise Dead("the grader's sandbox fell again and again")

    def _fresh(self) -> Worker:
        began = time.monotonic()
        worker = Worker(self.wall, self.limits, self.earlier)
        self._until += time.monotonic() - began  # to wait for a worker is not the student's time
        try:
            for source in self._finished:
                until = time.monotonic() + max(0.1, self._seconds(self.limits.cell))
                worker.request(until, CELL, op="cell", source=source)
        except Late:
            worker.kill()
            raise Dead("the cells before this one did not end in time when they were run again") from None
        return worker
