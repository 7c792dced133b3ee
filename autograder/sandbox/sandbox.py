"""The sandbox: bubblewrap with a zygote in it, which forks one worker per job; for root and for ordinary users."""

import os
import socket
import subprocess
import tempfile
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from autograder.places import PUBLIC
from autograder.sandbox.bubblewrap import (
    REMEDY,
    BindMounts,
    NoSandbox,
    environment,
    namespace_arguments,
    require,
    system_arguments,
    unavailable_reason,
)
from autograder.sandbox.control_socket import JOB, PING, ControlSocket, Process
from autograder.sandbox.memory_watchdog import MemoryWatchdog
from autograder.sandbox.mounts import View, plain_view, view

__all__ = ["NoSandbox", "Sandbox", "require", "unavailable_reason"]

START_SECONDS = 120
SWEEP_SECONDS = 30
Built = tuple[int, subprocess.Popen[bytes], socket.socket]  # the builder's pid, bubblewrap, the link to the zygote
NO_SANDBOX_WARNING = (
    "WARNING: --no-sandbox: students' code runs as you, with nothing between it and this machine. It can read the "
    "solutions, the gradebook and your files, change or delete them, reach the network, and forge its own marks and "
    "those of others. Use it only for code that you have read, on a machine that you can lose."
)


@dataclass
class Job:
    """One worker: its socket, its process, the zygote that it was forked from, and the watchdog of its memory."""

    link: socket.socket  # when it is closed, the worker is killed
    process: Process
    zygote: Process
    memory: MemoryWatchdog
    is_swept: bool = False  # files that it leaves are deleted after its end

    def has_sandbox_died(self) -> bool:
        """Return whether the sandbox itself ended, and the worker with it: then no student is to blame."""
        return self.zygote.has_ended(0.2)

    def end(self) -> None:
        """Kill the worker and every process that it started: it is pid 1 of its namespace, or a user of its own."""
        self.process.kill()
        if self.is_swept:
            self._await_sweep()
        self.link.close()
        self.memory.stop()

    def _await_sweep(self) -> None:
        """Wait for the end of the guard, which holds the link's other end: the next worker finds no files."""
        until = time.monotonic() + SWEEP_SECONDS
        with suppress(OSError):
            while (left := until - time.monotonic()) > 0:
                self.link.settimeout(left)
                if not self.link.recv(1 << 20):
                    return


def require_current_kit(kit: Path) -> None:
    """Raise NoSandbox unless the kit's copy of autograder/kit is the same as ours: both ends must use one protocol."""
    for ours in sorted(PUBLIC.rglob("*.py")):
        name = ours.relative_to(PUBLIC)
        theirs = kit / "autograder" / "kit" / name
        if not theirs.exists() or theirs.read_bytes() != ours.read_bytes():
            raise NoSandbox(f"The kit at {kit} is missing or older than autograder/kit/{name}. Run `make release`.")


