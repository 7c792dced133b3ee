"""A warm process: it imports what notebooks import, once, and forks a worker for each job. It runs no student's code.

Started by the wall as `python -m inside.zygote CONTROL LISTENER walled|plain`: the descriptors of the socket on which
it says that it is ready, and of the one on which each connection is a job. Plain is without a sandbox.
"""

import contextlib
import gc
import importlib
import os
import select
import shutil
import signal
import socket
import struct
import sys
from pathlib import Path

from . import isolation, seccomp, worker

PRELOADED = (
    "numpy",
    "torch",
    "torch.nn.functional",
    "torch.utils.data",
    "jaxtyping",
    "matplotlib.pyplot",
    "tqdm",
    "autograder.kit",
    "autograder.kit.frames",
    "lab.batches",
    "lab.plots",
    "lab.tokenizers",
    "lab.corpora",
)
WALLED = sys.argv[3:] != ["plain"]
WORDS = struct.Struct("<cI")  # as in control_socket.py: what a judge wants, and a job's seconds of CPU


def warm_up() -> None:
    """Import what notebooks import and take every step once that is slow the first time."""
    config = Path(os.environ["MPLCONFIGDIR"])
    if Path("/cache/matplotlib").is_dir():
        shutil.copytree("/cache/matplotlib", config, dirs_exist_ok=True)  # a font cache costs a second to build
    for name in PRELOADED:
        with contextlib.suppress(ImportError):  # the kit may hold less of the lab than this
            importlib.import_module(name)
    import torch

    isolation.machine()
    torch.set_num_threads(1)
    x = torch.ones(2, 2, requires_grad=True)
    torch.softmax(x @ x, -1).backward(torch.ones(2, 2))  # the first backward imports a third of a second's worth


def fork_worker(job: socket.socket, lifeline: int, cpu_seconds: int, shell: object) -> None:
    """Fork twice: the first child enters new namespaces and stays on guard, the second is their pid 1, the worker."""
    if os.fork():
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        if WALLED:
            isolation.new_namespaces()
        else:
            isolation.adopt()
        if worker_pid := os.fork():
            isolation.guard(worker_pid, lifeline)
        else:
            become_worker(job, cpu_seconds, shell)
    except BaseException as error:
        with contextlib.suppress(OSError):
            job.sendall(b"!" + f"{type(error).__name__}: {error}".encode()[:500])
    finally:
        os._exit(0)


def become_worker(job: socket.socket, cpu_seconds: int, shell: object) -> None:
    """Shut ourselves in, say who we are, and serve the judge."""
    isolation.die_with_parent()
    os.setsid()  # a signal to the own process group passes pid namespaces: it would reach the warm process and all jobs
    if WALLED:
        isolation.private_places()
    isolation.set_limits(cpu_seconds)
    if WALLED:
        isolation.cover_processes()
        isolation.drop_privileges()
        seccomp.install()
    link = socket.socket(fileno=isolation.keep_only(job.detach()))
    introduce(link, b"j")
    worker.serve(link, shell)  # type: ignore[arg-type]


def introduce(link: socket.socket, word: bytes) -> None:
    """Say who we are: the kernel translates our pid, so that the judge knows which process it may kill."""
    about = struct.pack("3i", os.getpid(), os.getuid(), os.getgid())
    link.sendmsg([word], [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS, about)])


def open_door(listener: socket.socket, shell: object) -> None:
    """Serve one connection of a judge: it wants to know who we are, or a worker."""
    link, _ = listener.accept()
    with link, contextlib.suppress(OSError, struct.error):  # a judge that was killed as it knocked is no harm
        link.settimeout(5)
        message, leashes, _, _ = socket.recv_fds(link, WORDS.size, 1)
        word, cpu_seconds = WORDS.unpack(message)
        link.settimeout(None)
        if word == b"j":
            fork_worker(link, leashes[0], cpu_seconds, shell)
        else:
            introduce(link, word)
        for lifeline in leashes:
            os.close(lifeline)


def main() -> None:
    """Warm up, say so, then fork a worker per job until the judge that built the sandbox goes."""
    if not WALLED:
        isolation.die_with_parent()
    control, listener = (socket.socket(fileno=int(word)) for word in sys.argv[1:3])
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
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries the children: nobody waits for them
    gc.collect()
    gc.freeze()
    control.sendall(b"ready")
    while control not in select.select([control, listener], [], [])[0]:
        open_door(listener, shell)


if __name__ == "__main__":
    main()
