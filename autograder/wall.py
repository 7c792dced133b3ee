"""The wall: a sandbox with a warm process in it that forks one worker per job; for root and for ordinary users."""

import importlib.metadata
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from autograder.places import BUILD, INSIDE, PUBLIC
from autograder.sandbox import REMEDY, Entrance, NoSandbox, available, bare, demand, environment, system

__all__ = ["NoSandbox", "Wall", "available", "demand"]

START_SECONDS = 120


class NoWorker(RuntimeError):
    """One worker could not be made, though a sandbox can be; says why."""


def font_cache() -> Path:
    """Return a matplotlib configuration folder with the fonts looked up: that costs a second of every start."""
    cache = BUILD / "cache" / f"matplotlib-{importlib.metadata.version('matplotlib')}"
    if not cache.is_dir():
        cache.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=cache.parent))
        settings = {**environment(), "MPLCONFIGDIR": str(fresh), "HOME": str(fresh)}
        subprocess.run(
            [sys.executable, "-c", "import matplotlib.font_manager"], env=settings, check=True, capture_output=True
        )
        for path in (fresh, *fresh.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        try:
            fresh.rename(cache)
        except OSError:  # another process was first
            shutil.rmtree(fresh)
    return cache


def _shown(kit: Path) -> tuple[dict[str, Path], str]:
    """Return the folders that the sandbox shows, and its python."""
    base = Path(sys.base_prefix).resolve()
    shown = {"/wall/inside": INSIDE, "/kit": kit.resolve(), "/cache/matplotlib": font_cache()}
    if not base.is_relative_to("/usr"):
        shown[str(base)] = base
    if sys.prefix == sys.base_prefix:
        return shown, sys.executable
    shown["/venv"] = Path(sys.prefix).resolve()
    return shown, f"/venv/bin/{Path(sys.executable).name}"


SETTINGS = {
    "PATH": "/venv/bin:/usr/bin:/bin",
    "HOME": "/tmp",
    "USER": "student",
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "PYTHONPATH": "/wall:/kit",
    "PYTHONSAFEPATH": "1",
    "PYTHONNOUSERSITE": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",  # a regrade iterates over sets in the same order
    "OMP_NUM_THREADS": "1",  # libgomp's threads do not survive the fork: the child would hang
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "MPLCONFIGDIR": "/tmp/matplotlib",
    "IPYTHONDIR": "/tmp/ipython",
}


def demand_current(kit: Path) -> None:
    """Raise unless the kit speaks as we do: its public side of the grader is a copy of ours."""
    for ours in sorted(PUBLIC.glob("*.py")):
        theirs = kit / "autograder" / "kit" / ours.name
        if not theirs.exists() or theirs.read_bytes() != ours.read_bytes():
            raise NoSandbox(
                f"The kit at {kit} is missing or older than autograder/kit/{ours.name}. Run `make release`."
            )


@dataclass
class Wall:
    """The sandbox with its warm process; `enter()` returns the socket, pid and pidfd of a fresh worker."""

    kit: Path
    _control: socket.socket | None = field(default=None, init=False)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def __enter__(self) -> "Wall":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Build the sandbox and wait until its warm process says that it is ready."""
        if not (self.kit / "autograder" / "kit").is_dir():
            raise NoSandbox(f"No kit at {self.kit}: it holds what student code may import. `make release` makes it.")
        shown, python = _shown(self.kit)
        ours, theirs = socket.socketpair()
        with Entrance(shown) as entrance, theirs, tempfile.TemporaryFile() as errors:
            words = [
                *bare(),
                *system(),
                *entrance.binds(),
                "--proc",
                "/proc",
                "--dev",
                "/dev",
                "--size",
                str(256 << 20),
            ]
            words += ["--tmpfs", "/tmp", "--chdir", "/tmp"]
            words += [word for name, value in SETTINGS.items() for word in ("--setenv", name, value)]
            # Without this a worker could leave files in the sandbox's own / and /dev for the workers after it.
            words += ["--remount-ro", "/dev", "--remount-ro", "/"]
            words += ["--", python, "-s", "-m", "inside.zygote", str(theirs.fileno())]
            self._process = subprocess.Popen(
                entrance.command(words),
                env=environment(),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                pass_fds=[theirs.fileno()],
            )
            theirs.close()
            self._control = ours
            ours.settimeout(START_SECONDS)
            said = _hear(ours)
            if said != b"ready":
                self.close()
                errors.seek(0)
                detail = (said + errors.read()).decode(errors="replace").strip()[-2000:]
                raise NoSandbox(f"The sandbox did not start. It said: {detail or 'nothing'}. {available() or REMEDY}")

    def enter(self) -> tuple[socket.socket, int]:
        """Return the socket and the pidfd of a fresh worker, ready for its first request."""
        said = ""
        for _ in range(2):  # what has died, of too little memory say, is built again once
            if self._process is None or self._process.poll() is not None:
                self.close()
                self.start()
            try:
                return self._worker()
            except (OSError, NoWorker) as error:
                said = str(error)
                self.close()
        demand()
        raise NoWorker(f"No worker could be made: {said}.")

    def _worker(self) -> tuple[socket.socket, int]:
        assert self._control is not None
        ours, theirs = socket.socketpair()
        try:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            with theirs:
                socket.send_fds(self._control, [b"j"], [theirs.fileno()])
            ours.settimeout(START_SECONDS)
            message, ancillary, _, _ = ours.recvmsg(1, socket.CMSG_SPACE(12))
            if message != b"w":
                raise NoWorker(_hear(ours).decode(errors="replace") or "it died")
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
            return ours, os.pidfd_open(int.from_bytes(ancillary[0][2][:4], sys.byteorder))
        except BaseException:
            ours.close()
            raise

    def close(self) -> None:
        """Take the sandbox down with all that is in it."""
        if self._control:
            self._control.close()
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        self._control = self._process = None


def _hear(link: socket.socket) -> bytes:
    try:
        return link.recv(2000)
    except OSError:
        return b""
