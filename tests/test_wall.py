"""Behind the wall: what a student's code can see, touch and outlive. Each test runs real code in the real sandbox."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import sandbox, wall
from autograder.places import ROOT
from autograder.worker import Session
from tests.sandboxed import demand_sandbox, says


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


class TestTheDoor:
    def test_without_bubblewrap_it_says_what_to_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sandbox.shutil, "which", lambda name: None if name == "bwrap" else f"/usr/bin/{name}")
        assert "bwrap is not installed" in wall.available()
        with pytest.raises(wall.NoSandbox, match="apt-get install bubblewrap"):
            wall.demand()

    def test_without_user_namespaces_it_says_what_to_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sandbox, "PROBE", ["sh", "-c", "echo unshare failed: Operation not permitted >&2; exit 1"])
        assert "forbids user namespaces" in wall.available()
        assert "not permitted" in wall.available()

    def test_without_a_kit_it_says_what_to_do(self, tmp_path) -> None:
        with pytest.raises(wall.NoSandbox, match="make release"):
            wall.Wall(tmp_path).start()

    @pytest.mark.parametrize("end", ["dies", "is late"])
    def test_a_warm_process_that_fails_is_built_again(self, built: wall.Wall, monkeypatch, end: str) -> None:
        """Let it die, or be late, at the worst time: when it seems alive and is asked for a worker."""
        with Session(built) as first:
            first.run("1")
        broken, send, start = built._process, wall.socket.send_fds, wall.Wall.start

        def dies(*message) -> None:
            monkeypatch.setattr(wall.socket, "send_fds", send)
            broken.kill()
            broken.wait()
            send(*message)

        def restart(self: wall.Wall) -> None:
            monkeypatch.undo()
            start(self)

        monkeypatch.setattr(wall.Wall, "start", restart)
        if end == "dies":
            monkeypatch.setattr(wall.socket, "send_fds", dies)
        else:
            monkeypatch.setattr(wall, "START_SECONDS", 1e-5)
        with Session(built) as second:
            assert second.run("6 * 7")[0]["data"] == {"text/plain": "42"}
        assert built._process is not broken

    def test_a_worker_that_cannot_be_made_costs_its_own_notebook_only(self, tmp_path: Path, monkeypatch) -> None:
        """But where nothing can be sandboxed any more, the whole class has to wait."""
        demand_sandbox()

        def fails(self):
            raise OSError("no memory")

        monkeypatch.setattr(wall.Wall, "start", lambda self: None)
        monkeypatch.setattr(wall.Wall, "_worker", fails)
        with pytest.raises(wall.NoWorker, match="no memory"):
            wall.Wall(tmp_path).enter()
        monkeypatch.setattr(sandbox, "PROBE", ["false"])
        with pytest.raises(wall.NoSandbox, match="forbids user namespaces"):
            wall.Wall(tmp_path).enter()

    @pytest.mark.slow
    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
    def test_an_ordinary_user_can_grade_too(self, built: wall.Wall, tmp_path: Path) -> None:
        """Run a cell as a user who owns nothing; python may lie in root's home, so it is bound where all may pass."""
        subprocess.run(["cp", "-r", ROOT / "autograder", ROOT / "lab", tmp_path], check=True)
        spare = tmp_path / "python"
        spare.mkdir()
        for folder in (tmp_path, *list(tmp_path.parents)[:3]):
            folder.chmod(0o755)
        subprocess.run(["chown", "-R", "12345", tmp_path], check=True)
        grade = (
            "from pathlib import Path; from autograder.wall import Wall; from autograder.worker import Session\n"
            f"with Wall(Path({str(built.kit)!r})) as w, Session(w) as s: print(s.run('6 * 7'))"
        )
        base = Path(sys.base_prefix).resolve()
        words = ["sh", "-c", AS_SOMEBODY, "sh", base, spare, sys.executable, "-c", grade]
        settings = {"PYTHONPATH": str(tmp_path), "PATH": os.environ["PATH"]}
        command = ["unshare", "--mount", "--propagation", "private", *words]
        said = subprocess.run(command, env=settings, capture_output=True, text=True, cwd=tmp_path)
        assert "'42'" in said.stdout, said.stderr


AS_SOMEBODY = """p=$1 s=$2; shift 2
mount --bind "$p" "$s" && mount -t tmpfs -o mode=755 none /root && mkdir -p "$p" && mount --bind "$s" "$p"
exec setpriv --reuid=12345 --regid=12345 --clear-groups "$@"
"""
