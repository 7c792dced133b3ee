"""The most memory that a worker held during one call, read from outside: its kernel's own high-water mark."""

from pathlib import Path

RESET = "5"  # what makes the kernel begin a new high-water mark: proc(5), /proc/pid/clear_refs


class PeakMemory:
    """Measures what a process takes from now on, beyond what it holds now.

    Where the high-water mark cannot be reset, only what goes beyond the old mark is seen: never too much.
    """

    def __init__(self, pid: int) -> None:
        self.folder = Path("/proc", str(pid))
        try:
            (self.folder / "clear_refs").write_text(RESET)
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
