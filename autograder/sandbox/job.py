"""A job: one worker in the sandbox, as the judging process holds it."""

import os
import socket
from contextlib import suppress
from dataclasses import dataclass

from autograder.sandbox import cgroups
from autograder.sandbox.cgroups import Group
from autograder.sandbox.control_socket import Process
from autograder.sandbox.memory_watchdog import MemoryWatchdog


@dataclass
class Job:
    """One worker: its socket, its process, the zygote that it was forked from, and what limits its memory."""

    link: socket.socket
    process: Process
    zygote: Process
    lifeline: int  # the end of a pipe: when it is closed, the worker is killed
    memory_limit: Group | MemoryWatchdog

    def sandbox_died(self) -> bool:
        """Return whether the sandbox itself ended and took the worker with it: then no student is to blame."""
        return self.zygote.ended(0.2)

    def end(self) -> None:
        """Kill the worker and every process that it started: it is pid 1 of its namespace."""
        self.process.kill()
        self.link.close()
        os.close(self.lifeline)
        if isinstance(self.memory_limit, MemoryWatchdog):
            self.memory_limit.stop()
        elif groups := cgroups.cgroup_pool():
            groups.release(self.memory_limit)


def limit_memory(process: Process) -> Group | MemoryWatchdog:
    """Limit the memory of a worker, before it runs student code, and of all processes that it will start."""
    if groups := cgroups.cgroup_pool():
        with suppress(OSError):
            group = groups.new_group()
            try:
                group.add(process.pid)
                return group
            except OSError:
                groups.release(group)
    return MemoryWatchdog(process)
