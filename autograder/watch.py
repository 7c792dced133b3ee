"""Where no control group can be had: a thread adds up what a job's processes take, and ends one that takes too much."""

import os
import threading
from contextlib import suppress
from pathlib import Path

from autograder.cgroups import MEMORY
from autograder.door import Process

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


class Watch:
    """Watches one job until it ends or `stop` is called."""

    def __init__(self, process: Process, most: int = MEMORY) -> None:
        self.process = process
        self.most = most
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="memory of a job", daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.wait(EVERY) and not self.process.gone():
            if memory(family(self.process.pid), self.most) > self.most:
                self.process.kill()

    def stop(self) -> None:
        self._over.set()
        self._thread.join(5)
