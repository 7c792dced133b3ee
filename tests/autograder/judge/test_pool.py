"""The judging processes of one machine: one that dies or hangs costs one submission, and none outlives the run."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from autograder.judge.assess import Outcome, Task
from autograder.judge.pool import NoJudges, Pool
from autograder.judge.process import JudgeSettings
from autograder.places import released_notebook
from autograder.sandbox.sandbox import NoSandbox
from tests.support import fake_judge

TERMS = JudgeSettings(b"the secret of this test's course", hard_seconds=60.0)  # on a busy machine too
IMPATIENT = replace(TERMS, hard_seconds=4.0)

pytestmark = pytest.mark.usefixtures("released")


def refuses(settings: JudgeSettings, task: Task) -> Outcome:
    raise NoSandbox("there is none here")


def dies(*_: object) -> None:
    os._exit(3)


def tasks(names: list[str]) -> Iterator[tuple[int, Task]]:
    content = released_notebook("bahdanau").read_bytes()
    yield from enumerate(Task(name, "bahdanau", content) for name in names)


def graded(names: list[str], settings: JudgeSettings = TERMS) -> dict[str, Outcome]:
    with Pool(2, settings, fake_judge.judged) as pool:
        came = list(pool.outcomes(tasks(names)))
    assert sorted(number for number, _ in came) == list(range(len(names)))  # each once
    return {names[number]: outcome for number, outcome in came}


def test_one_that_kills_its_judge_twice_or_is_a_fault_of_the_graders_has_0_and_the_others_their_points(capfd) -> None:
    lines = graded(["ada", "killer", "faulty", "bob"])
    for name, outcome in lines.items():
        assert bool(outcome.line["score"]) == (name in ("ada", "bob"))
        assert outcome.line.get("failed", False) == (name in ("killer", "faulty"))
    assert "grader failed on it (ZeroDivisionError)" in lines["faulty"].line["error"]
    assert "the processes that judged it died" in lines["killer"].line["error"]
    assert capfd.readouterr().err.count("died at killer/bahdanau") == 2


def test_one_that_hangs_its_judge_is_ended_at_the_hard_limit() -> None:
    lines = graded(["ada", "sleeper", "bob"], IMPATIENT)
    assert "the processes that judged it died" in lines["sleeper"].line["error"]
    assert lines["ada"].line["score"] == lines["bob"].line["score"] > 0


def test_a_judge_that_dies_once_costs_nobody_anything(tmp_path: Path) -> None:
    with Pool(2, TERMS, fake_judge.judged) as pool:
        one = (0, Task("once", "bahdanau", str(tmp_path / "mark").encode()))
        came = dict(pool.outcomes(iter([one])))
    assert came[0].line["error"] == "the second time"
    assert "failed" not in came[0].line


def test_who_only_had_to_wait_is_judged_once_more_when_all_others_are(tmp_path: Path) -> None:
    mark = tmp_path / "judged"
    names = ["starved", "ada", "starved too", "bob", "cy"]
    with Pool(2, TERMS, fake_judge.crowded) as pool:
        given = [(number, Task(name, "bahdanau", str(mark).encode())) for number, name in enumerate(names)]
        came = [number for number, _ in pool.outcomes(iter(given))]
    assert sorted(came) == [0, 1, 2, 3, 4]
    order = mark.read_text().splitlines()
    assert len(order) == 2 * (5 + 2)
    assert sorted(order[-4:-2] + order[-2:]) == sorted(
        f"{name} {w}" for name in names[:3:2] for w in ("begins", "ends")
    )
    assert order[-4].replace("begins", "ends") == order[-3]  # one after the other


def test_where_nothing_can_judge_the_run_ends_with_the_reason(monkeypatch) -> None:
    with pytest.raises(NoSandbox, match="there is none here"), Pool(2, TERMS, refuses) as pool:
        list(pool.outcomes(tasks(["ada"])))
    monkeypatch.setattr("autograder.judge.pool._begin", dies)
    with pytest.raises(NoJudges, match="died before they were ready"), Pool(1, TERMS) as one:
        list(one.outcomes(tasks(["ada"])))


def test_tasks_are_read_as_they_are_needed_and_no_process_is_left() -> None:
    read = 0

    def counted() -> Iterator[tuple[int, Task]]:
        nonlocal read
        for each in tasks([f"student {number}" for number in range(30)]):
            read += 1
            yield each

    with Pool(2, TERMS, fake_judge.judged) as pool:
        for done, _ in enumerate(pool.outcomes(counted()), start=1):
            assert read <= done + 2 * 2
        processes = [psutil.Process(seat.process.pid) for seat in pool.idle]
    assert read == 30
    assert len(processes) <= 2
    assert not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes)


CUT = """
from tests.autograder.judge.test_pool import graded

if __name__ == "__main__":
    for name, outcome in graded(["ada", "cut short", "bob"]).items():
        print(name, bool(outcome.line["score"]), outcome.line["error"], sep=": ")
"""


@pytest.mark.slow
def test_judges_that_began_before_there_were_tasks_are_those_that_judge() -> None:
    with Pool(2, TERMS, fake_judge.judged) as pool:
        pool.begin()
        begun = {seat.process.pid for seat in pool.idle}
        assert len(dict(pool.outcomes(tasks(["ada", "bo", "cy"])))) == 3
        assert {seat.process.pid for seat in pool.idle} == begun


def test_one_whose_judge_dies_while_it_sends_the_outcome_keeps_nobody_waiting(tmp_path: Path) -> None:
    """In a process of its own, which can be ended while a thread waits for the rest of an outcome."""
    (tmp_path / "run.py").write_text(CUT)
    run = subprocess.run([sys.executable, tmp_path / "run.py"], capture_output=True, text=True, timeout=120)
    lines = dict(line.split(": ", 1) for line in run.stdout.splitlines())
    assert lines.pop("cut short").startswith("False: the processes that judged it died")
    assert lines == dict.fromkeys(["ada", "bob"], "True: None")


SLEEPS = """
from tests.autograder.judge import test_pool
from tests.support import fake_judge
from autograder.judge.process import JudgeSettings
from autograder.judge.pool import Pool

if __name__ == "__main__":
    with Pool(1, JudgeSettings(b"x", hard_seconds=60), fake_judge.judged) as pool:
        print("ready", flush=True)
        list(pool.outcomes(test_pool.tasks(["sleeper"])))
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_judges_go_when_the_run_is_ended(tmp_path: Path, number: signal.Signals) -> None:
    """Killed, it can tell nobody: they notice."""
    (tmp_path / "run.py").write_text(SLEEPS)
    with subprocess.Popen([sys.executable, tmp_path / "run.py"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout
        assert run.stdout.readline() == b"ready\n"
        deadline = time.monotonic() + 60
        # A tracker, a forkserver, a judge, its parser.
        while len(below := psutil.Process(run.pid).children(recursive=True)) < 4:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        run.send_signal(number)
        run.wait(20)
        assert psutil.wait_procs(below, timeout=20)[1] == []
