"""Judging on many machines: the same tasks on Dask distributed; only this process writes the gradebook.

Every worker needs the course's folder with build/release, bubblewrap, and the same requirements; it is started there
with `dask worker ADDRESS --nthreads 1 --nworkers N`. The course's secret travels to the workers with each task: outside
a network of your own use TLS (`tls://`, with Dask's own settings in ~/.config/dask/distributed.yaml).
"""

import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any

from distributed import Client, Future
from distributed.scheduler import KilledWorker

from autograder.judge.pool import Given, NoJudges, Work, settle_threads
from autograder.judge.process import JudgeSettings, OtherGrader, given_up, grader_digest, judged, prepare
from autograder.judge.result import Outcome, Task
from autograder.sandbox.sandbox import NoSandbox

CONNECT_SECONDS = 10
LOOK_SECONDS = 5  # without an outcome, before it is asked whether there are workers left
WAIT_SECONDS = 300  # for a worker, once all have gone
AHEAD = 2  # tasks a worker has at hand


class NoCluster(NoJudges):
    """The scheduler or its workers cannot be used; says why, and that what was graded is kept."""


class Cluster:
    """The workers of one scheduler; `outcomes` hands them tasks, a few for each at a time."""

    def __init__(self, address: str, settings: JudgeSettings, work: Work = judged) -> None:
        self.settings = settings
        self.work = work
        try:
            self.client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise NoCluster(
                f"No Dask scheduler answers at {address}: {error}. Start one with `dask scheduler`, or leave "
                "--scheduler out to grade on this machine. What was graded so far is kept."
            ) from None
        except TypeError as error:  # what Dask raises where its settings name no certificates
            raise NoCluster(
                f"{address} cannot be reached: {error}. For tls:// set distributed.comm.tls.ca-file, client.cert and "
                "client.key in ~/.config/dask/distributed.yaml."
            ) from None

    def __enter__(self) -> "Cluster":
        try:
            self._demand_workers()
        except BaseException:
            self.client.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close(timeout=CONNECT_SECONDS)

    @property
    def workers(self) -> dict[str, Any]:
        return self.client.scheduler_info(n_workers=-1)["workers"]

    def _demand_workers(self) -> None:
        """Refuse before the first task what would go wrong with each."""
        workers = self.workers
        if not workers:
            raise NoCluster("The scheduler has no workers: start some, `dask worker ADDRESS --nthreads 1`.")
        threads = [name for name, about in workers.items() if about["nthreads"] != 1]
        if threads:
            raise NoCluster(f"A judging process has one thread: start {', '.join(threads)} with --nthreads 1.")
        answers: Any = self.client.run(_ready, self.settings, on_error="return")
        for name, reason in answers.items():
            if reason:
                raise NoCluster(f"The worker {name} cannot judge: {_spoken(reason)}.")

    def outcomes(self, tasks: Iterable[tuple[int, Task]]) -> Iterator[tuple[int, Outcome]]:
        """Return what comes of each task, as it comes; a lost worker's tasks go to the others.

        A worker dies with all that it has at hand. So a task whose workers died is tried once more when nothing else
        is under way, and is to blame only if they die then. So is a task that a busy machine kept from ending in time.
        """
        fresh, suspects = iter(tasks), deque[Given]()
        flying: dict[Future, tuple[int, Task, bool]] = {}
        done: SimpleQueue[Future] = SimpleQueue()
        room = AHEAD * max(1, len(self.workers))

        def submit(number: int, task: Task, alone: bool = False) -> None:
            future = self.client.submit(self.work, self.settings, task, pure=False)
            flying[future] = number, task, alone
            future.add_done_callback(done.put)

        while True:
            for given in islice(fresh, room):
                submit(*given)
            if not flying and suspects:
                submit(*suspects.popleft(), alone=True)
            if not flying:
                return
            future, room = self._next(done), 1
            number, task, alone = flying.pop(future)
            outcome = self._outcome(future, task)
            future.release()
            if outcome is not None and (alone or not outcome.starved):
                yield number, outcome
            elif alone:
                yield number, given_up(task, "the processes that judged it died")
            else:
                suspects.append((number, task))

    def _next(self, done: SimpleQueue[Future]) -> Future:
        """Return the next future that ended; do not wait without end, or in silence, where no worker is left."""
        alone_since: float | None = None
        while True:
            with suppress(Empty):
                return done.get(timeout=LOOK_SECONDS)
            if self._has_workers():
                alone_since = None
            elif alone_since is None:
                alone_since = time.monotonic()
                print(
                    f"The scheduler has lost all its workers. Waiting {WAIT_SECONDS} s for one: `dask worker` there.",
                    file=sys.stderr,
                )
            elif time.monotonic() - alone_since > WAIT_SECONDS:
                raise NoCluster(
                    f"The scheduler has had no workers for {WAIT_SECONDS} s. What was graded is kept: the same command "
                    "continues from there once there are some."
                )

    def _has_workers(self) -> bool:
        try:
            return bool(self.workers)
        except (OSError, TimeoutError):  # no scheduler: its futures are about to say so
            return True

    def _outcome(self, future: Future, task: Task) -> Outcome | None:
        """Return what came of a task; None where each worker that was at it died."""
        if future.status == "finished":
            return future.result()
        error = future.exception() if future.status == "error" else None
        if isinstance(error, KilledWorker):
            print(f"Workers died at {task.student}/{task.assignment}.", file=sys.stderr)
            return None
        raise NoCluster(
            f"The cluster broke off: {_spoken(error) if error else future.status}. What was graded is kept."
        )


def _ready(settings: JudgeSettings) -> str:
    """Return why this worker cannot judge, "" if it can."""
    settle_threads()
    try:
        prepare(settings)
    except (NoSandbox, OtherGrader, OSError) as error:
        return str(error)
    return ""


def _spoken(error: object) -> str:
    """Return what went wrong; a worker without the course cannot even read what is asked of it."""
    if isinstance(error, ModuleNotFoundError):
        return f"it has no module {error.name}; start it in the course's folder, with that on PYTHONPATH"
    return f"{type(error).__name__}: {error}" if isinstance(error, Exception) else str(error)


def settings_elsewhere(settings: JudgeSettings) -> JudgeSettings:
    """Return what workers elsewhere are told: which grader they must be, and to make their own sandboxes."""
    return replace(settings, grader=grader_digest(), sandbox="")