class Sandbox:
    """The sandbox with its zygote; `start_worker()` returns a fresh worker.

    One sandbox serves all judging processes of a machine. The first makes it: `s = Sandbox(kit)`, then `s.start()`.
    Each of the others, forked or spawned, joins it: `Sandbox.join(s.address)`; the address is a string. When its
    processes have died, the next process that needs it builds it again for all, as a child process. It ends with the
    process, or the thread, that built it; the address lasts until the object that made it is closed.
    """

    def __init__(
        self, kit: Path, sandboxed: bool = True, control: ControlSocket | None = None, container: bool = False
    ) -> None:
        self.kit = kit
        self.sandboxed = sandboxed and not container
        self.container = container  # whether a container forbids namespaces: container.py
        self._created_by = None if control else os.getpid()
        self._control = control
        self._built: Built | None = None
        self._begun = ExitStack()  # what is open until a sandbox that was begun is ready
        self._zygote: Process | None = None

    @classmethod
    def join(cls, address: str) -> "Sandbox":
        """Return the sandbox that another process of this machine made; raise NoSandbox where it was closed."""
        try:
            control = ControlSocket.open(Path(address))
        except OSError as error:
            reason = f"No sandbox at {address} ({error.strerror}): was it closed by the process that made it?"
            raise NoSandbox(reason) from None
        about = control.settings
        return cls(Path(about["kit"]), about["sandboxed"], control, about["container"])

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with suppress(Exception):  # not closed before, and the interpreter may be ending
            self.close()

    @property
    def control(self) -> ControlSocket:
        if self._control is None:
            about = {"kit": str(self.kit.resolve()), "sandboxed": self.sandboxed, "container": self.container}
            self._control = ControlSocket.create(about)
        return self._control

    @property
    def address(self) -> str:
        """Return the address by which another process on this machine joins the sandbox: a folder's path."""
        return str(self.control.folder)

    def begin(self) -> None:
        """Begin to build the sandbox, before anybody has its address; `start` waits for it."""
        with self.control.exclusive():
            self._launch(self._begun)

    def start(self) -> None:
        """Make sure that the sandbox runs; build it if it does not. Raise NoSandbox where that fails."""
        if self._zygote and not self._zygote.has_ended():
            return
        with self.control.exclusive():
            try:
                link, self._zygote = self.control.connect(PING, START_SECONDS)  # another process was first
            except OSError:
                self._build()
                link, self._zygote = self.control.connect(PING, START_SECONDS)
            link.close()
            self._begun.close()

    def _launch(self, until_ready: ExitStack) -> tuple[subprocess.Popen[bytes], socket.socket, IO[bytes]]:
        """Start bubblewrap; return it, the link to its zygote and what it says. `until_ready` has to stay open."""
        if not (self.kit / "autograder" / "kit").is_dir():
            raise NoSandbox(f"No kit at {self.kit}: it holds what student code may import. `make release` makes it.")
        self._take_down()
        view_inside = view(self.kit) if self.sandboxed else plain_view(self.kit, self.control.folder)
        ours, theirs = socket.socketpair()
        mounts = until_ready.enter_context(BindMounts(view_inside.shown))
        errors = until_ready.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        with theirs, self.control.listen() as listener:
            passed = [theirs.fileno(), listener.fileno()]
            mode = "sandboxed" if self.sandboxed else "container" if self.container else "plain"
            program = [view_inside.python, "-s", "-m", "inside.zygote", *map(str, passed), mode]
            process = subprocess.Popen(
                mounts.command(_arguments(mounts, view_inside, program)) if self.sandboxed else program,
                env=environment() if self.sandboxed else view_inside.settings,
                cwd="/" if self.sandboxed else view_inside.settings["HOME"],
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                pass_fds=passed,
            )
        self._built = os.getpid(), process, ours
        return process, ours, errors

    def _build(self) -> None:
        """Build the sandbox and wait until its zygote is ready."""
        with ExitStack() as until_ready:
            process, ours, errors = self._launch(until_ready)
            ours.settimeout(START_SECONDS)
            reply = _receive(ours)
            if reply != b"ready":
                is_slow = not reply and process.poll() is None
                self._take_down()
                if is_slow:
                    raise NoSandbox(
                        f"The sandbox was not ready within {START_SECONDS} seconds: other programs keep this machine "
                        "busy. Run the same command again when they have ended; it continues where it was."
                    )
                errors.seek(0)
                detail = (reply + errors.read()).decode(errors="replace").strip()[-2000:]
                raise NoSandbox(
                    f"The sandbox did not start. It said: {detail or 'nothing'}. {unavailable_reason() or REMEDY}"
                )

    def start_worker(self, cpu_seconds: int = 600) -> Job:
        """Return a fresh worker with so many CPU seconds, ready for its first request.

        Raise NoSandbox where the system forbids sandboxes, RuntimeError where no worker can be made in three tries.
        """
        reason = ""
        for attempt in range(3):
            try:
                self.start()
                return self._fork(cpu_seconds)
            except OSError as error:
                reason = str(error)
                if attempt and self._zygote:  # it runs, but makes no workers
                    self._zygote.kill()
        if self.sandboxed:
            require()
        raise RuntimeError(f"No worker could be made: {reason}.")

    def _fork(self, cpu_seconds: int) -> Job:
        assert self._zygote is not None
        link, process = self.control.connect(JOB, START_SECONDS, cpu_seconds)
        return Job(link, process, self._zygote, MemoryWatchdog(process), self.container)

    def close(self) -> None:
        """End the sandbox and all processes in it, where this process built it; remove the address it made."""
        self._take_down()
        self._zygote = None
        if self._control and self._created_by == os.getpid():
            self._control.remove()
            self._control = None

    def _take_down(self) -> None:
        self._begun.close()
        if self._built:
            builder, process, control = self._built
            control.close()  # the zygote ends when nobody holds it open any more
            if builder == os.getpid() and process.poll() is None:
                process.kill()
                process.wait()
        self._built = None


def _arguments(mounts: BindMounts, view_inside: View, program: list[str]) -> list[str]:
    arguments = [*namespace_arguments(), *system_arguments(), *mounts.binds(), "--proc", "/proc", "--dev", "/dev"]
    arguments += ["--size", str(256 << 20), "--tmpfs", "/tmp", "--chdir", "/tmp"]
    arguments += [word for place in view_inside.hidden for word in ("--tmpfs", place, "--remount-ro", place)]
    arguments += [word for name, value in view_inside.settings.items() for word in ("--setenv", name, value)]
    # Without this a worker could leave files in the sandbox's own / and /dev for the workers after it.
    return [*arguments, "--remount-ro", "/dev", "--remount-ro", "/", "--", *program]


def _receive(link: socket.socket) -> bytes:
    try:
        return link.recv(2000)
    except OSError:
        return b""
