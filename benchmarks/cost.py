"""The cost of a command: CPU, wall-clock time and memory of its whole process tree."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass
class Cost:
    """The cost of a command: CPU seconds of its process tree, wall-clock seconds, and the peak sum of PSS in bytes."""

    cpu: float
    wall: float
    memory: int


def proportional(processes: Iterable[psutil.Process]) -> int:
    """Return the sum of the processes' PSS in bytes: a shared page counts once, divided among those who share it."""
    total = 0
    for process in processes:
        with suppress(psutil.Error):
            total += process.memory_full_info().pss
    return total


def cost(command: list[str], path: str, log: Path, **more: str) -> Cost:
    """Run a command and return its cost; its output goes to a file, which is shown if it fails.

    CPU is that of all processes which somebody in the tree has waited for, as the grader does for all of its own.
    """
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", **more}
    before, started, most = _children(), time.perf_counter(), 0
    with log.open("a") as file:
        running = psutil.Popen(command, stdout=file, stderr=file, env=environment, cwd=log.parent)
        while True:
            with suppress(psutil.TimeoutExpired, subprocess.TimeoutExpired):
                status = running.wait(timeout=0.25)
                break
            with suppress(psutil.Error):
                most = max(most, proportional([running, *running.children(recursive=True)]))
    wall = time.perf_counter() - started
    if status:
        sys.exit(f"{' '.join(command)} failed:\n{log.read_text()[-3000:]}")
    return Cost(_children() - before, wall, most)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
