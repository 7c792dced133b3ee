"""Runs of `grade` as they happen: killed and begun again, two at once, resubmitted, graded by hand, a thousand."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from autograder.assignment import template
from autograder.files import exclusive
from autograder.grade.run import grade
from autograder.gradebook.store.gradebook import ClassGradebook
from autograder.judge.assess import Outcome, Task, without_points
from autograder.places import ROOT
from tests.support.classes import QUICK, graded_now, submit, summary, totals
from tests.support.outcomes import rows
from tests.support.sandboxed import demand_sandbox

KILLS = 20


def started(folder: Path, out: Path, *words: str) -> subprocess.Popen:
    secret = folder.parent / "secret"
    if not secret.exists():
        secret.write_text("the secret of this test's course")
        secret.chmod(0o600)
    command = [sys.executable, "-m", "autograder", "grade", folder, "--out", out, "--secret", secret, *words]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finished(folder: Path, out: Path, *words: str) -> str:
    """Grade to the end and return what was said."""
    process = started(folder, out, *words)
    output = process.communicate(timeout=600)[0]
    assert process.returncode == 0, output
    return output


def files(out: Path) -> dict[str, bytes]:
    """Return the pages, notebooks and the summary that a run wrote."""
    places = [out / "summary.csv", *(path for name in ("feedback", "autograded") for path in (out / name).rglob("*"))]
    return {str(path.relative_to(out)): path.read_bytes() for path in places if path.is_file()}


@pytest.mark.slow
def test_a_class_killed_at_twenty_moments_is_the_class_of_one_run(released, tmp_path: Path) -> None:
    demand_sandbox()
    submit(tmp_path / "in", QUICK)
    for number in range(8):
        shutil.copytree(tmp_path / "in" / "fay", tmp_path / "in" / f"fay {number}")
    begun = time.monotonic()
    finished(tmp_path / "in", tmp_path / "whole")
    seconds = time.monotonic() - begun
    chance = random.Random(3)
    for count in range(KILLS):
        process = started(tmp_path / "in", tmp_path / "torn")
        try:
            process.communicate(timeout=seconds * chance.uniform(0.2, 1.0))
        except subprocess.TimeoutExpired:
            below = psutil.Process(process.pid).children(recursive=True)
            if count % 2 and below:  # now and then a judging process before it
                chance.choice(below).kill()
            process.kill()
            process.communicate()
            assert psutil.wait_procs(below, timeout=60)[1] == []
        if count % 5 == 4:  # done by now: begin anew, with what a later kill leaves
            shutil.rmtree(tmp_path / "torn")
    finished(tmp_path / "in", tmp_path / "torn")
    torn, whole = (rows(f"sqlite:///{tmp_path / name / 'gradebook.db'}") for name in ("torn", "whole"))
    assert torn == whole
    assert files(tmp_path / "torn") == files(tmp_path / "whole")


def test_two_runs_into_one_folder_are_refused(tmp_path: Path) -> None:
    with (
        exclusive(tmp_path),
        pytest.raises(ValueError, match=rf"process {os.getpid()}\) is grading into .*--out DIR"),
        exclusive(tmp_path),
    ):
        pass
    with exclusive(tmp_path):
        pass


def test_an_interrupt_waits_until_a_submission_is_recorded(run, tmp_path: Path, monkeypatch, capsys) -> None:
    """In the middle of the gradebook's work it would come out as an error of the gradebook."""
    submit(tmp_path / "in", ["emil"])
    whole = ClassGradebook.record

    def interrupted(*arguments: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        whole(*arguments)

    monkeypatch.setattr(ClassGradebook, "record", interrupted)
    assert run(tmp_path / "in", tmp_path / "out") == 130
    said = capsys.readouterr().err
    assert said.endswith("autograder grade: stopped: 1 graded, 1 left. The same command continues from here.\n")
    assert len(list((tmp_path / "out").glob("records/*/*.json"))) == 1  # the one that was being recorded
    monkeypatch.undo()
    assert run(tmp_path / "in", tmp_path / "out") == 0
    assert graded_now(capsys.readouterr().out) == 1


def test_what_is_no_longer_handed_in_keeps_its_grade_and_says_so(graded, run, tmp_path: Path) -> None:
    folder, out = (shutil.copytree(place, tmp_path / place.name) for place in graded)
    before = totals(out)
    shutil.rmtree(folder / "fay")
    folder = folder.rename(tmp_path / "moved")
    assert run(folder, out) == 0
    files = {student: row["file"] for (student, _), row in summary(out).items()}
    assert files["mia"].startswith(str(folder))
    assert not files["fay"].startswith(str(folder))
    assert totals(out) == before
    notes = {student: row["note"] for (student, _), row in summary(out).items() if row["note"]}
    assert notes == {"fay": "not handed in this time; the earlier grade is kept"}


def test_whoever_hands_out_the_work_needs_no_torch() -> None:
    """It costs 360 MB, once for each process that imports it."""
    modules = ["__main__", "grade.run", "grade.marking", "grade.cache", "grade.summary", "judge.pool", "judge.cluster"]
    modules += ["judge.process", "gradebook.store.gradebook", "gradebook.pages.feedback", "gradebook.pages.html"]
    wanted = ", ".join(f"autograder.{name}" for name in modules)
    source = f"import sys, {wanted}; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", source], cwd=ROOT, check=True)


class Crowded:
    """Judges on a machine that is busy, and then on an idle one."""

    busy = True

    def outcomes(self, tasks: Iterable[tuple[int, Task]]) -> Iterator[tuple[int, Outcome]]:
        for number, task in tasks:
            outcome = without_points(template(task.assignment), "")
            outcome.line.update(error=None, score=0 if self.busy else 5)
            yield number, replace(outcome, starved=self.busy)


def test_who_lost_points_to_a_busy_machine_is_graded_again_by_the_next_run(tmp_path: Path, capsys) -> None:
    judges, out = Crowded(), tmp_path / "out"
    submit(tmp_path / "in", ["mia"])
    for busy, graded in ((True, 1), (True, 1), (False, 1), (False, 0)):
        judges.busy = busy
        assert grade(tmp_path / "in", out, lambda _: contextlib.nullcontext(judges)) == 0
        printed = capsys.readouterr()
        assert f"1 submission, {graded} graded now" in printed.out
        assert ("mia/bahdanau" in printed.err) == busy  # who, and what to do
        assert ("busy" in summary(out)["mia", "bahdanau"]["flags"]) == busy
    assert summary(out)["mia", "bahdanau"]["score"] == "5"
