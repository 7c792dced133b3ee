"""Where student code cannot be sandboxed: grading refuses and says what to do; --no-sandbox names the danger."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.judge.session import Session
from autograder.places import BUILD, ROOT
from autograder.sandbox import bubblewrap, control_socket, sandbox
from autograder.sandbox.sandbox import Sandbox
from tests.support.points import by_checks
from tests.support.sandboxed import QUICK, demand_sandbox, says

FORBIDDEN = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'


class TestRefusal:
    def test_without_bubblewrap_it_says_what_to_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(bubblewrap.shutil, "which", lambda name: None if name == "bwrap" else f"/usr/bin/{name}")
        assert "bwrap is not installed" in str(sandbox.unavailable_reason())
        with pytest.raises(sandbox.NoSandbox, match="apt-get install bubblewrap"):
            sandbox.require()

    def test_without_user_namespaces_it_says_what_to_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        demand_sandbox()
        monkeypatch.setattr(bubblewrap, "PROBE", ["sh", "-c", "echo unshare: Operation not permitted >&2; exit 1"])
        assert "forbids user namespaces" in str(sandbox.unavailable_reason())
        assert "not permitted" in str(sandbox.unavailable_reason())

    @pytest.mark.parametrize("verb", ["score", "grade"])
    def test_where_the_system_really_forbids_them(self, verb: str, tmp_path: Path) -> None:
        """The commands run in a user namespace of their own in which no further one may be made."""
        demand_sandbox()
        command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", FORBIDDEN, "sh"]
        command += [sys.executable, "-m", "autograder", verb, str(tmp_path)]
        settings = {**os.environ, "PYTHONPATH": str(ROOT)}
        ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=settings)
        assert ran.returncode == 2
        assert ran.stdout == ""
        assert bubblewrap.REMEDY in ran.stderr

    def test_without_a_kit_it_says_what_to_do(self, tmp_path: Path) -> None:
        with pytest.raises(sandbox.NoSandbox, match="make release"):
            Sandbox(tmp_path).start()


class TestMisfortune:
    @pytest.mark.parametrize("end", ["dies", "is late"])
    def test_a_zygote_that_fails_is_built_again(self, built: Sandbox, monkeypatch, end: str) -> None:
        """Let it die, or be late, at the worst time: when it seems alive and is asked for a worker."""
        built.start()
        broken, connect = built._zygote, control_socket.ControlSocket.connect
        attempts = []

        def fails(self, word: bytes, *rest):
            if word == control_socket.JOB and len(attempts) < 2:
                attempts.append(word)
                if end == "is late":
                    raise TimeoutError("timed out")
                broken.kill()
            return connect(self, word, *rest)

        monkeypatch.setattr(control_socket.ControlSocket, "connect", fails)
        with Session(built) as session:
            assert says(session, "6 * 7") == "{'text/plain': '42'}"
        assert built._zygote is not broken

    def test_a_worker_that_cannot_be_made_costs_its_own_notebook_only(self, tmp_path: Path, monkeypatch) -> None:
        """But where nothing can be sandboxed any more, the whole class has to wait."""
        demand_sandbox()

        def fails(self, seconds):
            raise OSError("no memory")

        monkeypatch.setattr(Sandbox, "start", lambda self: None)
        monkeypatch.setattr(Sandbox, "_fork", fails)
        with pytest.raises(RuntimeError, match="no memory"):
            Sandbox(tmp_path).start_worker()
        monkeypatch.setattr(bubblewrap, "PROBE", ["false"])
        with pytest.raises(sandbox.NoSandbox, match=re.escape(str(sandbox.unavailable_reason()))):
            Sandbox(tmp_path).start_worker()


@pytest.fixture(scope="module")
def plain(built: Sandbox) -> Iterator[Sandbox]:
    with Sandbox(built.kit, sandboxed=False) as made:
        yield made


class TestNoSandbox:
    def test_the_danger_is_named_before_anything_is_run(self, capsys, monkeypatch, tmp_path: Path) -> None:
        monkeypatch.setattr(sandbox, "unavailable_reason", lambda: "there is none here")
        monkeypatch.setattr(sandbox, "require_current_kit", lambda kit: None)

        def begin(self: Sandbox) -> None:
            raise sandbox.NoSandbox("it was started")

        monkeypatch.setattr(Sandbox, "begin", begin)
        assert main(["score", "--no-sandbox", str(tmp_path / "none.ipynb")]) == 2
        printed = capsys.readouterr()
        for danger in ("solutions", "gradebook", "your files", "network", "forge"):
            assert danger in printed.err.partition("it was started")[0]
        assert "WARNING" not in printed.out

    def test_it_is_never_chosen_silently(self, capsys, monkeypatch, tmp_path: Path) -> None:
        monkeypatch.setattr(bubblewrap, "PROBE", ["false"])
        assert main(["score", str(tmp_path / "none.ipynb")]) == 2
        assert "Not graded" in capsys.readouterr().err

    def test_a_cell_runs_and_is_limited(self, plain: Sandbox) -> None:
        with Session(plain, QUICK) as session:
            assert says(session, "6 * 7") == "{'text/plain': '42'}"
            session.run("while True: pass")
            assert session.stopped is not None
            assert session.stopped.kind == "timeout"
            assert "memory" in says(session, "import torch\ntorch.ones(8 << 30)").lower()
            home = says(session, "import os\nprint(os.environ['HOME'], os.getcwd())").split()
            assert {Path(place).parent for place in home} == {plain.control.folder}

    def test_what_it_leaves_behind_dies_with_it(self, plain: Sandbox) -> None:
        with Session(plain, QUICK) as session:
            source = "!setsid sleep 300 >/dev/null 2>&1 & echo $!"  # an orphan, in its own session
            left = says(session, source).split()[-1]
            assert Path("/proc", left).exists()
            worker = session._worker
            assert worker is not None
        assert worker.job.process.has_ended(5)
        for _ in range(100):
            if not Path("/proc", left).exists():
                break
            worker.job.zygote.has_ended(0.05)
        assert not Path("/proc", left).exists()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder that everybody may enter; pytest's own are closed to others by the next run that starts."""
    with tempfile.TemporaryDirectory(prefix="ordinary-", dir="/tmp") as made:
        Path(made).chmod(0o755)
        yield Path(made)


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_an_ordinary_user_can_grade_too(released: Path, open_folder: Path) -> None:
    """Score a notebook as a user who owns nothing; python may lie in root's home, so it is bound where all may pass."""
    demand_sandbox()
    for name in ("autograder", "lab", "solutions", "exercises", "requirements.txt", "pyproject.toml", "book"):
        subprocess.run(["cp", "-r", ROOT / name, open_folder], check=True)
    build = open_folder / "build"
    build.mkdir()
    subprocess.run(["cp", "-r", BUILD / "release", BUILD / "source", build], check=True)
    spare = open_folder / "python"
    spare.mkdir()
    subprocess.run(["chown", "-R", "12345", open_folder], check=True)
    subprocess.run(["chmod", "-R", "u+rwX", open_folder], check=True)
    base = Path(sys.base_prefix).resolve()
    solved = build / "source" / "bahdanau" / "bahdanau.ipynb"
    words = ["sh", "-c", AS_SOMEBODY, "sh", base, spare, sys.executable, "-m", "autograder", "score", solved]
    settings = {"PYTHONPATH": str(open_folder), "PATH": os.environ["PATH"], "HOME": str(open_folder)}
    command = ["unshare", "--mount", "--propagation", "private", *words]
    ran = subprocess.run(command, env=settings, capture_output=True, text=True, cwd=open_folder)
    assert ran.returncode == 0, ran.stderr
    line = json.loads(ran.stdout)
    assert line["score"] == by_checks("bahdanau"), line


AS_SOMEBODY = """p=$1 s=$2; shift 2
mount --bind "$p" "$s" && mount -t tmpfs -o mode=755 none /root && mkdir -p "$p" && mount --bind "$s" "$p"
exec setpriv --reuid=12345 --regid=12345 --clear-groups "$@"
"""
