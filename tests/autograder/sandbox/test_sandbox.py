"""In the sandbox: what a student's code can see, touch and outlive. Each test runs real code in the real sandbox."""

import os
from pathlib import Path

import pytest

from autograder.judge.session import Session
from autograder.places import ROOT
from autograder.sandbox import sandbox
from tests.support.sandboxed import says


class TestSight:
    def test_no_descriptor_but_its_own(self, session: Session) -> None:
        output = says(
            session,
            "import os, stat\nfor n in range(256):\n    try: print(n, oct(stat.S_IFMT(os.fstat(n).st_mode)))\n"
            "    except OSError: pass\nprint(os.path.samestat(os.fstat(0), os.stat('/dev/null')))",
        )
        assert output.splitlines() == ["0 0o20000", "1 0o20000", "2 0o20000", "3 0o140000", "True"]

    def test_no_environment_but_the_sandboxs(self, session: Session) -> None:
        os.environ["COURSE_TOKEN"] = "of the teacher"
        output = says(session, "import os\nprint(dict(os.environ))")
        assert "COURSE_TOKEN" not in output
        assert str(ROOT) not in output
        assert "'HOME': '/tmp/home'" in output

    def test_no_process_but_its_own(self, session: Session) -> None:
        """A signal would reach it; /proc holds a few words about the machine, and no names of mounts."""
        reached = (
            "def reached(n):\n    try: os.kill(n, 0)\n    except ProcessLookupError: return False\n    return True"
        )
        assert says(session, f"import os\n{reached}\n[n for n in range(1, 40_000) if reached(n)]").endswith("'[1]'}")
        assert says(session, "*sorted(os.listdir('/proc')),").endswith("\"('cpuinfo', 'meminfo', 'stat', 'version')\"}")

    def test_no_network(self, session: Session) -> None:
        output = says(session, "import socket\nsocket.create_connection(('1.1.1.1', 53), 2)")
        assert "Network is unreachable" in output
        output = says(session, "[name for _, name in socket.if_nameindex()]")
        assert "PermissionError" in output or output == "{'text/plain': \"['lo']\"}"

    @pytest.mark.parametrize(
        "module", ["solutions", "autograder.checks", "autograder.judge.judge", "autograder.sandbox.sandbox"]
    )
    def test_no_module_of_the_trusted_side(self, session: Session, module: str) -> None:
        assert "ModuleNotFoundError" in says(session, f"import {module}")

    def test_no_file_of_the_course(self, session: Session) -> None:
        places = [
            str(ROOT),
            str(ROOT / "solutions"),
            str(ROOT / "build"),
            str(Path.home() / ".profile"),
            "/etc/passwd",
            "/sys",
        ]
        assert says(session, f"import os\n[p for p in {places!r} if os.path.exists(p)]") == "{'text/plain': '[]'}"

    def test_no_peer(self, built: sandbox.Sandbox) -> None:
        with Session(built) as one, Session(built) as two:
            one.run("open('/tmp/mine', 'w').write('secret')")
            assert "mine" in says(one, "import os\nos.listdir('/tmp')")
            assert "mine" not in says(two, "import os\nos.listdir('/tmp')")

    def test_no_rights(self, session: Session) -> None:
        assert "(1000, 1000, 1000)" in says(session, "import os\nos.getresuid()")
        assert session._worker is not None
        status = Path("/proc", str(session._worker.job.process.pid), "status").read_text()
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        assert {fields[f"Cap{kind}"].strip("0") for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")} == {""}
        assert fields["NoNewPrivs"] == "1"
        assert "0" not in fields["Uid"].split()

    @pytest.mark.parametrize(
        "place",
        [
            "/kit/autograder/kit/call.py",
            "/sandbox/inside/worker.py",
            "/packages/new",
            "/packages/torch/new",
            "/usr/new",
            "/new",
            "/dev/new",
            "/etc/new",
            "/proc/new",
            "/proc/cpuinfo",
        ],
    )
    def test_no_writing_outside_tmp(self, session: Session, place: str) -> None:
        output = says(session, f"open({place!r}, 'a')")
        assert "Read-only file system" in output or "Permission denied" in output

    def test_first_to_go_where_memory_runs_out(self, session: Session) -> None:
        session.run("1")
        assert session._worker is not None
        assert Path("/proc", str(session._worker.job.process.pid), "oom_score_adj").read_text().strip() == "1000"

    def test_no_further_namespace_and_no_mount(self, session: Session) -> None:
        output = says(session, "!unshare --user true\n!mount -t tmpfs none /tmp")
        assert "unshare failed" in output
        assert "mount" in output.splitlines()[-1]
