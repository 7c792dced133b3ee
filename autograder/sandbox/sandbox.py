"""The wall: a sandbox with a warm process in it that forks one worker per job; for root and for ordinary users."""

import os
import socket
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.places import PUBLIC
from autograder.sandbox import cgroups
from autograder.sandbox.bubblewrap import REMEDY, BindMounts, NoSandbox, available, bare, demand, environment, system
from autograder.sandbox.cgroups import Group
from autograder.sandbox.control_socket import JOB, WARM, ControlSocket, Process
from autograder.sandbox.memory_watchdog import MemoryWatchdog
from autograder.sandbox.mounts import View, plain_view, view

__all__ = ["NoSandbox", "Sandbox", "available", "demand"]

START_SECONDS = 120
DANGER = (
    "WARNING: --no-sandbox: students' code runs as you, with nothing between it and this machine. It can read the "
    "solutions, the gradebook and your files, change or delete them, reach the network, and forge its own marks and "
    "those of others. Use it only for code that you have read, on a machine that you can lose."
)


class NoWorker(RuntimeError):
    """One worker could not be made, though a sandbox can be; says why."""


def demand_current(kit: Path) -> None:
    """Raise unless the kit speaks as we do: its public side of the grader is a copy of ours."""
    for ours in sorted(PUBLIC.glob("*.py")):
        theirs = kit / "autograder" / "kit" / ours.name
        if not theirs.exists() or theirs.read_bytes() != ours.read_bytes():
            raise NoSandbox(
                f"The kit at {kit} is missing or older than autograder/kit/{ours.name}. Run `make release`."
            )


@dataclass
class Job:
    """One worker: its socket, its process, the warm process that it was forked from, and what bounds its memory."""

    link: socket.socket
    process: Process
    warm: Process
    lifeline: int  # while we hold it, the worker's guard lets it live
    bound: Group | MemoryWatchdog

    def fell(self) -> bool:
        """Return whether the sandbox itself is gone, and took the worker with it: then no student is to blame."""
        return self.warm.gone(0.2)

    def end(self) -> None:
        """Kill the worker and every process that it started: it is pid 1 of its namespace."""
        self.process.kill()
        self.link.close()
        os.close(self.lifeline)
        if isinstance(self.bound, MemoryWatchdog):
            self.bound.stop()
        elif groups := cgroups.nursery():
            groups.release(self.bound)


def bounded(process: Process) -> Group | MemoryWatchdog:
    """Bound the memory of a worker that has not yet run a line of a student's, and of all that it will start."""
    if groups := cgroups.nursery():
        with suppress(OSError):
            group = groups.group()
            try:
                group.add(process.pid)
                return group
            except OSError:
                groups.release(group)
    return MemoryWatchdog(process)


