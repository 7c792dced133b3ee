"""A job: one worker in the sandbox, as the judging process holds it."""

import os
import socket
from dataclasses import dataclass

from autograder.sandbox.control_socket import Process
from autograder.sandbox.memory_watchdog import MemoryWatchdog


@dataclass
class Job:
    """One worker: its socket, its process, the zygote that it was forked from, and the watchdog of its memory."""

    link: socket.socket
    process: Process
    zygote: Process
    lifeline: int  # the end of a pipe: when it is closed, the worker is killed
    memory: MemoryWatchdog

    def sandbox_died(self) -> bool:
        """Return whether the sandbox itself ended and took the worker with it: then no student is to blame."""
        return self.zygote.ended(0.2)

    def end(self) -> None:
        """Kill the worker and every process that it started: it is pid 1 of its namespace."""
        self.process.kill()
        self.link.close()
        os.close(self.lifeline)
        self.memory.stop()
