"""The wall: a sandbox with a warm process in it that forks one worker per job. Bubblewrap builds it; it works from root and from an ordinary user."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from autograder.places import BUILD, INSIDE

OUTSIDER = 30001  # the user that root becomes before it enters: it owns no file and no other process
START_SECONDS = 120
PROBE = "unshare --user --map-root-user --mount --pid --ipc --net --uts --fork --mount-proc true".split()
REMEDY = (
    "Student code is only run behind a sandbox. On Debian or Ubuntu: `apt-get install bubblewrap`, and allow user namespaces "
    "(`sysctl user.max_user_namespaces`; in Docker: `--security-opt seccomp=unconfined`; on Ubuntu 24.04: an AppArmor profile for bwrap)."
)


class NoSandbox(RuntimeError):
    """Student code cannot be run safely here; says why and what to do."""


def available() -> str | None:
    """Return None where student code can be sandboxed, else the reason in one line."""
    if not sys.platform.startswith("linux"):
        return f"the sandbox needs Linux, this is {sys.platform}"
    needed = ["bwrap", "unshare"] + (["setpriv", "mount"] if os.geteuid() == 0 else [])
    missing = [name for name in needed if not shutil.which(name)]
    if missing:
        return f"the program {missing[0]} is not installed" + (" (package bubblewrap)" if "bwrap" in missing else "")
    with _Entrance({}) as entrance:
        command = entrance.command([*_bare(), *_system(), "--proc", "/proc", "--dev", "/dev", "--", *PROBE])
        try:
            probe = subprocess.run(command, capture_output=True, text=True, env=_environment(), timeout=30)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"bubblewrap does not start: {error}"
    if probe.returncode == 0:
        return None
    said = probe.stderr.strip().splitlines() or [f"exit status {probe.returncode}"]
    return f"the system forbids user namespaces or mounts in them ({said[-1]})"


def demand() -> None:
    """Raise NoSandbox with the reason and the remedy where student code cannot be sandboxed."""
    if reason := available():
        raise NoSandbox(f"Not graded: {reason}. {REMEDY}")


def _environment() -> dict[str, str]:
    return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}


def _bare() -> list[str]:
    return ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"]


def _system() -> list[str]:
    """Show the system's programs and libraries, and of /etc only what loading a library and drawing text take."""
    shown = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib64"):
        place = Path("/", name)
        if place.is_symlink():
            shown += ["--symlink", str(place.readlink()), str(place)]
        elif place.is_dir():
            shown += ["--ro-bind", str(place), str(place)]
    for place in ("/etc/ld.so.cache", "/etc/fonts", "/etc/alternatives"):
        shown += ["--ro-bind-try", place, place]
    return [*shown, "--setenv", "PATH", "/usr/bin:/bin"]


@dataclass
class _Entrance:
    """The way in for the folders that the sandbox shows: {place inside: folder outside}.

    An ordinary user binds them directly. Root must not stay root (it would escape limits, and the kernel refuses it a fresh /proc), and
    the user it becomes may not pass through folders such as root's home: so root binds each folder to a neutral place first,
    in a mount namespace of its own.
    """

    folders: dict[str, Path]
    neutral: Path | None = None

    def __enter__(self) -> "_Entrance":
        if os.geteuid() == 0:
            self.neutral = Path(tempfile.mkdtemp(prefix="wall-", dir="/tmp"))
            self.neutral.chmod(0o755)
            for number in range(len(self.folders)):
                (self.neutral / str(number)).mkdir()
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the neutral places. The sandbox keeps its mounts; rmdir, not rmtree: never a student's or our file."""
        if self.neutral:
            for place in (*self.neutral.iterdir(), self.neutral):
                place.rmdir()

    def binds(self) -> list[str]:
        """Return bubblewrap's arguments that show the folders, read-only."""
        outside = [self.neutral / str(n) if self.neutral else folder for n, folder in enumerate(self.folders.values())]
        pairs = zip(outside, self.folders, strict=True)
        return [word for source, inside in pairs for word in ("--ro-bind", str(source), inside)]

    def command(self, words: list[str]) -> list[str]:
        """Return the whole command line that runs bubblewrap's words as nobody in particular."""
        if self.neutral is None:
            return words
        # Folders and words are passed as arguments, so that no odd character in a path reaches the shell.
        script = 'n=$1; at=$2; shift 2; i=0; while [ $i -lt $n ]; do mount --bind "$1" "$at/$i" || exit 1; shift; i=$((i+1)); done; exec "$@"'
        user = f"--reuid={OUTSIDER} --regid={OUTSIDER} --clear-groups --inh-caps=-all --no-new-privs".split()
        mounted = [str(len(self.folders)), str(self.neutral), *map(str, self.folders.values())]
        return [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-c",
            script,
            "sh",
            *mounted,
            "setpriv",
            *user,
            *words,
        ]


def font_cache() -> Path:
    """Return a matplotlib configuration folder with the fonts already looked up, which costs a second of every start."""
    import importlib.metadata

    cache = BUILD / "cache" / f"matplotlib-{importlib.metadata.version('matplotlib')}"
    if not cache.is_dir():
        cache.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=cache.parent))
        environment = {**_environment(), "MPLCONFIGDIR": str(fresh), "HOME": str(fresh)}
        subprocess.run(
            [sys.executable, "-c", "import matplotlib.font_manager"], env=environment, check=True, capture_output=True
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
        with _Entrance(shown) as entrance, theirs, tempfile.TemporaryFile() as errors:
            words = [
                *_bare(),
                *_system(),
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
            words += ["--", python, "-s", "-m", "inside.zygote", str(theirs.fileno())]
            self._process = subprocess.Popen(
                entrance.command(words),
                env=_environment(),
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
        if self._process is None or self._process.poll() is not None:
            self.close()
            self.start()
        assert self._control is not None
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        with theirs:
            socket.send_fds(self._control, [b"j"], [theirs.fileno()])
        ours.settimeout(START_SECONDS)
        message, ancillary, _, _ = ours.recvmsg(1, socket.CMSG_SPACE(12))
        if message != b"w":
            raise NoSandbox(f"No worker could be made: {_hear(ours).decode(errors='replace') or 'it died'}. {REMEDY}")
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        pid = int.from_bytes(ancillary[0][2][:4], sys.byteorder)
        return ours, os.pidfd_open(pid)

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