class Sandbox:
    """The sandbox with its warm process; `enter()` returns a fresh worker.

    One sandbox serves all judging processes of a machine. The first makes it: `s = Sandbox(kit)`, then `s.start()`.
    Each of the others, forked or spawned, joins it: `Sandbox.joined(s.address)`; the address is a string. It may
    also be pickled, or simply used after a fork: both are the same as joining. When its processes have died, whoever
    needs it next builds it again, as a child of its own, for all. It goes when the process, or the thread, that built
    it ends; the address lasts until the object that made it is closed.
    """

    def __init__(self, kit: Path, sandboxed: bool = True, door: ControlSocket | None = None) -> None:
        self.kit = kit
        self.sandboxed = sandboxed
        self._made_by = None if door else os.getpid()
        self._door = door
        self._built: tuple[int, subprocess.Popen[bytes], socket.socket] | None = None  # by which process, what
        self._warm: Process | None = None

    @classmethod
    def joined(cls, address: str) -> "Sandbox":
        """Return the wall that another process of this machine made."""
        try:
            door = ControlSocket.find(Path(address))
        except OSError as error:
            said = f"No wall at {address} ({error.strerror}): was it closed by the process that made it?"
            raise NoSandbox(said) from None
        return cls(Path(door.about["kit"]), door.about["sandboxed"], door)

    def __reduce__(self) -> tuple[Any, ...]:
        return Sandbox.joined, (self.address,)

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with suppress(Exception):  # a wall that nobody closed, as the interpreter ends
            self.close()

    @property
    def door(self) -> ControlSocket:
        if self._door is None:
            self._door = ControlSocket.make({"kit": str(self.kit.resolve()), "sandboxed": self.sandboxed})
        return self._door

    @property
    def address(self) -> str:
        """Return what another process on this machine joins the wall by."""
        return str(self.door.folder)

    def start(self) -> None:
        """See to it that a warm process stands behind the wall; build one if there is none."""
        if self._warm and not self._warm.gone():
            return
        with self.door.alone():
            try:
                link, self._warm = self.door.connect(WARM, START_SECONDS)  # another process was first
            except OSError:
                self._build()
                link, self._warm = self.door.connect(WARM, START_SECONDS)
            link.close()

    def _build(self) -> None:
        """Build the sandbox and wait until its warm process says that it is ready."""
        if not (self.kit / "autograder" / "kit").is_dir():
            raise NoSandbox(f"No kit at {self.kit}: it holds what student code may import. `make release` makes it.")
        self._take_down()
        seen = view(self.kit) if self.sandboxed else plain_view(self.kit, self.door.folder)
        ours, theirs = socket.socketpair()
        with BindMounts(seen.shown) as entrance, tempfile.TemporaryFile() as errors:
            with theirs, self.door.listener() as listener:
                passed = [theirs.fileno(), listener.fileno()]
                how = "walled" if self.sandboxed else "plain"
                program = [seen.python, "-s", "-m", "inside.zygote", *map(str, passed), how]
                process = subprocess.Popen(
                    entrance.command(_words(entrance, seen, program)) if self.sandboxed else program,
                    env=environment() if self.sandboxed else seen.settings,
                    cwd="/" if self.sandboxed else seen.settings["HOME"],
                    stdin=subprocess.DEVNULL,
                    stdout=errors,
                    stderr=errors,
                    pass_fds=passed,
                )
            self._built = os.getpid(), process, ours
            ours.settimeout(START_SECONDS)
            said = _hear(ours)
            if said != b"ready":
                self._take_down()
                errors.seek(0)
                detail = (said + errors.read()).decode(errors="replace").strip()[-2000:]
                raise NoSandbox(f"The sandbox did not start. It said: {detail or 'nothing'}. {available() or REMEDY}")

    def enter(self, cpu_seconds: int = 600) -> Job:
        """Return a fresh worker, ready for its first request."""
        said = ""
        for attempt in range(3):
            try:
                self.start()
                return self._fork(cpu_seconds)
            except OSError as error:
                said = str(error)
                if attempt and self._warm:  # it lives, but makes no workers
                    self._warm.kill()
        if self.sandboxed:
            demand()
        raise NoWorker(f"No worker could be made: {said}.")

    def _fork(self, cpu_seconds: int) -> Job:
        assert self._warm is not None
        held, lifeline = os.pipe()
        try:
            link, process = self.door.connect(JOB, START_SECONDS, cpu_seconds, [held])
            try:
                return Job(link, process, self._warm, lifeline, bounded(process))
            except BaseException:
                link.close()
                raise
        except BaseException:
            os.close(lifeline)
            raise
        finally:
            os.close(held)

    def close(self) -> None:
        """Take the sandbox down with all that is in it, where this process built it."""
        self._take_down()
        self._warm = None
        if self._door and self._made_by == os.getpid():
            self._door.remove()
            self._door = None

    def _take_down(self) -> None:
        if self._built:
            builder, process, control = self._built
            control.close()  # the last one to hold it open takes the warm process with it
            if builder == os.getpid() and process.poll() is None:
                process.kill()
                process.wait()
        self._built = None


def _words(entrance: BindMounts, seen: View, program: list[str]) -> list[str]:
    words = [*bare(), *system(), *entrance.binds(), "--proc", "/proc", "--dev", "/dev"]
    words += ["--size", str(256 << 20), "--tmpfs", "/tmp", "--chdir", "/tmp"]
    words += [word for place in seen.hidden for word in ("--tmpfs", place, "--remount-ro", place)]
    words += [word for name, value in seen.settings.items() for word in ("--setenv", name, value)]
    # Without this a worker could leave files in the sandbox's own / and /dev for the workers after it.
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--", *program]


def _hear(link: socket.socket) -> bytes:
    try:
        return link.recv(2000)
    except OSError:
        return b""
