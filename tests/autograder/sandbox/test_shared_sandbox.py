"""One sandbox for several judging processes; when it falls it is built again, and no student is blamed."""

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from autograder.judge.session import Session
from autograder.sandbox import sandbox
from autograder.sandbox.bubblewrap import STAGING, BindMounts
from autograder.sandbox.control_socket import ControlSocket
from autograder.sandbox.sandbox import Sandbox
from tests.support.sandboxed import QUICK, ask, says

_KEPT: list[Sandbox] = []


def _zygote_pid(address: str) -> int:
    joined = Sandbox.join(address)
    joined.start()
    assert joined._zygote is not None
    return joined._zygote.pid


def _answers(place: str | Sandbox) -> tuple[str, int]:
    """Run a cell in the sandbox; return what it shows, and the zygote that served it."""
    joined = Sandbox.join(place) if isinstance(place, str) else place
    _KEPT.append(joined)  # the sandbox ends with the object that built it
    with Session(joined, QUICK) as session:
        output = says(session, "6 * 7")
    assert joined._zygote is not None
    return output, joined._zygote.pid


def _fell(pid: int) -> None:
    """Kill the warm process, and wait until it has gone."""
    os.kill(pid, signal.SIGKILL)
    _gone([pid])


def _gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + 5
    while (left := any(Path("/proc", str(pid)).exists() for pid in pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not left


FORTY_TWO = "{'text/plain': '42'}"


@pytest.fixture
def own(built: Sandbox) -> Sandbox:
    """Return the module's sandbox, started."""
    built.start()
    return built


def test_a_machine_too_busy_to_start_it_is_not_taken_for_one_that_forbids_it(own: Sandbox, monkeypatch) -> None:
    monkeypatch.setattr(sandbox, "START_SECONDS", 0.01)
    with Sandbox(own.kit) as slow, pytest.raises(sandbox.NoSandbox, match=r"not ready within 0.01 seconds: .* busy"):
        slow.start()


def test_one_that_was_begun_is_built_once_and_one_that_fell_meanwhile_again(own: Sandbox) -> None:
    with Sandbox(own.kit) as begun:
        begun.begin()
        assert begun._built is not None
        process = begun._built[1]
        assert _answers(begun)[0] == FORTY_TWO
        assert begun._built[1] is process
    with Sandbox(own.kit) as begun:
        begun.begin()
        assert begun._built is not None
        fallen = begun._built[1]
        fallen.kill()
        assert _answers(begun)[0] == FORTY_TWO
        assert begun._built[1] is not fallen
    with Sandbox(own.kit) as ended:
        ended.begin()
        assert ended._built is not None
        process = ended._built[1]
    assert process.poll() is not None, "a sandbox that nobody waited for outlived its object"


class TestSharing:
    @pytest.mark.parametrize("method", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
    def test_other_processes_are_served_by_the_same_zygote(self, own: Sandbox, method: str) -> None:
        with multiprocessing.get_context(method).Pool(2) as pool:
            served = pool.map(_answers, [own.address] * 4, chunksize=1)
        assert served == [(FORTY_TWO, _zygote_pid(own.address))] * 4

    def test_a_sandbox_may_be_used_after_a_fork_and_closed_there(self, own: Sandbox) -> None:
        before = _zygote_pid(own.address)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = 0 if _answers(own)[0] == FORTY_TWO else 2
                own.close()
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        assert _answers(own) == (FORTY_TWO, before)

    def test_only_its_owner_may_knock(self, own: Sandbox) -> None:
        folder = Path(own.address)
        assert folder.stat().st_mode & 0o777 == 0o700
        assert folder.stat().st_uid == os.geteuid()

    def test_a_closed_sandbox_cannot_be_joined(self, own: Sandbox) -> None:
        other = Sandbox(own.kit)
        address = other.address
        other.close()
        with pytest.raises(sandbox.NoSandbox, match="was it closed"):
            Sandbox.join(address)


class TestFalling:
    def test_a_fallen_sandbox_has_the_notebook_judged_again(self, own: Sandbox) -> None:
        with Session(own, QUICK) as session:
            session.run("def double(x):\n    return 2 * x")
            before = _zygote_pid(own.address)
            _fell(before)
            asked = (ask(session, "double", np.ones(2)).error for _ in range(1000))  # the worker is killed soon after
            assert next(filter(None, asked)).kind == "no_worker"
            assert session.starved
            assert ask(session, "double", np.ones(2)).outputs[0].tolist() == [2, 2]
            assert _zygote_pid(own.address) != before

    @pytest.mark.slow
    def test_several_processes_build_it_again_once(self, own: Sandbox) -> None:
        _fell(_zygote_pid(own.address))
        with multiprocessing.get_context("fork").Pool(3) as pool:
            served = pool.map(_answers, [own.address] * 3, chunksize=1)
            assert {answer for answer, _ in served} == {FORTY_TWO}
            assert len({warm for _, warm in served}) == 1

    @pytest.mark.parametrize("made", ["Sandbox(Path(sys.argv[1]))", "Sandbox.join(sys.argv[2])"])
    def test_what_a_killed_judge_started_ends_with_it(self, own: Sandbox, made: str) -> None:
        """Its worker, busy or not; the sandbox too if the judge built it."""
        program = (
            "import sys, time; from pathlib import Path; from autograder.sandbox.sandbox import Sandbox\n"
            f"from autograder.kit.calls import frames; own = {made}; job = own.start_worker()\n"
            "frames.send(job.link, {'id': 1, 'op': 'cell', 'source': 'while True: pass'})\n"
            "print(own._zygote.pid, job.process.pid, flush=True)\n"
            "time.sleep(60)"
        )
        command = [sys.executable, "-c", program, str(own.kit), own.address]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as judge:
            assert judge.stdout is not None
            zygote, worker = map(int, judge.stdout.readline().split())
            judge.kill()
        joined = "join" in made
        assert _gone([worker] if joined else [zygote, worker])
        assert Path("/proc", str(zygote)).exists() == joined


MADE = """
from autograder.sandbox.control_socket import ControlSocket
made = ControlSocket.create({})
print(made.folder, flush=True)
input()
"""


def _making() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", MADE], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _folder(run: subprocess.Popen[bytes]) -> Path:
    assert run.stdout is not None
    return Path(run.stdout.readline().decode().strip())


def test_folders_of_killed_runs_are_swept_and_those_of_living_ones_stay() -> None:
    with _making() as killed, _making() as living:
        old, new = _folder(killed), _folder(living)
        killed.kill()
        killed.wait()
        assert old.is_dir()
        made = ControlSocket.create({})
        assert [old.exists(), new.is_dir(), made.folder.is_dir()] == [False, True, True]
        made.remove()
        living.communicate(b"\n")
    assert new.is_dir()  # it has ended without removing it
    ControlSocket.create({}).remove()
    assert not new.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root binds folders beforehand")
def test_mount_places_of_killed_runs_are_swept_and_new_ones_stay() -> None:
    old, new = (Path(f"/tmp/{STAGING}{age}-{os.getpid()}") for age in ("old", "new"))
    for place in (old, new):
        (place / "0").mkdir(parents=True)
    os.utime(old, (0, 0))
    with BindMounts({}):
        assert [old.exists(), new.is_dir()] == [False, True]
    shutil.rmtree(new)
