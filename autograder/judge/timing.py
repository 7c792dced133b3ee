"""The time of a student's code: CPU time counts, the clock bounds waiting, and a total bounds everything."""

import math
import os
import select
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from autograder.kit.calls import frames
from autograder.sandbox.memory_watchdog import process_tree, read_proc

_TICK = os.sysconf("SC_CLK_TCK")
LOOK_SECONDS = 0.1  # the least time between two looks at a process's CPU time
OWN = "thread-self"  # of this judge, in /proc


@dataclass(frozen=True)
class Limits:
    """The limits of a notebook in seconds: of CPU for one cell or check, by the clock for the student's own cells."""

    cell: float = 10.0
    check: float = 10.0
    notebook: float = 60.0
    grace: float = 1.0  # after an interrupt, before the kill
    patience: float = 5.0  # the factor for time by the clock: beside others, a process waits its turn

    @property
    def total(self) -> float:
        """Return the seconds by the clock for everything; checks have their own time, whatever ran before."""
        return self.notebook + 2 * self.check

    @property
    def rule(self) -> str:
        """Return the limits for the student, in one sentence."""
        one, all_ = f"{self.cell:g} seconds", f"{self.notebook:g} seconds"
        return (
            f"When it is graded, each cell and each check may compute for {one}, and the cells that you add may take "
            f"{all_} together; what takes longer is stopped or left out, and the checks go on."
        )


@dataclass(frozen=True)
class Use:
    """The seconds of a job: by the clock, of CPU, and ready but waiting for its turn, or for its judge's."""

    clock: float = 0.0
    computed: float = 0.0
    queued: float = 0.0

    def __sub__(self, other: "Use") -> "Use":
        return Use(self.clock - other.clock, self.computed - other.computed, self.queued - other.queued)

    @property
    def has_waited_for_cpu(self) -> bool:
        """Return whether the job waited for a CPU that others used; its own processes do not count as others."""
        return self.queued > self.clock / 4 and self.computed < 0.8 * self.clock


def use(pid: int) -> Use:
    """Return the seconds that a job has taken so far.

    Between two calls it waits for its judge, and on a busy machine that one waits for its turn as well.
    """
    clock, computed = time.monotonic(), sum(map(_computed, process_tree(pid)))
    try:
        queued = sum(int(read_proc(f"/proc/{each}/schedstat").split()[1]) for each in (pid, OWN)) / 1e9
    except (OSError, IndexError):  # a kernel that does not count it: a job that waited gets the benefit of the doubt
        queued = clock - computed if Path("/proc", str(pid)).exists() else 0.0
    return Use(clock, computed, queued)


def _computed(pid: int) -> float:
    """Return the CPU seconds of a process and of the children that it has seen end."""
    with suppress(OSError, IndexError):
        return sum(map(int, read_proc(f"/proc/{pid}/stat").rpartition(")")[2].split()[11:15])) / _TICK
    return 0.0


class TimeBudget:
    """The time of one cell, or of all calls of one check: so much CPU of a job, and a deadline by the clock."""

    def __init__(self, pid: int, compute: float, clock: float) -> None:
        self.pid, self.compute, self.before = pid, compute, use(pid)
        self.until = self.before.clock + max(0.0, clock)

    @property
    def used(self) -> Use:
        return use(self.pid) - self.before

    def left(self) -> float:
        """Return the seconds until the next look is needed; 0 when the time is up."""
        now = time.monotonic()
        unseen = self.compute - (now - self.before.clock)  # one thread cannot compute for longer than that
        if unseen <= 0 < self.until - now:
            unseen = self.compute - self.used.computed
            unseen = max(unseen, LOOK_SECONDS) if unseen > 0 else 0
        return max(0.0, min(unseen, self.until - now))

    def wait(self, link: socket.socket) -> float:
        """Wait for an answer to begin; return the deadline for its end, on the clock; raise TooLate without one."""
        watched = select.poll()
        watched.register(link, select.POLLIN)
        while (left := self.left()) > 0:
            if watched.poll(math.ceil(left * 1000)):
                return max(time.monotonic() + LOOK_SECONDS, min(self.until, time.monotonic() + self.compute))
        raise frames.TooLate("no answer in time")

    def why(self) -> tuple[str, bool]:
        """Return the reason for a stop in words, and whether only other work on this machine is to blame."""
        took = self.used
        if took.computed >= self.compute:
            return f"did not end within {self.compute:g} seconds: is there an endless loop?", False
        clock = f"did not end within {took.clock:.1f} seconds"
        if took.has_waited_for_cpu:
            return f"{clock}: this machine was busy with other work (an endless loop would look the same)", True
        # With less time than usual, the cause lies before it, in the cells that used the notebook's time.
        if took.clock >= self.compute and took.clock - took.computed - took.queued > took.clock / 2:
            return f"{clock}, in most of which it waited: is there a sleep, or something that does not come?", False
        return f"{clock}, which was left of the notebook's time", False
