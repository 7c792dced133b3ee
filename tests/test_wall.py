"""Behind the wall: what a student's code can see, touch and outlive. Each test runs real code in the real sandbox."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from autograder import sandbox, wall
from autograder.places import ROOT
from autograder.worker import Session
from tests.sandboxed import ask, text


DOUBLE = "def double(x):\n    return 2 * x"
X = np.ones(3, np.float32)


def says(session: Session, source: str) -> str:
    return text(session.run(source))


def still_answers(session: Session) -> bool:
    """Tell whether a function defined before still gives the right answer, in a fresh worker if need be."""
    answer = ask(session, "double", X)
    return answer.error is None and np.array_equal(answer.outputs[0], 2 * X)


class TestACell:
    def test_shows_what_a_notebook_shows(self, session: Session) -> None:
        outputs = session.run("import sys\nprint('out')\nprint('err', file=sys.stderr)\nprint('more', end='')\n6 * 7")
        assert [(o["output_type"], o.get("name"), o.get("text")) for o in outputs[:3]] == [
            ("stream", "stdout", "out\n"),
            ("stream", "stderr", "err\n"),
            ("stream", "stdout", "more"),
        ]
        assert outputs[3]["data"] == {"text/plain": "42"}

    def test_draws(self, session: Session) -> None:
        session.run("import matplotlib.pyplot as plt")
        outputs = session.run("%matplotlib inline\nplt.plot([1, 2]);")
        assert any("image/png" in output.get("data", {}) for output in outputs)

    def test_keeps_what_it_defined_for_the_next(self, session: Session) -> None:
        session.run("a = 20")
        assert says(session, "a + 1 + a").endswith("'41'}")

    def test_may_await_call_magics_and_the_shell(self, session: Session) -> None:
        said = says(session, "import asyncio\nawait asyncio.sleep(0)\n%time 1\n!echo from the shell")
        assert "from the shell" in said
        assert "Error" not in said

    def test_tells_its_errors(self, session: Session) -> None:
        assert "ZeroDivisionError" in says(session, "1 / 0")
        assert "SyntaxError" in says(session, "def f(:")

    def test_has_nobody_to_ask(self, session: Session) -> None:
        assert "nobody to answer" in says(session, "input('name?')")

    def test_starts_from_the_same_random_numbers(self, built: wall.Wall) -> None:
        draws = []
        for _ in range(2):
            with Session(built) as opened:
                draws.append(
                    says(opened, "import torch, random, numpy\n(torch.rand(1), random.random(), numpy.random.rand())")
                )
        assert draws[0] == draws[1]


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
            "/venv/new",
            "/usr/new",
            "/new",
            "/dev/new",
            "/etc/new",
        ],
    )
    def test_no_writing_outside_tmp(self, session: Session, place: str) -> None:
        said = says(session, f"open({place!r}, 'a')")
        assert "Read-only file system" in said or "Permission denied" in said

    def test_no_further_namespace_and_no_mount(self, session: Session) -> None:
        said = says(session, "!unshare --user true\n!mount -t tmpfs none /tmp")
        assert "unshare failed" in said
        assert "mount" in said.splitlines()[-1]


class TestDeath:
    @pytest.mark.parametrize(
        "death",
        [
            "os._exit(0)",
            "os.kill(os.getpid(), 9); ctypes.string_at(0)",
            "ctypes.string_at(0)",
            "os.abort()",
        ],
    )
    def test_a_function_that_ends_the_process_costs_only_its_check(self, session: Session, death: str) -> None:
        session.run(DOUBLE)
        session.run(f"import os, ctypes\ndef dies(x):\n    {death}")
        answer = ask(session, "dies", X)
        assert answer.outputs is None
        assert "ended the Python process" in answer.error
        assert "ended the Python process" in session.call("double", [X]).error  # the rest of that check
        assert still_answers(session)

    def test_leaving_politely_is_an_error(self, session: Session) -> None:
        session.run(DOUBLE + "\ndef leaves(x):\n    raise SystemExit")
        assert "SystemExit" in ask(session, "leaves", X).error
        assert still_answers(session)

    def test_a_cell_that_ends_the_process_is_not_run_again(self, session: Session) -> None:
        session.run(DOUBLE)
        assert "ended the Python process" in says(session, "import os\nos._exit(1)")
        assert still_answers(session)

    def test_a_process_left_behind_dies_with_its_worker(self, built: wall.Wall) -> None:
        mark = f"left-{os.getpid()}-{time.monotonic_ns()}"
        with Session(built) as opened:
            options = f"env={{'MARK': {mark!r}}}, start_new_session=True"
            opened.run(f"import subprocess\nsubprocess.Popen(['sleep', '300'], {options})")
            assert _running(mark)
        deadline = time.monotonic() + 5
        while _running(mark) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not _running(mark)


def _running(mark: str) -> bool:
    for place in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in place.read_bytes():
                return True
    return False


class TestTime:
    @pytest.mark.parametrize(
        "body",
        [
            "while True: pass",
            "while True:\n        try:\n            while True: pass\n        except BaseException: pass",
            "import signal\n    signal.signal(signal.SIGINT, signal.SIG_IGN)\n    while True: pass",
        ],
        ids=["loop", "swallows interrupts", "ignores interrupts"],
    )
    def test_a_function_without_end_costs_its_check_and_no_more(self, session: Session, body: str) -> None:
        session.run(DOUBLE)
        session.run(f"def loops(x):\n    {body}")
        started = time.monotonic()
        assert "did not end" in ask(session, "loops", X).error
        assert "did not end" in session.call("loops", [X]).error  # one deadline for all calls of a check
        assert time.monotonic() - started < 8
        assert still_answers(session)

    def test_a_cell_without_end_is_left_and_the_rest_goes_on(self, session: Session) -> None:
        session.run(DOUBLE)
        assert "did not end" in says(session, "while True: pass")
        assert still_answers(session)

    def test_many_short_waits_do_not_add_up(self, session: Session) -> None:
        session.run("import time\ndef waits(x):\n    time.sleep(1.2)\n    return x")
        started = time.monotonic()
        session.begin_check()
        errors = [session.call("waits", [X]).error for _ in range(10)]
        assert errors[0] is None
        assert "did not end" in errors[-1]
        assert time.monotonic() - started < 8

    def test_a_notebook_has_a_deadline_of_its_own(self, built: wall.Wall) -> None:
        from autograder.worker import Limits

        with Session(built, Limits(cell=1, check=1, notebook=2, grace=0.3)) as opened:
            opened.run("import time\ndef waits(x):\n    time.sleep(0.8)\n    return x")
            for _ in range(5):
                answer = ask(opened, "waits", X)
            assert "time is over" in answer.error
            assert "time is over" in says(opened, "1")


class TestAppetite:
    def test_memory(self, session: Session) -> None:
        session.run(DOUBLE)
        said = says(session, "import torch\ntorch.ones(8 << 30)")
        assert "memory" in said.lower()
        assert still_answers(session)

    def test_output(self, session: Session) -> None:
        session.run(DOUBLE)
        outputs = session.run("for i in range(200):\n    print('x' * 100_000)")
        assert len(text(outputs)) < 1_200_000
        assert "output cut here" in text(outputs)
        assert still_answers(session)

    def test_disk(self, session: Session) -> None:
        said = says(session, "block = b'x' * (32 << 20)\nfor n in range(20):\n    open(f'/tmp/{n}', 'wb').write(block)")
        assert "No space left on device" in said

    def test_processes(self, session: Session) -> None:
        session.run(DOUBLE)
        said = says(session, "import subprocess\nwhile True:\n    subprocess.Popen(['sleep', '30'])")
        assert "Resource temporarily unavailable" in said
        assert still_answers(session)


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
