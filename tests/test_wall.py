"""Behind the wall: what a student's code can see, touch and outlive. Each test runs real code in the real sandbox."""

import os
from pathlib import Path

import pytest

from autograder import wall
from autograder.places import ROOT
from autograder.worker import Session
from tests.sandboxed import says


class TestSight:
    def test_no_descriptor_but_its_own(self, session: Session) -> None:
        said = says(
            session,
            "import os\nfor n in os.listdir('/proc/self/fd'):\n    link = f'/proc/self/fd/{n}'\n"
            "    if os.path.lexists(link): print(n, os.readlink(link))",
        )
        lines = dict(line.split(" ", 1) for line in said.splitlines())
        assert set(lines) == {"0", "1", "2", "3"}
        assert lines["3"].startswith("socket:")
        assert lines["0"] == "/dev/null"

    def test_no_environment_but_the_sandboxs(self, session: Session) -> None:
        os.environ["COURSE_TOKEN"] = "of the teacher"
        said = says(session, "import os\nprint(open('/proc/1/environ').read(), os.environ)")
        assert "COURSE_TOKEN" not in said
        assert str(ROOT) not in said
        assert "HOME=/tmp" in said

    def test_no_process_but_its_own(self, session: Session) -> None:
        assert (
            says(session, "import os\n[n for n in os.listdir('/proc') if n.isdigit()]") == "{'text/plain': \"['1']\"}"
        )

    def test_no_network(self, session: Session) -> None:
        said = says(session, "import socket\nsocket.create_connection(('1.1.1.1', 53), 2)")
        assert "Network is unreachable" in said
        assert says(session, "!cat /proc/net/dev").count(":") == 1  # the loop-back of its own

    @pytest.mark.parametrize("module", ["solutions", "autograder.checks", "autograder.judge", "autograder.wall"])
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

    def test_no_peer(self, built: wall.Wall) -> None:
        with Session(built) as one, Session(built) as two:
            one.run("open('/tmp/mine', 'w').write('secret')")
            assert "mine" in says(one, "import os\nos.listdir('/tmp')")
            assert "mine" not in says(two, "import os\nos.listdir('/tmp')")

    def test_no_rights(self, session: Session) -> None:
        said = says(session, "print(open('/proc/self/status').read())")
        fields = dict(line.split(":\t", 1) for line in said.splitlines() if ":\t" in line)
        assert {fields[f"Cap{kind}"].strip("0") for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")} == {""}
        assert fields["NoNewPrivs"] == "1"
        assert set(fields["Uid"].split()) == {"1000"}

    @pytest.mark.parametrize(
        "place",
        [
            "/kit/autograder/kit/answers.py",
            "/wall/inside/worker.py",
            "/packages/new",
            "/packages/torch/new",
            "/usr/new",
            "/new",
            "/dev/new",
            "/etc/new",
        ],
    )
    def test_no_writing_outside_tmp(self, session: Session, place: str) -> None:
        said = says(session, f"open({place!r}, 'a')")
        assert "Read-only file system" in said or "Permission denied" in said

    def test_first_to_go_where_memory_runs_out(self, session: Session) -> None:
        assert says(session, "print(open('/proc/self/oom_score_adj').read())").strip() == "1000"

    def test_no_further_namespace_and_no_mount(self, session: Session) -> None:
        said = says(session, "!unshare --user true\n!mount -t tmpfs none /tmp")
        assert "unshare failed" in said
        assert "mount" in said.splitlines()[-1]
