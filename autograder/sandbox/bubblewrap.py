"""Bubblewrap's command line: a sandbox that shows the system's libraries and the folders it is given, nothing else."""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from autograder.sandbox import installation

OUTSIDER = 30001  # the user that root becomes before it enters: it owns no file and no other process
PROBE = [
    "unshare",
    "--user",
    "--map-root-user",
    "--mount",
    "--pid",
    "--ipc",
    "--net",
    "--uts",
    "--fork",
    "--mount-proc",
    "true",
]
REMEDY = (
    "Student code is only run behind a sandbox. On Debian or Ubuntu: `apt-get install bubblewrap`, and allow user "
    "namespaces (`sysctl user.max_user_namespaces`; in Docker `--security-opt seccomp=unconfined`; in Ubuntu 24.04 an "
    "AppArmor profile for bwrap)."
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
    with BindMounts({}) as entrance:
        command = entrance.command([*bare(), *system(), "--proc", "/proc", "--dev", "/dev", "--", *PROBE])
        try:
            probe = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=30)
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


def environment() -> dict[str, str]:
    return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}


def bare() -> list[str]:
    return ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"]


# Of /usr: programs, the loader and its libraries, and what text, time and terminals need. Never all of it: container
# images put programs such as the course into /usr/src, and a class or a home may lie anywhere.
PROGRAMS = ("bin", "lib64", "lib/*-linux-gnu*", "lib/*.so*")
LISTED = (
    *PROGRAMS,
    *("lib/python3.*", "lib/locale", "lib/terminfo", "local/lib/*.so*"),
    *("share/fonts", "share/zoneinfo", "share/terminfo", "local/share/fonts"),
)


def system_places() -> list[Path]:
    """Return what is shown of the system, each in its own place."""
    tops: list[tuple[Path, tuple[str, ...]]] = [(Path("/usr"), LISTED)]
    if not Path("/lib").is_symlink():  # a system that keeps its first programs and libraries apart from the others
        tops.append((Path("/"), PROGRAMS))
    listed = [place for top, patterns in tops for pattern in patterns for place in sorted(top.glob(pattern))]
    if Path("/usr/lib64").is_symlink() and Path("/usr/lib64").resolve() == Path("/usr/lib"):
        listed.append(Path("/usr/lib"))  # Arch has all libraries there, and no folder for an architecture
    return listed


def system() -> list[str]:
    """Show the system's programs and libraries, and of /etc only what loading a library and drawing text take."""
    links = [place for place in (Path("/", name) for name in ("bin", "lib", "lib64")) if place.is_symlink()]
    shown: list[str] = []
    for place in dict.fromkeys([*links, *system_places()]):
        linked = place.is_symlink()
        shown += ["--symlink", str(place.readlink()), str(place)] if linked else ["--ro-bind", str(place), str(place)]
    for place in ("/etc/ld.so.cache", "/etc/fonts", "/etc/alternatives"):
        shown += ["--ro-bind-try", place, place]
    return [*shown, "--setenv", "PATH", "/usr/bin:/bin"]


# Folders and words come as arguments, so that no odd character in a path reaches the shell.
_BIND_AND_GO = """n=$1 at=$2 i=0; shift 2
while [ $i -lt $n ]; do mount --bind "$1" "$at/$i" || exit 1; shift; i=$((i+1)); done
exec "$@"
"""


@dataclass
class BindMounts:
    """The way in for the folders that the sandbox shows: {place inside: folder outside}.

    An ordinary user binds them directly. Root must not stay root (it would escape limits, and the kernel refuses it a
    fresh /proc), and the user it becomes may not pass through folders such as root's home: so root binds each folder to
    a neutral place first, in a mount namespace of its own.
    """

    folders: dict[str, Path]
    neutral: Path | None = None
    _sources: list[Path] = field(default_factory=list)  # each is bound once; what lies in one of them needs no other

    def __enter__(self) -> "BindMounts":
        if os.geteuid() == 0:
            self.neutral = Path(tempfile.mkdtemp(prefix="wall-", dir="/tmp"))
            self.neutral.chmod(0o755)
            self._sources = list(dict.fromkeys(map(_source, self.folders.values())))
            for number in range(len(self._sources)):
                (self.neutral / str(number)).mkdir()
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the neutral places. The sandbox keeps its mounts; rmdir, not rmtree: never a student's or our file."""
        if self.neutral:
            for place in (*self.neutral.iterdir(), self.neutral):
                place.rmdir()

    def binds(self) -> list[str]:
        """Return bubblewrap's arguments that show the folders, read-only."""
        return [word for inside, outside in self.folders.items() for word in ("--ro-bind", self._seen(outside), inside)]

    def _seen(self, outside: Path) -> str:
        if self.neutral is None:
            return str(outside)
        source = _source(outside)
        return str(self.neutral / str(self._sources.index(source)) / outside.relative_to(source))

    def command(self, words: list[str]) -> list[str]:
        """Return the whole command line that runs bubblewrap's words as nobody in particular."""
        if self.neutral is None:
            return words
        user = [f"--reuid={OUTSIDER}", f"--regid={OUTSIDER}", "--clear-groups", "--inh-caps=-all", "--no-new-privs"]
        mounted = [str(len(self._sources)), str(self.neutral), *map(str, self._sources)]
        return [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-c",
            _BIND_AND_GO,
            "sh",
            *mounted,
            "setpriv",
            *user,
            *words,
        ]


def _source(outside: Path) -> Path:
    """Return the folder to bind so that a path can be shown: of the many packages, the folder that holds them."""
    base = installation.base()
    for parent in outside.parents:
        if parent.name in ("site-packages", "dist-packages") or parent == base:
            return parent
    return outside
