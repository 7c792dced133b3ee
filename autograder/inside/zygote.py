"""A warm process: it imports what notebooks import, once, and forks a worker for each job. It runs no student's code.

Started by the wall as `python -m inside.zygote FD`; on FD it is handed one socket per job.
"""

import contextlib
import gc
import importlib
import os
import shutil
import signal
import socket
import struct
import sys
from pathlib import Path

PRELOADED = (
    "numpy",
    "torch",
    "torch.nn.functional",
    "torch.utils.data",
    "jaxtyping",
    "matplotlib.pyplot",
    "tqdm",
    "autograder.kit",
    "autograder.kit.wire",
    "lab.batches",
    "lab.plots",
    "lab.text",
    "lab.corpora",
)


def warm_up() -> None:
    """Import what notebooks import and take every step once that is slow the first time."""
    config = Path(os.environ["MPLCONFIGDIR"])
    if Path("/cache/matplotlib").is_dir():
        shutil.copytree("/cache/matplotlib", config, dirs_exist_ok=True)  # a font cache costs a second to build
    for name in PRELOADED:
        with contextlib.suppress(ImportError):  # the kit may hold less of the lab than this
            importlib.import_module(name)
    import torch

    torch.set_num_threads(1)
    x = torch.ones(2, 2, requires_grad=True)
    torch.softmax(x @ x, -1).backward(torch.ones(2, 2))  # the first backward imports a third of a second's worth


def receive_job(control: socket.socket) -> socket.socket | None:
    """Return the socket of the next job, None when the judge has gone."""
    message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
    return socket.socket(fileno=descriptors[0]) if message else None


def fork_worker(job: socket.socket, control: socket.socket, shell: object) -> None:
    """Fork twice: the first child enters new namespaces, the second is their pid 1 and becomes the worker."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    from . import isolation

    try:
        isolation.new_namespaces()
        if os.fork():
            os._exit(0)
        isolation.private_places()
        isolation.set_limits()
        isolation.drop_privileges()
        control.detach()
        link = socket.socket(fileno=isolation.keep_only(job.detach()))
        # The kernel fills in who we are, as the judge sees it: that is the process it may kill.
        link.sendmsg([b"w"], [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS, struct.pack("3i", os.getpid(), 1000, 1000))])
        from . import worker

        worker.serve(link, shell)  # type: ignore[arg-type]
    except BaseException as error:
        with contextlib.suppress(OSError):
            job.sendall(b"!" + f"{type(error).__name__}: {error}".encode()[:500])
    finally:
        os._exit(0)


def main() -> None:
    """Warm up, say so, then fork a worker per job until the judge goes."""
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    warm_up()
    from .shell import open_shell

    shell = open_shell()
    tasks = len(list(Path("/proc/self/task").iterdir()))
    if tasks != 1:
        control.sendall(f"!{tasks} threads run before the first fork".encode())
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the judge's to handle
    gc.collect()
    gc.freeze()
    control.sendall(b"ready")
    while job := receive_job(control):
        fork_worker(job, control, shell)
        job.close()


if __name__ == "__main__":
    main()
