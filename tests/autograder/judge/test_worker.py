"""What a cell shows, and what it costs when a student's code dies, loops or eats: its own check and no more."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from autograder.judge import timing
from autograder.judge.session import Limits, Session
from autograder.judge.timing import TimeBudget, Use
from autograder.judge.worker_client import ENDED
from autograder.kit.verdict.answer import Failure
from autograder.sandbox import sandbox
from tests.support.sandboxed import DOUBLE, QUICK, ask, says, still_answers

X = np.ones(3, np.float32)
BURNS = """import time
def burns(x):
    end = time.process_time() + 0.5
    while time.process_time() < end: pass
    return x
"""


SHOWN = {  # a pattern in what a cell shows
    "import sys\nprint('out')\nprint('err', file=sys.stderr)\nprint('more', end='')\n6 * 7": r"^out\nerr\nmore\{.*'42'",
    "import matplotlib.pyplot as plt\n%matplotlib inline\nplt.plot([1, 2]);": "image/png",
    "import asyncio\nawait asyncio.sleep(0)\n%time 1\n!echo from the shell": "Wall time: .*\nfrom the shell",
    "1 / 0": "ZeroDivisionError",
    "def f(:": "SyntaxError",
    "input('name?')": "nobody to answer",
    "In [3]: 6 * 7": "'42'",
    "def g(x):\n    raise NotImplementedError()\n\ng(1)": "NotImplementedError: g is not written yet.$",
    "def g(x):\n    raise NotImplementedError('later')\n\ng(1)": "----> 2 .*(?s:.*)NotImplementedError: later",
    "import torch, random, numpy\n(torch.rand(1), random.random(), numpy.random.rand())": r"0\.4963.*0\.8444.*0\.5488",
}  # fmt: skip


@pytest.mark.parametrize("source", SHOWN)
def test_a_cell_shows_what_a_notebook_shows(session: Session, source: str) -> None:
    session.run("a = 20")
    assert re.search(SHOWN[source], says(session, source))
    assert says(session, "a + 1 + a").endswith("'41'}")


class TestDeath:
    def test_a_cell_that_ends_the_process_is_not_run_again(self, session: Session) -> None:
        session.run(DOUBLE)
        assert "the code ended the Python process" in says(session, "import os\nos._exit(1)")
        assert session.stopped == Failure("died", ENDED)
        assert still_answers(session)

    def test_a_loop_that_cannot_be_interrupted_is_really_killed(self, built: sandbox.Sandbox) -> None:
        """The process that it started dies with it, although the session goes on."""
        mark = f"loops-{os.getpid()}-{time.monotonic_ns()}"
        ignores = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
        with Session(built, QUICK) as opened:
            opened.run(f"import subprocess\nsubprocess.Popen(['sleep', '300'], env={{'MARK': {mark!r}}})\n{ignores}")
            assert _gone(mark)


def _gone(mark: str) -> bool:
    deadline = time.monotonic() + 5
    while _running(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not _running(mark)


def _running(mark: str) -> bool:
    for place in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in place.read_bytes():
                return True
    return False


class TestTime:
    @pytest.fixture
    def session(self, built: sandbox.Sandbox) -> Iterator[Session]:
        with Session(built, Limits(cell=1, check=1, notebook=30, grace=0.3, patience=3)) as opened:
            yield opened

    def test_cells_of_ones_own_that_take_all_the_notebooks_time_leave_the_checks_theirs(
        self, built: sandbox.Sandbox
    ) -> None:
        """The cells that define what is graded run too; of the student's own those that no time is left for do not."""
        with Session(built, Limits(cell=1, check=1, notebook=3, grace=0.3), checks=2) as opened:
            stopped = []
            for _ in range(7):
                shown = says(opened, "import time\ntime.sleep(0.9)")
                stopped.append(opened.stopped)
            assert [failure and failure.kind for failure in stopped] == [None] * 3 + ["timeout"] * 4
            assert stopped[3] != stopped[4]  # the one was stopped, the other not begun
            assert "time is over: the cells that you added have 3 seconds together" in shown
            opened.run(DOUBLE, own=False)
            assert opened.stopped is None
            assert still_answers(opened)

    def test_a_check_that_takes_all_it_can_leaves_the_next_its_share(self, built: sandbox.Sandbox) -> None:
        with Session(built, Limits(cell=1, check=2, notebook=1, grace=0.3), checks=2) as opened:
            opened.run(DOUBLE + "\nimport time\ndef sleeps(x):\n    time.sleep(60)", own=False)
            started = time.monotonic()
            assert ask(opened, "sleeps", X).error.kind == "timeout"
            assert still_answers(opened)
            assert time.monotonic() - started < 8

    def test_who_computes_beside_many_others_loses_nothing(self, built: sandbox.Sandbox) -> None:
        """It takes longer by the clock than it may compute."""
        limits = Limits(cell=5, check=1, notebook=120, grace=1, patience=40)
        spins = (
            "import multiprocessing as m\nfor _ in range(5 * m.cpu_count()): "
            "m.Process(target=exec, args=('while 1: pass',)).start()"
        )
        others = subprocess.Popen([sys.executable, "-c", spins], start_new_session=True)
        try:
            with Session(built, limits, checks=1) as opened:
                opened.run(BURNS)
                started = time.monotonic()
                assert ask(opened, "burns", X).error is None
                assert time.monotonic() - started > 0.5
        finally:
            os.killpg(others.pid, signal.SIGKILL)
            others.wait()

    @pytest.mark.parametrize(
        ("took", "reason"),
        [
            (Use(clock=3.2, computed=3), "did not end within 3 seconds: is there an endless loop?"),
            (Use(clock=6, computed=2, queued=4), "did not end within 6.0 seconds: this machine was busy"),
            (Use(clock=6), "did not end within 6.0 seconds, in most of which it waited: is there a sleep"),
            (Use(clock=1, computed=0.9), "did not end within 1.0 seconds, which was left of the notebook's time"),
            (Use(clock=1.9, computed=0.3), "did not end within 1.9 seconds, which was left of the notebook's time"),
        ],
        ids=["loops", "was starved", "sleeps", "began late", "began late, and hardly computed"],
    )
    def test_the_reason_says_what_the_time_went_to(self, monkeypatch, took: Use, reason: str) -> None:
        monkeypatch.setattr(TimeBudget, "used", took)
        assert TimeBudget(os.getpid(), compute=3, clock=6).why()[0].startswith(reason)

    def test_who_only_had_to_wait_for_a_turn_is_not_to_blame(self) -> None:
        assert Use(clock=10, computed=2, queued=7).has_waited_for_cpu
        assert not Use(clock=10, computed=2, queued=0.1).has_waited_for_cpu  # it slept
        assert not Use(clock=10, computed=20, queued=9).has_waited_for_cpu  # its own processes were in its way
        assert not Use(clock=10, computed=10, queued=0).has_waited_for_cpu

    def test_nor_is_who_waited_for_a_judge_that_had_to_wait_for_its_turn(self, monkeypatch) -> None:
        real, delays = timing.read_proc, iter([1, 5])
        monkeypatch.setattr(
            timing, "read_proc", lambda file: f"0 {next(delays)}000000000 1" if timing.OWN in file else real(file)
        )
        budget = TimeBudget(os.getpid(), compute=3, clock=6)
        assert 4 <= budget.used.queued < 6
