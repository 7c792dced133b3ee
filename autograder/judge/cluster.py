"""Judging on many machines: the same tasks on Dask distributed; only this process writes the gradebook.

Every worker needs the course's folder with build/release, bubblewrap, and the same requirements; it is started there
with `dask worker ADDRESS --nthreads 1 --nworkers N`. The course's secret travels to the workers with each task: outside
a network of your own use TLS (`tls://`, with Dask's own settings in ~/.config/dask/distributed.yaml).
"""

import sys
import time
from contextlib import suppress
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Any

from distributed import Client, Future
from distributed.scheduler import KilledWorker

from autograder.judge.assess import Outcome, Task
from autograder.judge.pool import Dispatcher, NoJudges, Work
from autograder.judge.process import JudgeSettings, grader_digest, judged, prepare, settle_threads

CONNECT_SECONDS = 10
LOOK_SECONDS = 5  # without an outcome, before it is asked whether there are workers left
WAIT_SECONDS = 300  # for a worker, once all have gone
AHEAD = 2  # tasks a worker has at hand


class Cluster(Dispatcher):
    """The workers of one scheduler; each has a few tasks at hand, and a lost one's go to the others."""

    def __init__(self, address: str, settings: JudgeSettings, work: Work = judged) -> None:
        # Workers elsewhere get the digest of the grader that they must have, and make their own sandboxes.
        self.settings = replace(settings, grader=settings.grader or grader_digest(), sandbox="")
        self.work = work
        try:
            self.client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise NoJudges(
                f"No Dask scheduler answers at {address}: {error}. Start one with `dask scheduler`, or leave "
                "--scheduler out to grade on this machine. All grades are kept."
            ) from None
        except TypeError as error:  # Dask's, where its settings name no certificates
            raise NoJudges(
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
        """Raise NoJudges, before the first task, for a fault that every task would meet."""
        workers = self.workers
        if not workers:
            raise NoJudges("The scheduler has no workers: start some, `dask worker ADDRESS --nthreads 1`.")
        threads = [name for name, about in workers.items() if about["nthreads"] != 1]
        if threads:
            raise NoJudges(f"A judging process has one thread: start {', '.join(threads)} with --nthreads 1.")
        answers: Any = self.client.run(_ready, self.settings, on_error="return")
        for name, reason in answers.items():
            if reason:
                raise NoJudges(f"The worker {name} cannot judge: {_spoken(reason)}.")
        self.room = AHEAD * len(workers)

    def submit(self, task: Task) -> Future:
        return self.client.submit(self.work, self.settings, task, pure=False)

    def next_done(self, done: SimpleQueue[Future]) -> Future:
        """Return the next future that ended; if no worker is left, say so, and do not wait for ever."""
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
                raise NoJudges(
                    f"The scheduler has had no workers for {WAIT_SECONDS} s. All grades are kept: the same command "
                    "continues from there once there are some."
                )

    def _has_workers(self) -> bool:
        try:
            return bool(self.workers)
        except (OSError, TimeoutError):  # no scheduler: its futures are about to say so
            return True

    def outcome(self, future: Future) -> Outcome | None:
        try:
            if future.status == "finished":
                return future.result()
            error = future.exception() if future.status == "error" else None
        finally:
            future.release()
        if isinstance(error, KilledWorker):
            return None
        raise NoJudges(f"The cluster stopped: {_spoken(error) if error else future.status}. All grades are kept.")


def _ready(settings: JudgeSettings) -> str:
    """Return the reason why this worker cannot judge, "" if it can."""
    settle_threads()
    try:
        prepare(settings)
    except (RuntimeError, OSError) as error:
        return str(error)
    return ""


def _spoken(error: object) -> str:
    """Return an error in words; a worker without the course cannot even read its task."""
    if isinstance(error, ModuleNotFoundError):
        return f"it has no module {error.name}; start it in the course's folder, with that on PYTHONPATH"
    return f"{type(error).__name__}: {error}" if isinstance(error, Exception) else str(error)
