"""The cost of a command: CPU, wall-clock time and memory of its whole process tree."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

GROUPS = [(Path("/sys/fs/cgroup/cpuacct"), "cpuacct.usage", 1e9), (Path("/sys/fs/cgroup"), "cpu.stat", 1e6)]


@dataclass
class Cost:
    """The cost of a command: CPU seconds of its process tree, wall-clock seconds, and the peak sum of PSS in bytes."""

    cpu: float
    wall: float
    memory: int
    meter: str


class Group:
    """A cgroup that counts the CPU time of every process in it, where one can be had."""

    def __init__(self) -> None:
        self.path, self.file, self.unit = None, "", 1.0
        for root, file, unit in GROUPS:
            if (root / "cgroup.procs").exists():
                with suppress(OSError):
                    self.path = Path(tempfile.mkdtemp(prefix="bench-", dir=root))
                    self.file, self.unit = file, unit
                    return

    def words(self) -> list[str]:
        """Return the start of a command line that runs a command within the group."""
        return ["sh", "-c", f'echo $$ > "{self.path}/cgroup.procs"; exec "$@"', "sh"] if self.path else []

    def seconds(self) -> float:
        content = (self.path / self.file).read_text() if self.path else "0"
        number = next(line.split()[1] for line in content.splitlines()) if self.file == "cpu.stat" else content
        return int(number) / self.unit

    def pids(self) -> list[str]:
        pids = []
        with suppress(OSError):  # a group within may go at any moment
            for file in self.path.rglob("cgroup.procs") if self.path else []:
                pids += file.read_text().split()
        return pids

    def close(self) -> None:
        for _ in range(100):  # what was killed may need a moment to be gone
            for path in sorted([self.path, *self.path.rglob("*/")], reverse=True) if self.path else []:
                with suppress(OSError):
                    path.rmdir()
            if not self.path or not self.path.exists():
                return
            time.sleep(0.1)


def proportional(pids: list[str]) -> int:
    """Return the sum of the processes' PSS in bytes: a shared page counts once, divided among those who share it."""
    total = 0
    for pid in pids:
        with suppress(OSError, StopIteration):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            total += 1024 * int(next(line.split()[1] for line in lines if line.startswith("Pss:")))
    return total


def cost(command: list[str], path: str, log: Path) -> Cost:
    """Run a command and return its cost; its output goes to a file, which is shown if it fails."""
    group, most = Group(), 0
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    before, started = _children(), time.perf_counter()
    try:
        with log.open("a") as file:
            words = [*group.words(), *command]
            process = subprocess.Popen(words, stdout=file, stderr=file, env=environment, cwd=log.parent)
        while process.returncode is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.25)
            most = max(most, proportional(group.pids()))
        wall = time.perf_counter() - started
        used, waited = group.seconds(), _children() - before
    finally:
        group.close()
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{log.read_text()[-3000:]}")
    meter = "cgroup" if group.path else "getrusage of waited-for children: no cgroup can be had here"
    return Cost(max(used, waited), wall, most, meter)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
