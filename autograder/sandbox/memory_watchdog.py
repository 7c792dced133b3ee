"""Where no control group can be had: a thread adds up what a job's processes take, and ends one that takes too much."""

import os
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path

from autograder.sandbox.cgroups import MEMORY
from autograder.sandbox.control_socket import Process

EVERY = 0.05  # seconds
_PAGE = os.sysconf("SC_PAGE_SIZE")


def family(pid: int) -> list[int]:
    """Return a process and all that descend from it: orphans in a job come back to its pid 1."""
    found = [pid]
    for member in found:  # grows as we go
        with suppress(OSError):
            for task in Path("/proc", str(member), "task").iterdir():
                found += map(int, (task / "children").read_text().split())
    return found


def outside(pid: int) -> int:
    """Return the bytes that a job holds where no process is charged for them: its files in memory, full sockets."""
    held = 0
    for place in ("tmp", "dev/shm"):
        with suppress(OSError):
            status = os.statvfs(f"/proc/{pid}/root/{place}")
            held += (status.f_blocks - status.f_bfree) * status.f_frsize
    with suppress(OSError, ValueError, IndexError):
        count = Path("/proc", str(pid), "net", "sockstat").read_text().split()[2]  # of its own network, in transit too
        held += int(count) * _socket_bytes()
    return held


@cache
def _socket_bytes() -> int:
    """Return the most that one socket can hold; a sender may go past its buffer's size by one message as large."""
    return 2 * int(Path("/proc/sys/net/core/wmem_default").read_text())


def memory(pids: list[int], enough: int = MEMORY) -> int:
    """Return the bytes that processes take together; what several of them share counts once."""
    resident = sum(_resident(pid) for pid in pids)  # quick, and never too little: exact only where it matters
    return resident if resident <= enough else sum(_proportional(pid) for pid in pids)


def _resident(pid: int) -> int:
    try:
        return int(Path("/proc", str(pid), "statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _proportional(pid: int) -> int:
    try:
        lines = Path("/proc", str(pid), "smaps_rollup").read_text().splitlines()
    except OSError:
        return _resident(pid)
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(("Pss:", "SwapPss:")))


class MemoryWatchdog:
    """Watches one job until it ends or `stop` is called."""

    def __init__(self, process: Process, most: int = MEMORY) -> None:
        self.process = process
        self.most = most
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="memory of a job", daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.wait(EVERY) and not self.process.gone():
            left = self.most - outside(self.process.pid)
            if memory(family(self.process.pid), left) > left:
                self.process.kill()

    def stop(self) -> None:
        self._over.set()
        self._thread.join(5)
