"""What hostile code finds of the machine, the warm process and its neighbours; tests/attacks has what it tries."""

from pathlib import Path

import pytest

from autograder.judge.session import Session
from autograder.sandbox.sandbox import Sandbox
from tests.support.sandboxed import QUICK, says


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
