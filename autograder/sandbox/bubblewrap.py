"""Bubblewrap's command line: a sandbox with the system's libraries and the given folders in it, and nothing else."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from ctypes.util import find_library
from dataclasses import dataclass, field
from pathlib import Path

UNPRIVILEGED_USER = 30001  # root becomes this user before it starts the sandbox: it owns no file and no other process
STAGING = "sandbox-mounts-"
OLD_SECONDS = 600  # no sandbox takes so long to start
PROBE = "unshare --user --map-root-user --mount --pid --ipc --net --uts --fork --mount-proc true".split()
REMEDY = (
    "Student code is only run behind a sandbox. On Debian or Ubuntu: `apt-get install bubblewrap`, and allow user "
    "namespaces (`sysctl user.max_user_namespaces`; in Docker `--security-opt seccomp=unconfined`; in Ubuntu 24.04 an "
    "AppArmor profile for bwrap)."
)


class NoSandbox(RuntimeError):
    """Student code cannot be run safely on this machine; the message says why and what to do."""


def unavailable_reason() -> str | None:
    """Return the reason why student code cannot be sandboxed, in one line; None where it can."""
    if not sys.platform.startswith("linux"):
        return f"the sandbox needs Linux, this is {sys.platform}"
    needed = ["bwrap", "unshare"] + (["setpriv", "mount"] if os.geteuid() == 0 else [])
    missing = [name for name in needed if not shutil.which(name)]
    if missing:
        return f"the program {missing[0]} is not installed" + (" (package bubblewrap)" if "bwrap" in missing else "")
    if find_library("seccomp") is None:
        return "libseccomp is not installed (package libseccomp2)"
    with BindMounts({}) as mounts:
        command = mounts.command(
            [*namespace_arguments(), *system_arguments(), "--proc", "/proc", "--dev", "/dev", "--", *PROBE]
        )
        try:
            probe = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=30)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"bubblewrap does not start: {error}"
    if probe.returncode == 0:
        return None
    error_lines = probe.stderr.strip().splitlines() or [f"exit status {probe.returncode}"]
    return f"the system forbids user namespaces or mounts in them ({error_lines[-1]})"


def require() -> None:
    """Raise NoSandbox with the reason and the remedy where student code cannot be sandboxed."""
    if reason := unavailable_reason():
        raise NoSandbox(f"Not graded: {reason}. {REMEDY}")


def environment() -> dict[str, str]:
    """Return the environment in which bubblewrap is started."""
    return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}


def namespace_arguments() -> list[str]:
    """Return the start of bubblewrap's command line: all namespaces new, no environment, no terminal."""
    return ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"]


# Of /usr: programs, the loader and its libraries, and files for text, time and terminals. Never all of it: container
# images put programs such as the course into /usr/src, and a class or a home may lie anywhere.
PROGRAM_PATTERNS = ("bin", "lib64", "lib/*-linux-gnu*", "lib/*.so*")
SYSTEM_PATTERNS = (
    *PROGRAM_PATTERNS,
    *("lib/python3.*", "lib/locale", "lib/terminfo", "local/lib/*.so*"),
    *("share/fonts", "share/zoneinfo", "share/terminfo", "local/share/fonts"),
)


def system_places() -> list[Path]:
    """Return the system's paths that the sandbox shows, each at its own path."""
    tops: list[tuple[Path, tuple[str, ...]]] = [(Path("/usr"), SYSTEM_PATTERNS)]
    if not Path("/lib").is_symlink():  # a system that keeps its first programs and libraries apart from the others
        tops.append((Path("/"), PROGRAM_PATTERNS))
    paths = [place for top, patterns in tops for pattern in patterns for place in sorted(top.glob(pattern))]
    if Path("/usr/lib64").is_symlink() and Path("/usr/lib64").resolve() == Path("/usr/lib"):
        paths.append(Path("/usr/lib"))  # Arch has all libraries there, and no folder for an architecture
    return paths


