"""Judging on many machines: the same tasks on Dask distributed; only this process writes the gradebook.

Every worker needs the course's folder with build/release, bubblewrap, and the same requirements; it is started there
with `dask worker ADDRESS --nthreads 1 --nworkers N`. The course's secret travels to the workers with each task: outside
a network of your own use TLS (`tls://`, with Dask's own settings in ~/.config/dask/distributed.yaml).
"""

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from distributed import Client, Future, as_completed
from distributed.scheduler import KilledWorker

from autograder.judging import OtherGrader, Terms, grader_digest, judged, prepare
from autograder.pool import NoJudges, Work, settle_threads
from autograder.tasks import Outcome, Task
from autograder.wall import NoSandbox

CONNECT_SECONDS = 10
AHEAD = 2  # tasks a worker has at hand


class NoCluster(NoJudges):
    """The scheduler or its workers cannot be used; says why, and that what was graded is kept."""


class Cluster:
    """The workers of one scheduler; `outcomes` hands them tasks, a few for each at a time."""

    def __init__(self, address: str, terms: Terms, work: Work = judged) -> None:
        self.terms = terms
        self.work = work
        try:
            self.client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise NoCluster(
                f"No Dask scheduler answers at {address}: {error}. Start one with `dask scheduler`, or leave "
                "--scheduler out to grade on this machine. What was graded so far is kept."
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
        answers: Any = self.client.run(_ready, self.terms, on_error="return")
        for name, said in answers.items():
            if said:
                raise NoCluster(f"The worker {name} cannot judge: {_spoken(said)}.")

    def outcomes(self, tasks: Iterable[tuple[int, Task]]) -> Iterator[tuple[int, Outcome]]:
        """Return what comes of each task, as it comes; a lost worker's tasks go to the others."""
        fresh, flying = iter(tasks), dict[Future, tuple[int, Task]]()
        queue: Any = as_completed(loop=self.client.loop)
        self._send(islice(fresh, AHEAD * max(1, len(self.workers))), flying, queue)
        for future in queue:
            number, task = flying.pop(future)
            outcome = self._outcome(future, task)
            future.release()
            self._send(islice(fresh, 1), flying, queue)
            yield number, outcome

    def _send(self, tasks: Iterable[tuple[int, Task]], flying: dict[Future, tuple[int, Task]], queue: Any) -> None:
        for number, task in tasks:
            future = self.client.submit(self.work, self.terms, task, "", pure=False)
            flying[future] = number, task
            queue.add(future)

    def _outcome(self, future: Future, task: Task) -> Outcome:
        if future.status == "finished":
            return future.result()
        error = future.exception() if future.status == "error" else None
        if isinstance(error, KilledWorker):
            print(f"Workers died at {task.student}/{task.assignment}.", file=sys.stderr)
            reason = "the processes that judged it died, please tell its maintainers"
            return self.client.submit(self.work, self.terms, task, reason, pure=False).result()
        raise NoCluster(
            f"The cluster broke off: {_spoken(error) if error else future.status}. What was graded is kept."
        )


def _ready(terms: Terms) -> str:
    """Return why this worker cannot judge, "" if it can."""
    settle_threads()
    try:
        prepare(terms)
    except (NoSandbox, OtherGrader, OSError) as error:
        return str(error)
    return ""


def _spoken(error: object) -> str:
    """Return what went wrong; a worker without the course cannot even read what is asked of it."""
    if isinstance(error, ModuleNotFoundError):
        return f"it has no module {error.name}; start it in the course's folder, with that on PYTHONPATH"
    return f"{type(error).__name__}: {error}" if isinstance(error, Exception) else str(error)


def terms_for(terms: Terms) -> Terms:
    """Return what workers elsewhere are told: which grader they must be, and to make their own sandboxes."""
    return Terms(terms.secret, terms.check_seconds, terms.notebook_seconds, grader_digest(), "", terms.hard_seconds)
