"""The zygote's memory in huge pages: it holds what it held, and what a fork of it writes stays in the fork."""

import subprocess
import sys
from pathlib import Path

import pytest

from autograder.places import ROOT

COLLAPSES = """
import os, re
from pathlib import Path
from inside import isolation

def huge():
    return int(re.search(r"AnonHugePages: +(\\d+)", Path("/proc/self/smaps_rollup").read_text()).group(1))

numbers = bytearray(range(256)) * (64 << 10)  # 16 MB
isolation.collapse()
after = huge()
if os.fork() == 0:
    numbers[:] = bytes(len(numbers))
    os._exit(0)
os.wait()
assert numbers == bytearray(range(256)) * (64 << 10)
print(after)
"""


def test_memory_is_what_it_was_in_fewer_pages() -> None:
    command = [sys.executable, "-c", COLLAPSES]
    environment = {"PYTHONPATH": str(ROOT / "autograder" / "sandbox")}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    if not Path("/sys/kernel/mm/transparent_hugepage").exists() or _kernel() < (6, 1):
        pytest.skip("this kernel cannot put memory into huge pages")
    assert int(ran.stdout) > 10 << 10  # kB


def _kernel() -> tuple[int, ...]:
    release = Path("/proc/sys/kernel/osrelease").read_text()
    return tuple(int(number) for number in release.split("-")[0].split(".")[:2])
