"""The judging processes of this machine, and the dispatch of tasks to processes, here or elsewhere.

A pool of several processes cannot tell which task killed one, and gives up all of them: here each process is a pool.
Pebble was tried in its place: where one of two processes dies while it sends its outcome, the other's tasks never end;
as pools of one process it takes as many lines, and waits for ever for a process that ends with status 0.
"""

import gc
import multiprocessing
import os
import signal
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import suppress
from functools import cache
from itertools import islice
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from queue import SimpleQueue
from typing import Any

from autograder.definition import definition
from autograder.judge.assess import Outcome, Task
from autograder.judge.process import JudgeSettings, given_up, judged, prepare

STARTS = 2  # processes in a row that may die before they are ready

# Imported once, by the parent of all judging processes: they share its memory.
SHARED = [
    "torch",
    "torch.fx.experimental.symbolic_shapes",  # which the first gradient imports, and sympy with it
    "autograder.judge.judge",
    "autograder.score",
    "autograder.judge.process",
]

Work = Callable[[JudgeSettings, Task], Outcome]


class NoJudges(RuntimeError):
    """No judging process stays alive; the message says how they ended."""


class Dispatcher(ABC):
    """Hands out tasks as processes become free, at most `room` at once."""

    room: int

    @abstractmethod
    def submit(self, task: Task) -> Any:
        """Return the future of a task's outcome."""

    @abstractmethod
    def outcome(self, future: Any) -> Outcome | None:
        """Return the outcome of a task; None if every process that worked on it died."""

    def next_done(self, done: SimpleQueue) -> Any:
        """Return the next future that has ended."""
        return done.get()

    def outcomes(self, tasks: Iterable[tuple[int, Task]]) -> Iterator[tuple[int, Outcome]]:
        """Yield the outcomes of tasks as they come.

        A task whose process died, or that a busy machine kept from ending in time, is tried once more when nothing else
        is under way: only that run is the task's own fault.
        """
        fresh, again = iter(tasks), deque[tuple[int, Task]]()
        flying: dict[Any, tuple[int, Task, bool]] = {}
        done = SimpleQueue[Any]()

        def submit(number: int, task: Task, alone: bool = False) -> None:
            future = self.submit(task)
            flying[future] = number, task, alone
            future.add_done_callback(done.put)

        for given in islice(fresh, self.room):
            submit(*given)
        while flying or again:
            if not flying:
                submit(*again.popleft(), alone=True)
            future = self.next_done(done)
            number, task, alone = flying.pop(future)
            outcome = self.outcome(future) or _death(task)
            for given in islice(fresh, 1):  # before anything is recorded, so that no process waits for that
                submit(*given)
            if alone:
                yield number, outcome or given_up(task, "the processes that judged it died")
            elif outcome is None or outcome.starved:
                again.append((number, task))
            else:
                yield number, outcome


def _death(task: Task) -> None:
    print(f"A judging process died at {task.student}/{task.assignment}.", file=sys.stderr)


class _Seat:
    """An executor of one process."""

    def __init__(self, settings: JudgeSettings) -> None:
        self.executor = ProcessPoolExecutor(1, _forking(), initializer=_settle)
        self.ready = self.executor.submit(_begin, settings)
        self.process: Any = next(iter(self.executor._processes.values()))
        # Only the process can write now: if it dies while it sends an outcome, nobody waits for the rest.
        outcomes: Any = self.executor._result_queue
        outcomes._writer.close()


class Pool(Dispatcher):
    """So many judging processes of this machine."""

    def __init__(self, jobs: int, settings: JudgeSettings, work: Work = judged) -> None:
        self.room, self.settings, self.work = jobs, settings, work
        self.idle: list[_Seat] = []
        self.busy: dict[Future[Outcome], _Seat] = {}
        self.false_starts = 0

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        seats = [*self.idle, *self.busy.values()]
        for seat in seats:
            seat.process.kill()
        for seat in seats:
            seat.executor.shutdown(cancel_futures=True)

    def begin(self) -> None:
        """Begin to start the processes, before there are tasks for them."""
        self.idle += [_Seat(self.settings) for _ in range(self.room)]

    def submit(self, task: Task) -> Future[Outcome]:
        seat = self.idle.pop() if self.idle else _Seat(self.settings)
        try:
            future = seat.executor.submit(_judged, self.work, self.settings, task)
        except BrokenExecutor:  # it died while it was idle
            return self.submit(task)
        self.busy[future] = seat
        return future

    def outcome(self, future: Future[Outcome]) -> Outcome | None:
        outcome = None
        with suppress(BrokenExecutor):
            outcome = future.result()
        seat = self.busy.pop(future)
        if outcome is not None:
            self.idle.append(seat)
            return outcome
        self.false_starts = self.false_starts + 1 if seat.ready.exception() else 0
        if self.false_starts >= STARTS:
            raise NoJudges(f"{STARTS} judging processes in a row died before they were ready. Out of memory?")
        return None


def _forking() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*SHARED, *definition().preload])
    return context


def warm() -> None:
    """Begin the imports that all judging processes share, while the caller does something else."""
    _forking()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # else an interrupt at the terminal shows where it imports
    try:
        forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGINT, before)


def _settle() -> None:
    with suppress(OSError):
        os.setsid()  # an interrupt at the terminal is the parent's to deal with
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process with its parent, even if that is killed: nothing outlives the run."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@cache
def _begin(settings: JudgeSettings) -> None:
    """Make a judging process of this one; raise NoSandbox where it cannot be one."""
    prepare(settings)
    gc.freeze()  # present objects stay: no collection needs to look at them again


def _judged(work: Work, settings: JudgeSettings, task: Task) -> Outcome:
    _begin(settings)  # raises again what it raised before
    return work(settings, task)