def system_arguments() -> list[str]:
    """Return bubblewrap's arguments that show the system's programs and libraries, and the files of /etc they need."""
    links = [place for place in (Path("/", name) for name in ("bin", "lib", "lib64")) if place.is_symlink()]
    arguments: list[str] = []
    for place in dict.fromkeys([*links, *system_places()]):
        linked = place.is_symlink()
        arguments += (
            ["--symlink", str(place.readlink()), str(place)] if linked else ["--ro-bind", str(place), str(place)]
        )
    for place in ("/etc/ld.so.cache", "/etc/fonts", "/etc/alternatives"):
        arguments += ["--ro-bind-try", place, place]
    return [*arguments, "--setenv", "PATH", "/usr/bin:/bin"]


# Folders and the command come as arguments, so that the shell interprets no character of a path.
_BIND_AND_EXEC = """n=$1 at=$2 i=0; shift 2
while [ $i -lt $n ]; do mount --bind "$1" "$at/$i" || exit 1; shift; i=$((i+1)); done
exec "$@"
"""


@dataclass
class BindMounts:
    """The bind mounts of the folders that the sandbox shows: {path inside: folder outside}.

    An ordinary user binds them directly. Root must not stay root (it would escape limits, and the kernel refuses it a
    fresh /proc), and the user it becomes may not pass through folders such as root's home: so root binds each folder
    below the folder `staging` first, in its own mount namespace.
    """

    folders: dict[str, Path]
    staging: Path | None = None
    _sources: list[Path] = field(default_factory=list)  # each is bound once, with all that lies in it

    def __enter__(self) -> "BindMounts":
        if os.geteuid() == 0:
            _sweep()
            self.staging = Path(tempfile.mkdtemp(prefix=STAGING, dir="/tmp"))
            self.staging.chmod(0o755)
            self._sources = list(dict.fromkeys(map(_source, self.folders.values())))
            for number in range(len(self._sources)):
                (self.staging / str(number)).mkdir()
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the staging folder; the sandbox keeps its mounts."""
        if self.staging:
            _remove_empty(self.staging)

    def binds(self) -> list[str]:
        """Return bubblewrap's arguments that show the folders, read-only."""
        return [
            word
            for inside, outside in self.folders.items()
            for word in ("--ro-bind", self._source_path(outside), inside)
        ]

    def _source_path(self, outside: Path) -> str:
        if self.staging is None:
            return str(outside)
        source = _source(outside)
        return str(self.staging / str(self._sources.index(source)) / outside.relative_to(source))

    def command(self, arguments: list[str]) -> list[str]:
        """Return the whole command line that runs bubblewrap, as an unprivileged user where this process is root."""
        if self.staging is None:
            return arguments
        ids = [f"--reuid={UNPRIVILEGED_USER}", f"--regid={UNPRIVILEGED_USER}"]
        user = ["setpriv", *ids, "--clear-groups", "--inh-caps=-all", "--no-new-privs"]
        mounted = [str(len(self._sources)), str(self.staging), *map(str, self._sources)]
        shell = ["unshare", "--mount", "--propagation", "private", "sh", "-c", _BIND_AND_EXEC, "sh"]
        return [*shell, *mounted, *user, *arguments]


def _remove_empty(staging: Path) -> None:
    """Remove a staging folder by rmdir, not rmtree: no file is ever deleted."""
    for place in (*staging.iterdir(), staging):
        place.rmdir()


def _sweep() -> None:
    """Remove the staging folders of runs that were killed while their sandbox was being built."""
    for staging in Path("/tmp").glob(f"{STAGING}*"):
        with suppress(OSError):
            state = staging.lstat()
            if state.st_uid == os.geteuid() and time.time() - state.st_mtime > OLD_SECONDS:
                _remove_empty(staging)


def python_base() -> Path:
    """Return the installation behind this Python, or behind its virtual environment."""
    return Path(sys.base_prefix).resolve()


def _source(outside: Path) -> Path:
    """Return the folder to bind so that a path can be shown: for packages, the folder that holds all of them."""
    base = python_base()
    for parent in outside.parents:
        if parent.name in ("site-packages", "dist-packages") or parent == base:
            return parent
    return outside
