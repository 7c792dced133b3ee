"""The judging processes of this machine: each death is charged to the one submission that was being judged.

The standard library's pool cannot tell which task killed a process, and gives up all of them.
"""

import ctypes
import gc
import multiprocessing
import os
import signal
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing import forkserver
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext
from typing import Any

from autograder.judge.process import JudgeSettings, given_up, judged, prepare
from autograder.judge.result import Outcome, Task
from autograder.sandbox.sandbox import NoSandbox

TRIES = 2  # deaths of its judge that one submission may cause
STARTS = 3  # processes in a row that may die before they are ready
QUIT_SECONDS = 5

# Imported once, by the process that all judging processes are forked from: they share its memory.
SHARED = [
    "torch",
    "torch.fx.experimental.symbolic_shapes",  # which the first gradient imports, and sympy with it
    "autograder.judge.judge",
    "autograder.score",
    "autograder.checks.encoder_decoder.cases",
    "autograder.judge.process",
]

Given = tuple[int, Task]  # a task and its number
Work = Callable[[JudgeSettings, Task], Outcome]


class NoJudges(RuntimeError):
    """No judging process stays alive; says what was seen."""


class _JudgeProcess:
    """One judging process and what it is at."""

    def __init__(self, settings: JudgeSettings, work: Work) -> None:
        context = _forking()
        self.link, theirs = context.Pipe()
        self.process: Any = context.Process(target=_serve, args=(theirs, settings, work), daemon=True)
        self.process.start()
        theirs.close()
        self.ready = False
        self.task: Given | None = None

    def end(self) -> str:
        """End the process; return in words how it ended if that was not our doing."""
        self.link.close()
        self.process.join(0.5)
        code = self.process.exitcode
        if code is None:
            self.process.kill()
            self.process.join(QUIT_SECONDS)
        self.process.close()
        if code is None or code == 0:
            return "it broke off"
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"


class Pool:
    """So many judging processes; `outcomes` hands them tasks one by one, never more than it has processes."""

    def __init__(self, jobs: int, settings: JudgeSettings, work: Work = judged) -> None:
        self.jobs = jobs
        self.settings = settings
        self.work = work
        self.seats: list[_JudgeProcess] = []
        self.deaths = Counter[int]()
        self.false_starts = 0
        self.starved: deque[Given] = deque()  # to be judged once more when nothing else is
        self.alone: set[int] = set()

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        for seat in self.seats:
            seat.process.kill()
        for seat in self.seats:
            seat.end()
        self.seats = []

    def outcomes(self, tasks: Iterable[tuple[int, Task]]) -> Iterator[tuple[int, Outcome]]:
        """Return what comes of each task, as it comes."""
        fresh, again = iter(tasks), deque[Given]()
        while self._hand_out(fresh, again):
            busy = [seat for seat in self.seats if seat.task or not seat.ready]
            ready = wait([seat.link for seat in busy])
            came = [each for seat in busy if seat.link in ready for each in self._heard(seat, again)]
            self._hand_out(fresh, again)  # before anything is recorded: nobody is to wait for that
            yield from came

    def _hand_out(self, fresh: Iterator[tuple[int, Task]], again: deque[Given]) -> bool:
        """Give each idle process a task; return whether anything is still to come."""
        left = True
        for seat in [seat for seat in self.seats if seat.ready and not seat.task]:
            given = again.popleft() if again else next(fresh, None)
            if given is None and self.starved and not any(other.task for other in self.seats):
                given = self.starved.popleft()
            left = given is not None
            if given is None:
                break
            seat.task = given
            with suppress(OSError):  # who waits for the answer learns that it is dead
                seat.link.send(given)
        while left and len(self.seats) < self.jobs:
            self.seats.append(_JudgeProcess(self.settings, self.work))
        return left or any(seat.task for seat in self.seats)

    def _heard(self, seat: _JudgeProcess, again: deque[Given]) -> list[tuple[int, Outcome]]:
        try:
            word, reply = seat.link.recv()
        except (EOFError, OSError):
            return self._died(seat, again)
        if word == "refused":
            raise NoSandbox(reply)
        if word == "ready":
            seat.ready, self.false_starts = True, 0
            return []
        assert seat.task
        given, seat.task = seat.task, None
        number, _ = given
        if reply.starved and number not in self.alone:
            self.alone.add(number)
            self.starved.append(given)
            return []
        return [(number, reply)]

    def _died(self, seat: _JudgeProcess, again: deque[Given]) -> list[tuple[int, Outcome]]:
        """Have the task of a process that died judged again, by another one; return its outcome once that is enough."""
        self.seats.remove(seat)
        how = seat.end()
        if not seat.ready:
            self.false_starts += 1
            if self.false_starts >= STARTS:
                raise NoJudges(
                    f"{STARTS} judging processes in a row died before they were ready: {how}. Out of memory?"
                )
        if not seat.task:
            return []
        number, task = seat.task
        self.deaths[number] += 1
        print(f"A judging process died at {task.student}/{task.assignment}: {how}.", file=sys.stderr)
        if self.deaths[number] < TRIES:
            again.append(seat.task)
            return []
        return [(number, given_up(task, f"the process that judged it died {TRIES} times ({how})"))]


def _forking() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(SHARED)
    return context


def warm() -> None:
    """Begin the imports that all judging processes share: anyone who calls this has something else to do meanwhile."""
    _forking()
    forkserver.ensure_running()


def settle_threads() -> None:
    """Set what numerical libraries read at their import: their threads do not survive a fork."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"


def _serve(link: Connection, settings: JudgeSettings, work: Work) -> None:
    """Judge what comes; go when nobody is there any more to tell."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: nothing outlives the run
    with suppress(OSError):
        os.setsid()  # an interrupt at the terminal is the parent's to deal with
    try:
        prepare(settings)
        gc.freeze()  # what is there now stays: no collection need look at it again
        link.send(("ready", None))
    except NoSandbox as error:
        link.send(("refused", str(error)))
        return
    with suppress(EOFError, ConnectionError):
        while True:
            _, task = link.recv()
            try:
                link.send(("judged", work(settings, task)))
            except NoSandbox as error:
                link.send(("refused", str(error)))
