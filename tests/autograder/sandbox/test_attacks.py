"""What hostile code tries against the judge, the warm process and its neighbours; afterwards the judge goes on."""

import struct
import time
from pathlib import Path

import numpy as np
import pytest

from autograder.judge.session import Session
from autograder.sandbox.sandbox import Sandbox
from tests.support.sandboxed import DOUBLE, QUICK, ask, says, still_answers

X = np.ones(3, np.float32)
FRAME = """
import json, os, socket, struct, threading, time
def frame(header, body=b''):
    return struct.pack('<II', len(header), len(body)) + header + body
def forged(number):
    answer = {'outputs': [{'array': ['float32', [3]]}], 'gradients': None, 'inputs_after': None, 'error': None}
    header = json.dumps({'dict': {'id': number, 'reply': {'Answer': {**answer, 'several': False}}}}).encode()
    return frame(header, struct.pack('<3f', 2, 2, 2))
"""


@pytest.fixture
def defined(session: Session) -> Session:
    session.run(DOUBLE)
    return session


class TestTheWire:
    def test_answers_sent_ahead_of_the_question_are_not_taken(self, defined: Session) -> None:
        """They come when the cell has been answered, and number themselves as the third."""
        later = "threading.Timer(0.3, lambda: os.write(3, forged(3))).start()"
        defined.run(FRAME + f"def ahead(x):\n    return x * 0\n{later}")
        time.sleep(1)
        assert ask(defined, "ahead", X).outputs is None
        assert still_answers(defined)

    @pytest.mark.parametrize("sizes", [(2**32 - 1, 0), (0, 17 << 20)])
    def test_a_frame_larger_than_an_answer_is_not_read(self, defined: Session, sizes: tuple[int, int]) -> None:
        forged = struct.pack("<II", *sizes)
        defined.run(
            f"import os\ndef floods(x):\n    os.write(3, {forged!r})\n    while True: os.write(3, bytes(1 << 20))"
        )
        started = time.monotonic()
        assert ask(defined, "floods", X).error.kind == "bad_output"
        assert time.monotonic() - started < QUICK.check
        assert still_answers(defined)

    def test_a_worker_that_never_reads_ends_at_the_deadline(self, defined: Session) -> None:
        """The question is larger than the socket holds; the cell left the worker's own loop asleep, for good."""
        defined.run("import time, autograder.kit.frames as frames\nframes.receive = lambda link: time.sleep(60)")
        started = time.monotonic()
        assert ask(defined, "double", np.ones(2_000_000, np.float32)).outputs is None
        assert time.monotonic() - started < QUICK.check + QUICK.grace + 3


class TestTheMachine:
    @pytest.mark.parametrize(
        "source",
        [
            "open('/proc/sys/kernel/hostname', 'w').write('mine')",
            "open('/proc/sys/vm/overcommit_memory', 'w').write('1')",
            "open('/proc/self/oom_score_adj', 'wb', 0).write(b'-1000')",
            "open('/proc/sysrq-trigger', 'w').write('b')",
            "open('/dev/mem', 'rb').read(1)",
            "open('/dev/kmsg', 'rb').read(1)",
            "import os; os.mknod('/tmp/disk', 0o60600, os.makedev(8, 0))",
            "import os; os.setuid(0)",
            "import os; os.nice(-5)",
            "import os; os.kill(2, 9)",
            "import resource; resource.setrlimit(resource.RLIMIT_NPROC, (9999, 9999))",
        ],
    )
    def test_nothing_of_it_is_his(self, session: Session, source: str) -> None:
        assert any(word in says(session, source) for word in ("Error", "denied", "not permitted"))

    def test_no_device_but_the_harmless(self, session: Session) -> None:
        devices = says(session, "import os\nprint(*sorted(os.listdir('/dev')))").split()
        assert set(devices) <= {
            *("core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tty"),
            *("urandom", "zero", "console"),
        }

    def test_no_abstract_socket_of_anybody_else(self, built: Sandbox) -> None:
        with Session(built, QUICK) as one, Session(built, QUICK) as two:
            one.run("import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind('\\0here')\ns.listen()")
            assert "refused" in says(two, "import socket\nsocket.socket(socket.AF_UNIX).connect('\\0here')")

    def test_no_core_is_dumped(self, session: Session) -> None:
        output = says(
            session, "!sh -c 'kill -ABRT $$'; ls /tmp\nimport resource\nresource.getrlimit(resource.RLIMIT_CORE)"
        )
        assert "(0, 0)" in output
        assert "core" not in output.replace("RLIMIT_CORE", "")

    def test_home_is_empty_and_its_own(self, session: Session) -> None:
        output = says(session, "import os\nprint(os.path.expanduser('~'), os.listdir(os.path.expanduser('~')))")
        assert output.strip() == "/tmp/home []"

    def test_the_zygote_has_a_clean_environment_too(self, built: Sandbox, monkeypatch) -> None:
        monkeypatch.setenv("COURSE_TOKEN", "of the teacher")
        built.start()
        assert built._zygote is not None
        environ = Path("/proc", str(built._zygote.pid), "environ").read_bytes()
        assert b"HOME=/tmp/home" in environ
        assert b"COURSE_TOKEN" not in environ

    @pytest.mark.parametrize("name", ["nbgrader", "jupyter_book", "sqlalchemy", "pytest", "jupytext", "pip"])
    def test_no_package_but_the_kits(self, session: Session, name: str) -> None:
        assert "ModuleNotFoundError" in says(session, f"import {name}")
        output = says(
            session,
            f"import os, sysconfig\nown = sysconfig.get_path('purelib')\nprint(own)\n"
            f"print('{name}' in os.listdir('/packages'), os.path.isdir(own) and os.listdir(own))",
        )
        assert output.split("\n", 1)[0].startswith("/python/")  # Debian's has local/lib
        assert output.strip().endswith(("False []", "False False"))
