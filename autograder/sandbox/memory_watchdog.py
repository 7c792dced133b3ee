"""The memory limit of a job: a thread adds up the memory of its processes, and kills those of a job above it."""

import os
import signal
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path

from autograder.sandbox.control_socket import Process

MAX_MEMORY = 1536 << 20  # bytes of one job beyond what it shares with the zygote
INTERVAL = 0.05  # seconds
_PAGE = os.sysconf("SC_PAGE_SIZE")


def process_tree(pid: int) -> list[int]:
    """Return a process and all its descendants; a job's pid 1 adopts its orphans, so that none is missed."""
    pids = [pid]
    for member in pids:  # grows as we go
        with suppress(OSError):
            for task in os.listdir(f"/proc/{member}/task"):  # noqa: PTH208
                pids += map(int, read_proc(f"/proc/{member}/task/{task}/children").split())
    return pids


def read_proc(file: str) -> str:
    """Return the content of a small file of /proc, in half the time that `Path.read_text` takes; raise OSError."""
    with open(file, "rb", buffering=0) as opened:  # noqa: PTH123
        return opened.readall().decode("ascii", "replace")  # a process is called as it likes


def uncharged_bytes(pid: int) -> int:
    """Return the bytes that a job holds and no process is charged for: files in tmpfs, socket buffers."""
    bytes_held = 0
    for place in ("tmp", "dev/shm"):
        with suppress(OSError):
            filesystem = os.statvfs(f"/proc/{pid}/root/{place}")
            bytes_held += (filesystem.f_blocks - filesystem.f_bfree) * filesystem.f_frsize
    with suppress(OSError, ValueError, IndexError):
        count = Path("/proc", str(pid), "net", "sockstat").read_text().split()[2]  # those of its network namespace
        bytes_held += int(count) * _socket_bytes()
    return bytes_held


def _has_own_namespaces(pid: int) -> bool:
    """Return whether a job's files and sockets are its own; without a sandbox they are the machine's."""
    try:
        return all(
            Path(f"/proc/{pid}/ns/{kind}").readlink() != Path(f"/proc/self/ns/{kind}").readlink()
            for kind in ("mnt", "net")
        )
    except OSError:
        return False


@cache
def _socket_bytes() -> int:
    """Return the most bytes that one socket can hold: a sender may exceed its buffer by one message of its size."""
    return 2 * int(Path("/proc/sys/net/core/wmem_default").read_text())


def memory_of(pids: list[int], exact_above: int = MAX_MEMORY) -> int:
    """Return the bytes that processes take together; above `exact_above`, shared memory counts once."""
    resident = sum(_resident(pid) for pid in pids)  # fast, and never too low
    return resident if resident <= exact_above else sum(_proportional(pid) for pid in pids)


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


def kill_descendants(pid: int) -> None:
    """Kill all processes below this one."""
    for each in process_tree(pid)[1:]:
        with suppress(OSError):
            held = Process(each)
            if each in process_tree(pid):  # and not another process that has got its number meanwhile
                held.send_signal(signal.SIGKILL)


class MemoryWatchdog:
    """A thread that keeps one job below `max_bytes`, until the job ends or `stop` is called.

    The processes that a worker started go first, as in a control group: their memory costs the student no points.
    """

    def __init__(self, process: Process, max_bytes: int = MAX_MEMORY) -> None:
        self.process = process
        self.max_bytes = max_bytes
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="memory of a job", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        pid, own = self.process.pid, _has_own_namespaces(self.process.pid)
        while not self._stopped.wait(INTERVAL) and not self.process.has_ended():
            allowed = self.max_bytes - (uncharged_bytes(pid) if own else 0)
            if memory_of([pid], allowed) > allowed:
                self.process.kill()
            elif memory_of(process_tree(pid), allowed) > allowed:
                kill_descendants(pid)

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(5)


class PeakMemory:
    """Measures the memory that a process takes from now on, beyond the present: by the kernel's high-water mark.

    If the mark cannot be reset, only memory above the old one is seen: the result is never too high.
    """

    def __init__(self, pid: int) -> None:
        self.folder = Path("/proc", str(pid))
        try:
            (self.folder / "clear_refs").write_text("5")  # begins a new high-water mark: proc(5)
        except OSError:
            self.before = self._bytes("VmHWM")
        else:
            self.before = self._bytes("VmRSS")

    def taken(self) -> int:
        """Return the bytes; 0 where the process has ended."""
        return max(0, self._bytes("VmHWM") - self.before)

    def _bytes(self, field: str) -> int:
        try:
            lines = (self.folder / "status").read_text().splitlines()
        except OSError:
            return 0
        return next((int(line.split()[1]) << 10 for line in lines if line.startswith(f"{field}:")), 0)
