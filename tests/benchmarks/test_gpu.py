"""The GPU's program: what is done is not done again, and a failure is a row."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from autograder.checks import checks
from autograder.places import ROOT
from benchmarks.gpu import __main__ as program
from benchmarks.gpu import properties, trainings
from benchmarks.gpu.table import Job, Setting, Table, Unfinished
from lab.train.budget import Budget

CPU = torch.device("cpu")
# What a bare machine with a GPU lacks, and what only other commands need.
LACKING = ("pooch", "requests", "tyro", "syntok", "sacremoses", "sklearn", "tensorboard", "nbformat", "yaml")


def setting(folder: Path, seconds: float = 60) -> Setting:
    return Setting(CPU, folder, Budget(float(seconds)), quick=True)


def test_what_is_done_is_not_done_again_and_what_was_begun_is_gone_on_with(tmp_path: Path) -> None:
    calls: list[str] = []

    def done(_: Setting) -> dict:
        calls.append("done")
        return {"answer": 42}

    def begun(_: Setting) -> dict:
        calls.append("begun")
        if calls.count("begun") == 1:
            raise Unfinished("1 epoch")
        return {}

    jobs = [Job("first", done), Job("second", begun)]
    Table.of(tmp_path).run(jobs, setting(tmp_path))
    assert Table.of(tmp_path).rows["second"]["reached"] == "1 epoch"
    Table.of(tmp_path).run(jobs, setting(tmp_path))
    assert calls == ["done", "begun", "begun"]
    assert [Table.of(tmp_path).state(job) for job in jobs] == ["done", "done"]
    assert Table.of(tmp_path).rows["first"]["result"] == {"answer": 42}


def test_a_failure_is_a_row_and_the_next_job_is_begun(tmp_path: Path) -> None:
    def fail(_: Setting) -> dict:
        calls.append("fail")
        raise ValueError("no such card")

    calls: list[str] = []
    jobs = [Job("bad", fail), Job("good", lambda _: {})]
    Table.of(tmp_path).run(jobs, setting(tmp_path))
    rows = Table.of(tmp_path).rows
    assert (rows["bad"]["error"], rows["good"]["state"]) == ("ValueError: no such card", "done")
    assert "no such card" in (tmp_path / "failures.txt").read_text()
    Table.of(tmp_path).run(jobs, setting(tmp_path))
    assert len(calls) == 1
    Table.of(tmp_path).run(jobs, setting(tmp_path), again=True)
    assert len(calls) == 2


def test_a_function_that_differs_on_the_device_is_named(tmp_path: Path, monkeypatch) -> None:
    check = checks("bahdanau")["masked_softmax"]
    answers = iter(range(10_000))
    monkeypatch.setattr(properties, "adapted", lambda *_: lambda scores, mask: scores * 0 + next(answers) * 1e-3)
    monkeypatch.setattr(properties, "checks", lambda _: {check.function: check})
    with pytest.raises(properties.Broken, match=r"masked_softmax, .*: differs by 0\.001"):
        properties.taught("bahdanau", setting(tmp_path))


def test_every_chapter_has_its_properties_and_each_of_its_corpora_a_training() -> None:
    names = {job.name for job in program.all_jobs(quick=False)}
    assert len(names) == len(program.all_jobs(quick=False))
    for folder in (ROOT / "solutions").glob("*/attention.py"):
        assert f"property: taught functions of {folder.parent.name}" in names
    for run in trainings.FIRST:
        assert run.recipe  # every field that is changed is there
        assert all(f"{trainings.title(run).removesuffix('1')}{seed}" in names for seed in (1, 2, 3))


@pytest.mark.slow
def test_the_whole_program_goes_the_same_way_in_minutes_on_a_bare_machine(tmp_path: Path) -> None:
    """Twice: first too little time for the trainings, then the rest; without the packages that a GPU machine lacks."""
    start = f"import sys; sys.modules.update(dict.fromkeys({LACKING!r})); from benchmarks.gpu.__main__ import main; "
    command = f"main(['--quick', '--device', 'cpu', '--out', {str(tmp_path / 'out')!r}, '--minutes', sys.argv[1]])"

    def call(minutes: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", start + command, minutes],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=400,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
        return done.stdout

    assert "the time is over; next: property: taught functions of" in call("0.01")
    assert "to do" not in call("6")
    rows = json.loads((tmp_path / "out" / "table.json").read_text())
    assert {row["state"] for row in rows.values()} == {"done"}
    assert set(rows) == {job.name for job in program.all_jobs(quick=True)}
    assert (tmp_path / "out" / "results/bahdanau/phrasebook-fr-en-small-quick-seed1.json").exists()
    assert call("6").count("…") == 0  # all is done
