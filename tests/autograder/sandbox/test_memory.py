"""What all processes of a job take together is limited, wherever they hold it."""

import re

import pytest

from autograder.judge.session import Limits, Session
from autograder.sandbox import memory_watchdog
from autograder.sandbox.sandbox import Sandbox
from tests.support.sandboxed import QUICK, says

# The number of sockets past which they could hold more than the limit, in processes that have 250 each at most.
SOCKETS = """
import os, socket, time
def hold():
    kept = [socket.socketpair() for _ in range(120)]
    for one, _ in kept if {fill} else []:
        one.setblocking(False)
        try:
            while True: one.send(bytes(1 << 16))
        except BlockingIOError: pass
    time.sleep(8)
for _ in range(28):
    if os.fork() == 0:
        hold()
        os._exit(0)
print("killed:", sum(os.wait()[1] == 9 for _ in range(28)))
"""


class TestTogether:
    @pytest.mark.parametrize("fill", [False, pytest.param(True, marks=pytest.mark.slow)])
    def test_memory_hidden_in_sockets_counts(self, built: Sandbox, fill: bool) -> None:
        with Session(built, Limits(cell=20, notebook=60)) as session:
            session.run("def double(x):\n    return 2 * x")
            output = says(session, SOCKETS.format(fill=fill))
            assert re.search(r"Stopped: the code ended the Python process|killed: [1-9]", output)
            assert says(session, "double(21)") == "{'text/plain': '42'}"

    def test_files_in_memory_count(self, built: Sandbox) -> None:
        with Session(built, QUICK) as session:
            session.run("for n in range(2): open(f'/tmp/{n}', 'wb').write(bytes(50 << 20))")
            assert session._worker is not None
            held = memory_watchdog.uncharged_bytes(session._worker.job.process.pid)
            session.run(
                "import os\nf = open('/dev/shm/a', 'wb'); f.write(bytes(20 << 20)); f.flush(); os.unlink('/dev/shm/a')"
            )
            more = memory_watchdog.uncharged_bytes(session._worker.job.process.pid) - held
        assert 100 << 20 <= held < 110 << 20
        assert 20 << 20 <= more < 25 << 20

    def test_what_is_shared_with_the_zygote_is_not_the_jobs(self, session: Session) -> None:
        session.run("1")
        assert session._worker is not None
        assert memory_watchdog.memory_of([session._worker.job.process.pid], 0) < 200 << 20
