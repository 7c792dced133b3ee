"""The sandbox's control socket: a Unix socket in a folder for its owner only; each connection asks for one worker."""

import fcntl
import json
import os
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

PREFIX = "sandbox-control-"
REQUEST = struct.Struct("<cI")  # the kind of request, and a job's CPU seconds
PING, JOB = b"z", b"j"


class Process:
    """A process held by its pidfd, so that a signal never reaches another one with the same pid."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._handle = os.pidfd_open(pid)

    def __del__(self) -> None:
        with suppress(OSError, AttributeError):
            os.close(self._handle)

    def has_ended(self, seconds: float = 0.0) -> bool:
        """Return whether the process has ended, waiting up to so many seconds for it."""
        watch = select.poll()
        watch.register(self._handle, select.POLLIN)
        return bool(watch.poll(seconds * 1000))

    def send_signal(self, number: signal.Signals) -> None:
        signal.pidfd_send_signal(self._handle, number)

    def kill(self) -> None:
        """Kill the process and wait until it has ended; pid 1 of a namespace takes all its processes along."""
        with suppress(OSError):
            self.send_signal(signal.SIGKILL)
            self.has_ended(5)


@dataclass
class ControlSocket:
    """A folder with the socket `socket`, the sandbox's settings in `settings`, and the locks `building` and `in_use`.

    `in_use` is locked as long as its maker lives, or a process that was forked from it.
    """

    folder: Path
    settings: dict[str, Any]
    in_use: IO[bytes] | None = None  # its maker's

    @classmethod
    def create(cls, settings: dict[str, Any]) -> "ControlSocket":
        """Make the folder with its settings; delete those of runs that were killed."""
        _sweep()
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir="/tmp"))  # TMPDIR may be too long for a socket's path
        in_use = (folder / "in_use").open("wb")
        fcntl.flock(in_use, fcntl.LOCK_EX)
        (folder / "settings").write_text(json.dumps(settings))  # last: without it nobody sweeps the folder
        return cls(folder, settings, in_use)

    @classmethod
    def open(cls, folder: Path) -> "ControlSocket":
        """Return the control socket that another process made; raise OSError where it is gone."""
        return cls(folder, json.loads((folder / "settings").read_text()))

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Keep all other processes from building a sandbox at the same time."""
        with (self.folder / "building").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def listen(self) -> socket.socket:
        """Return a socket that listens at the folder's `socket`, in place of an earlier one."""
        listener, new_path = socket.socket(socket.AF_UNIX), self.folder / f"socket-{os.getpid()}"
        new_path.unlink(missing_ok=True)
        listener.bind(str(new_path))
        listener.listen(256)
        new_path.rename(self.folder / "socket")
        return listener

    def connect(self, kind: bytes, seconds: float, cpu_seconds: int = 0) -> tuple[socket.socket, Process]:
        """Connect to the zygote; return the socket and the peer process: a new worker for JOB, the zygote for PING.

        A JOB has so many CPU seconds, and lives as long as this process holds the socket.
        Raise OSError where nobody answers within `seconds`.
        """
        link = socket.socket(socket.AF_UNIX)
        try:
            link.settimeout(seconds)
            link.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            link.connect(str(self.folder / "socket"))
            link.sendall(REQUEST.pack(kind, cpu_seconds))
            message, ancillary, _, _ = link.recvmsg(1, socket.CMSG_SPACE(12))
            if message != kind:
                raise OSError(link.recv(2000).decode(errors="replace") if message else "it ended")
            link.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
            # The kernel has translated the sender's pid to this process's namespace.
            return link, Process(int.from_bytes(ancillary[0][2][:4], sys.byteorder))
        except BaseException:
            link.close()
            raise

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.in_use:
            self.in_use.close()


def _sweep() -> None:
    """Delete this user's folders that no living process made: SIGKILL leaves its own behind."""
    for folder in Path("/tmp").glob(f"{PREFIX}*"):
        with suppress(OSError):
            if folder.lstat().st_uid == os.geteuid() and (folder / "settings").exists():
                with (folder / "in_use").open("rb") as in_use:
                    fcntl.flock(in_use, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder)
