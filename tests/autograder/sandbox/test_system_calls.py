"""The filter on system calls, tried from inside: what it refuses, and that honest libraries do not notice it."""

import platform

import pytest

from autograder.judge.session import Session
from autograder.sandbox.inside import seccomp
from tests.support.sandboxed import says

TRY = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
def refused(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(number, *[ctypes.c_ulong(a) for a in arguments])
    return errno.errorcode.get(ctypes.get_errno()) if result == -1 else 'allowed'
"""


def test_each_is_refused(session: Session) -> None:
    numbers = {call: seccomp.number(call) for call in " ".join(seccomp.DENIED.values()).split()}
    numbers = {call: number for call, number in numbers.items() if number >= 0}
    output = says(session, TRY + f"print({{call: refused(n, 0, 0, 0, 0, 0, 0) for call, n in {numbers!r}.items()}})")
    assert eval(output) == dict.fromkeys(numbers, "EPERM")


def test_new_namespaces_by_clone_are_refused(session: Session) -> None:
    clone, clone3 = map(seccomp.number, ("clone", "clone3"))
    flags = [1 << bit for bit in range(32) if seccomp.NEW_NAMESPACES >> bit & 1]
    output = says(
        session, TRY + f"print([refused({clone}, f | 17, 0, 0, 0, 0) for f in {flags}], refused({clone3}, 0, 0))"
    )
    assert output.split("] ") == [str(["EPERM"] * 8)[:-1], "ENOSYS\n"]


def test_sockets_of_odd_families_are_refused(session: Session) -> None:
    odd = [16, 17, 21, 31, 38, 40, 44, 1 << 32 | 17]  # netlink, packet, rds, bluetooth, alg, vsock, xdp
    output = says(session, TRY + f"print([refused({seccomp.number('socket')}, f, 3, 0) for f in {odd}])")
    assert eval(output) == ["EPERM"] * len(odd)


def test_nothing_is_typed_into_a_terminal(session: Session) -> None:
    source = "import fcntl, os\nmaster, slave = os.openpty()\n"
    for request in seccomp.TERMINAL_INPUT:
        assert "PermissionError" in says(session, source + f"fcntl.ioctl(slave, {request}, b'x')")


@pytest.mark.parametrize(
    "source",
    [
        "import mmap; mmap.mmap(-1, 1 << 20)",
        "import mmap, os; mmap.mmap(os.open('/dev/zero', os.O_RDWR), 1 << 20)",
        "import fcntl, os; fcntl.fcntl(os.pipe()[0], fcntl.F_SETPIPE_SZ, 1 << 20)",
        *(
            f"import socket; socket.socketpair()[0].setsockopt(1, {option}, 1 << 20)"
            for option in seccomp.LARGER_SOCKET
        ),
        "import os; os.memfd_create('held')",
    ],
)
def test_memory_that_no_process_is_charged_for_is_refused(session: Session, source: str) -> None:
    assert "Error" in says(session, source)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other machines have no second set of calls")
@pytest.mark.parametrize("code", ["b8 14 00 00 00 cd 80 c3", "b8 27 00 00 40 0f 05 c3"], ids=["32 bits", "x32"])
def test_calls_of_another_architecture_kill(session: Session, code: str) -> None:
    """Run getpid as machine code, by the old interrupt and by a number of the x32 set."""
    session.run(
        "import ctypes, mmap\nm = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)\n"
        f"m.write(bytes.fromhex({code!r}))\n"
        "print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))())",
    )
    assert session.stopped is not None
    assert session.stopped.kind == "died"


HONEST = {
    "torch": """
import torch
x = torch.randn(8, 8, requires_grad=True)
(x @ x).softmax(-1).sum().backward()
torch.nn.functional.conv1d(torch.ones(1, 2, 9), torch.ones(3, 2, 3)).sum().item()
torch.set_num_threads(4)
(torch.ones(600, 600) @ torch.ones(600, 600)).sum()""",
    "pictures": """
import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.savefig('a.png')
plt.savefig('a.pdf')
plt.show()""",
    "programs": """
import subprocess
assert subprocess.run(['sh', '-c', 'echo on'], capture_output=True).stdout == b'on\\n'
!true
import asyncio
p = await asyncio.create_subprocess_exec('true')
assert await p.wait() == 0""",
    "processes": """
import multiprocessing
with multiprocessing.Pool(2) as p:
    assert p.map(abs, [-1, -2]) == [1, 2]""",
    "threads": """
import threading
started = [threading.Thread(target=print) for _ in range(8)]
for one in started: one.start()
for one in started: one.join()""",
    "a loader with workers": """
from torch.utils.data import DataLoader
assert len(list(DataLoader(range(32), batch_size=4, num_workers=4))) == 8""",
    "memory that several processes share": """
import torch, mmap, tempfile, multiprocessing
from multiprocessing import shared_memory
torch.ones(1000).share_memory_()
kept = shared_memory.SharedMemory(create=True, size=1 << 20)
kept.close(); kept.unlink()
multiprocessing.Array('d', 100)[0] = 1
with tempfile.TemporaryFile() as f:
    f.truncate(4096)
    mmap.mmap(f.fileno(), 4096)[0] = 1
mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)[0] = 1""",
    "options of a socket": """
import socket
with socket.socket() as s:
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.setsockopt(socket.IPPROTO_TCP, 7, 1)
import fcntl
fcntl.fcntl(0, fcntl.F_GETFL)""",
}


@pytest.mark.parametrize("what", HONEST)
def test_honest_code_does_not_notice(session: Session, what: str) -> None:
    output = says(session, HONEST[what] + "\nprint('to the end')")
    assert "to the end" in output
    assert "Error" not in output
