"""`python -m autograder grade` and `score`: starts the sandbox and the judging processes, then grades."""

import os
import sys
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autograder.files import LOCK, exclusive
from autograder.interrupts import interrupts_wait
from autograder.places import KIT

if TYPE_CHECKING:
    from autograder.grade.marking import Judges
    from autograder.judge.assess import Outcome, Task
    from autograder.judge.pool import Pool
    from autograder.judge.process import JudgeSettings
    from autograder.sandbox.sandbox import Sandbox


def run(options: Namespace) -> int:
    """Run `grade` or `score`; return the exit status."""
    options.started = time.monotonic()
    from autograder.sandbox import container, sandbox

    if options.no_sandbox:
        print(sandbox.NO_SANDBOX_WARNING, file=sys.stderr)
    elif options.container:
        container.require()
    elif options.verb == "score" or not options.scheduler:
        sandbox.require()
    if options.verb == "grade":
        return _grade_class(options)
    from autograder.judge.process import judge_for
    from autograder.score import score

    with _sandbox(options) as built:
        built.begin()
        return score(options.files, judge_for(_told(options, built.address)), options.assignment)


def _grade_class(options: Namespace) -> int:
    from autograder.assignment import demand, demand_settings

    demand_settings()
    demand([options.assignment] if options.assignment else [])
    if options.out.exists() and not options.out.is_dir():
        raise ValueError(f"--out {options.out} is a file: give a folder for gradebook and pages")
    if (options.out / LOCK).exists():
        with exclusive(options.out):  # another run is named at once, and not after all hand-ins have been read
            pass
    if options.jobs < 0:
        raise ValueError(f"--jobs: expected a number of processes, or 0 for one per core, got {options.jobs}")
    if not _is_first(options):
        return _grade(options, None)
    with _sandbox(options) as built:
        built.begin()  # it takes longer than all that is done until it is needed
        return _grade(options, built)


def _is_first(options: Namespace) -> bool:
    """Return whether a class is graded for the first time, on this machine: all that is there has to be judged."""
    return not options.scheduler and options.folder.exists() and not (options.out / "records").exists()


def _grade(options: Namespace, built: "Sandbox | None") -> int:
    from autograder.grade.people import Words  # these load nbgrader, for a second
    from autograder.grade.run import grade

    return grade(
        options.folder,
        options.out,
        lambda count: _judges(options, count, built),
        options.db,
        Words(options.due, options.handed_in, options.extend, options.roster, options.zone),
        options.assignment,
        options.all,
        options.started,
    )


@dataclass
class _LocalJudges:
    """The judging processes of this machine, which need its sandbox."""

    built: "Sandbox"
    pool: "Pool"

    def outcomes(self, tasks: Iterable[tuple[int, "Task"]]) -> Iterator[tuple[int, "Outcome"]]:
        with interrupts_wait():  # a process that is just being started would say what it misses
            self.pool.begin()
        self.built.start()
        return self.pool.outcomes(tasks)


@contextmanager
def _judges(options: Namespace, count: int, built: "Sandbox | None") -> Iterator["Judges"]:
    if not options.scheduler:
        from autograder.judge.pool import Pool, warm
        from autograder.judge.process import settle_threads

        jobs = options.jobs or len(os.sched_getaffinity(0))
        settle_threads()  # before the process that forks all judges begins
        warm()
        with ExitStack() as stack:
            if built is None:
                built = stack.enter_context(_sandbox(options))
                built.begin()
            yield _LocalJudges(built, stack.enter_context(Pool(min(jobs, count), _told(options, built.address))))
        return
    if options.no_sandbox:
        raise ValueError("--no-sandbox is for this machine only: leave --scheduler out.")
    from autograder.judge.cluster import Cluster

    with Cluster(options.scheduler, _told(options)) as cluster:
        yield cluster


def _told(options: Namespace, address: str = "") -> "JudgeSettings":
    from autograder.judge import seed
    from autograder.judge.process import JudgeSettings

    return JudgeSettings(seed.load(options.secret), options.check_seconds, options.notebook_seconds, sandbox=address)


@contextmanager
def _sandbox(options: Namespace) -> Iterator["Sandbox"]:
    """Yield the sandbox that this machine's judging processes share, before it has been started."""
    from autograder.sandbox import sandbox

    sandbox.require_current_kit(KIT)
    with sandbox.Sandbox(KIT, not options.no_sandbox, container=options.container) as built:
        yield built
