"""What stops a run, or went wrong with an earlier one: an empty page, a full disk, a signal, a folder in a folder."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from autograder import __main__ as command
from autograder.places import ROOT
from tests.attacks.cases import NAME, written
from tests.support.classes import graded_now, submit, summary
from tests.support.sandboxed import demand_sandbox

NO_ROOM = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "the/disk/that/is/full")


@pytest.mark.parametrize("kept", ["feedback/mia/bahdanau/bahdanau.html", "autograded/mia/bahdanau/bahdanau.ipynb"])
def test_an_empty_file_is_made_anew_by_the_next_run(run, tmp_path: Path, capsys, kept: str) -> None:
    """A machine that goes off may leave one, though its name is there."""
    submit(tmp_path / "in", ["mia"])
    run(tmp_path / "in", tmp_path / "out")
    before = (tmp_path / "out" / kept).read_bytes()
    (tmp_path / "out" / kept).write_bytes(b"")
    capsys.readouterr()
    assert run(tmp_path / "in", tmp_path / "out") == 0
    assert graded_now(capsys.readouterr().out) == 1
    assert (tmp_path / "out" / kept).read_bytes() == before


@pytest.mark.parametrize("place", ["out", "a/place/for/grades"])
def test_a_gradebook_inside_the_class_s_folder_is_no_student(run, tmp_path: Path, capsys, place: str) -> None:
    submit(tmp_path, ["mia"])
    for graded in (1, 0):
        assert run(tmp_path, tmp_path / place) == 0
        assert graded_now(capsys.readouterr().out) == graded
        assert [*summary(tmp_path / place)] == [("mia", "bahdanau")]
    with pytest.raises(ValueError, match=r"--out .* is the class's own folder: give another one, such as .*graded"):
        run(tmp_path, tmp_path)


def test_a_full_disk_while_a_class_is_graded_is_one_sentence_and_costs_no_grade(
    run, tmp_path: Path, monkeypatch, capsys
) -> None:
    submit(tmp_path / "in", ["mia"])
    with monkeypatch.context() as patch:
        patch.setattr("autograder.grade.marking.atomic_write", _full)
        with pytest.raises(OSError, match="No space left on device"):
            run(tmp_path / "in", tmp_path / "out")
    assert run(tmp_path / "in", tmp_path / "out") == 0
    assert "failed" not in capsys.readouterr().err
    assert summary(tmp_path / "out")["mia", "bahdanau"]["score"]


def _full(*_: Any, **__: Any) -> None:
    raise NO_ROOM


def _stopped(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("is_wrapped", [False, True])
def test_any_command_says_which_disk_is_full_and_what_to_do(monkeypatch, capsys, is_wrapped: bool) -> None:
    def fails(*_: Any) -> None:
        if not is_wrapped:
            raise NO_ROOM
        raise RuntimeError("the page could not be written") from NO_ROOM

    monkeypatch.setattr(command, "_run", fails)
    assert command.main(["clean"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("autograder clean: the/disk/that/is/full cannot be written: No space left on device. Make")


def test_another_fault_of_the_program_s_is_not_hidden(monkeypatch) -> None:
    def fails(*_: Any) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(command, "_run", fails)
    with pytest.raises(RuntimeError, match="a fault"):
        command.main(["clean"])


def test_any_command_that_is_stopped_says_so(monkeypatch, capsys) -> None:
    monkeypatch.setattr(command, "_run", _stopped)
    assert command.main(["clean"]) == 128 + signal.SIGINT
    assert capsys.readouterr().err == "autograder clean: stopped. Run the same command to continue.\n"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_nothing_outlives_a_run_that_is_ended(released: Path, tmp_path: Path, number: signal.Signals) -> None:
    """Killed, it can end nobody: each of its processes notices, and takes those below along."""
    demand_sandbox()
    for student in ("ada", "bob"):
        place = tmp_path / "in" / student / NAME / f"{NAME}.ipynb"
        place.parent.mkdir(parents=True)
        place.write_bytes(written([("code", "setup", "while True:\n    pass")], "solved"))
    words = [sys.executable, "-m", "autograder", "grade", tmp_path / "in", "--out", tmp_path / "out", "--jobs", "2"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        deadline = time.monotonic() + 120
        # A tracker, a forkserver, two judges with a parser each; the sandbox (two), its zygote, a worker (two).
        while len(below := psutil.Process(run.pid).children(recursive=True)) < 11:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        run.send_signal(number)
        run.wait(30)
        assert psutil.wait_procs(below, timeout=60)[1] == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["ended", "terminal closed"])
def test_a_run_that_is_ended_while_its_sandbox_begins_says_so(released: Path, tmp_path: Path, number: int) -> None:
    demand_sandbox()
    submit(tmp_path / "in", ["mia"])
    words = [sys.executable, "-m", "autograder", "grade", tmp_path / "in", "--out", tmp_path / "out"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        deadline = time.monotonic() + 60
        while not (below := psutil.Process(run.pid).children(recursive=True)):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        run.send_signal(number)
        said = run.communicate(timeout=60)
    assert run.returncode == 130
    assert said == ("", "autograder grade: stopped. Run the same command to continue.\n")
    assert psutil.wait_procs(below, timeout=60)[1] == []
