"""The door in the wall: a Unix socket in a folder for its owner only, at which each connection asks for one worker."""

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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PREFIX = "wall-door-"
WORDS = struct.Struct("<cI")  # what is asked for, and a job's seconds of CPU
WARM, JOB = b"z", b"j"


class NoAnswer(OSError):
    """Nobody opened; says what was heard instead."""


class Process:
    """A process that can be watched and killed without a doubt that it is the one: by its pidfd."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._handle = os.pidfd_open(pid)

    def __del__(self) -> None:
        with suppress(OSError, AttributeError):
            os.close(self._handle)

    def gone(self, seconds: float = 0.0) -> bool:
        """Return whether it has ended, or does so in the next seconds."""
        watch = select.poll()
        watch.register(self._handle, select.POLLIN)
        return bool(watch.poll(seconds * 1000))

    def send(self, number: signal.Signals) -> None:
        signal.pidfd_send_signal(self._handle, number)

    def kill(self) -> None:
        """Kill it and wait until it is no more; if it is pid 1 of a namespace, all processes in there with it."""
        with suppress(OSError):
            self.send(signal.SIGKILL)
            self.gone(5)


@dataclass
class ControlSocket:
    """One folder with the socket `door`, what is to be known about the wall in `about`, and two locks."""

    folder: Path
    about: dict[str, Any]
    _held: int = field(default=-1, repr=False)

    @classmethod
    def make(cls, about: dict[str, Any]) -> "ControlSocket":
        """Make the folder, and remove those whose users have all gone without a farewell."""
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir="/tmp"))  # TMPDIR may be too long for a socket's address
        door = cls(folder, about)
        door._hold()
        (folder / "about").write_text(json.dumps(about))
        for other in folder.parent.glob(f"{PREFIX}*"):
            if other != folder:
                _sweep(other)
        return door

    @classmethod
    def find(cls, folder: Path) -> "ControlSocket":
        """Return the door that another process made."""
        door = cls(folder, json.loads((folder / "about").read_text()))
        door._hold()
        return door

    def _hold(self) -> None:
        """Keep the folder from being swept while we live: the lock is shared by all who use the door."""
        self._held = os.open(self.folder / "held", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._held, fcntl.LOCK_SH)

    def __del__(self) -> None:
        if self._held >= 0:
            os.close(self._held)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep every other user from building a sandbox at the same time."""
        with (self.folder / "building").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def listener(self) -> socket.socket:
        """Return a socket that listens behind the door, in the place of an earlier one."""
        listener, fresh = socket.socket(socket.AF_UNIX), self.folder / f"door-{os.getpid()}"
        fresh.unlink(missing_ok=True)
        listener.bind(str(fresh))
        listener.listen(256)
        fresh.rename(self.folder / "door")
        return listener

    def connect(
        self, word: bytes, seconds: float, cpu_seconds: int = 0, lifeline: list[int] | None = None
    ) -> tuple[socket.socket, Process]:
        """Return the link to whoever opened, and that process as this side of the wall knows it."""
        link = socket.socket(socket.AF_UNIX)
        try:
            link.settimeout(seconds)
            link.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            link.connect(str(self.folder / "door"))
            socket.send_fds(link, [WORDS.pack(word, cpu_seconds)], lifeline or [])
            message, ancillary, _, _ = link.recvmsg(1, socket.CMSG_SPACE(12))
            if message != word:
                raise NoAnswer(link.recv(2000).decode(errors="replace") if message else "it ended")
            link.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
            # The kernel filled in the sender's pid, as seen from here.
            return link, Process(int.from_bytes(ancillary[0][2][:4], sys.byteorder))
        except BaseException:
            link.close()
            raise

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _sweep(folder: Path) -> None:
    """Remove a folder that nobody holds any more: its users were killed."""
    try:
        if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
            return
        with (folder / "held").open("r") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:  # in use, or already gone
        return
