"""The zygote: it imports the modules of notebooks once, and forks a worker for each job. It runs no student code.

Started by the sandbox as `python -m inside.zygote CONTROL LISTENER sandboxed|container|plain`: the descriptors of the
socket on which it reports that it is ready, and of the one on which each connection is a request. Container: as root,
where namespaces are forbidden; each worker becomes a user of its own. Plain: without a sandbox.
"""

import contextlib
import gc
import importlib
import itertools
import os
import select
import signal
import socket
import struct
import sys
from pathlib import Path

from . import isolation, seccomp, worker

PRELOADED = (
    "numpy",
    "numpy.random",  # at its first use: a quarter of a worker's start
    "torch",
    "torch.nn.functional",
    "torch.utils.data",
    "jaxtyping",
    "matplotlib.pyplot",
    "tqdm",
    "autograder.kit",
    "autograder.kit.calls.frames",
)
MODE = sys.argv[3] if sys.argv[3:] else "sandboxed"
SANDBOXED, CONTAINER = MODE == "sandboxed", MODE == "container"
USERS = itertools.count(40_001)  # far above those that a system makes, and below 65,536
REQUEST = struct.Struct("<cI")  # as in control_socket.py: the kind of request, and a job's CPU seconds


def warm_up() -> None:
    """Import the modules of notebooks, and run everything once that is slow the first time."""
    for name in (*PRELOADED, *_of_the_course()):
        with contextlib.suppress(ImportError):  # the kit may hold less than this
            importlib.import_module(name)
    import torch

    isolation.machine_files()
    if SANDBOXED or CONTAINER:
        seccomp.program(CONTAINER)
    torch.set_num_threads(1)
    x = torch.ones(2, 2, requires_grad=True)
    torch.softmax(x @ x, -1).backward(torch.ones(2, 2))  # the first backward imports a third of a second's worth


def _of_the_course() -> list[str]:
    """Return the modules of the kit that notebooks import: `release` writes their list."""
    places = (Path(place, "warm.txt") for place in sys.path)
    return next((place.read_text("utf-8").split() for place in places if place.is_file()), [])


def fork_worker(job: socket.socket, cpu_seconds: int, shell: object) -> None:
    """Fork twice: the first child enters new namespaces and guards the second, their pid 1, which is the worker."""
    user = next(USERS) if CONTAINER else 0
    if os.fork():
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        if SANDBOXED:
            isolation.new_namespaces()
        else:
            isolation.become_subreaper()
        if worker_pid := os.fork():
            isolation.guard(worker_pid, job.fileno(), user)
        else:
            become_worker(job, cpu_seconds, shell, user)
    except BaseException as error:
        with contextlib.suppress(OSError):
            job.sendall(b"!" + f"{type(error).__name__}: {error}".encode()[:500])
    finally:
        os._exit(0)


def become_worker(job: socket.socket, cpu_seconds: int, shell: object, user: int) -> None:
    """Isolate this process, send its credentials, and serve the judge's requests."""
    isolation.die_with_parent()
    os.setsid()  # a signal to the own process group passes pid namespaces: it would reach the warm process and all jobs
    if SANDBOXED:
        isolation.mount_private_folders()
    isolation.set_limits(cpu_seconds)
    if SANDBOXED:
        isolation.cover_proc()
    if CONTAINER:
        isolation.become_user(user)
        isolation.die_with_parent()
    if SANDBOXED or CONTAINER:
        isolation.drop_privileges()
        seccomp.install(CONTAINER)
    connection = socket.socket(fileno=isolation.keep_only(job.detach()))
    send_credentials(connection, b"j")
    worker.serve(connection, shell)  # type: ignore[arg-type]


def send_credentials(connection: socket.socket, kind: bytes) -> None:
    """Send the kind of reply and our credentials: the kernel translates the pid, so that the judge can kill it."""
    about = struct.pack("3i", os.getpid(), os.getuid(), os.getgid())
    connection.sendmsg([kind], [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS, about)])


def serve_connection(listener: socket.socket, shell: object) -> None:
    """Accept one connection of a judge and answer it: a PING with our credentials, a JOB with a worker."""
    connection, _ = listener.accept()
    with connection, contextlib.suppress(OSError, struct.error):  # the judge may be killed while it connects
        connection.settimeout(5)
        kind, cpu_seconds = REQUEST.unpack(connection.recv(REQUEST.size))
        connection.settimeout(None)
        if kind == b"j":
            fork_worker(connection, cpu_seconds, shell)
        else:
            send_credentials(connection, kind)


def main() -> None:
    """Warm up, report ready, then fork a worker per job until the judge that built the sandbox ends."""
    if not SANDBOXED:
        isolation.die_with_parent()
    control, listener = (socket.socket(fileno=int(kind)) for kind in sys.argv[1:3])
    control.set_inheritable(False)
    listener.set_inheritable(False)
    warm_up()
    from .shell import open_shell

    shell = open_shell()
    tasks = len(list(Path("/proc/self/task").iterdir()))
    if tasks != 1:
        control.sendall(f"!{tasks} threads run before the first fork".encode())
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the judge's to handle
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps the children: nobody waits for them
    gc.collect()
    gc.freeze()
    isolation.collapse()
    control.sendall(b"ready")
    while control not in select.select([control, listener], [], [])[0]:
        serve_connection(listener, shell)


if __name__ == "__main__":
    main()
