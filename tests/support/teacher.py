"""A teacher who types `autograder grade`, and gets a class graded at once: anyone who hands in has all points."""

import contextlib
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from autograder import __main__ as command
from autograder import grading
from autograder.gradebook import config
from autograder.judge.assess import Outcome, Task
from autograder.judge.process import judged_by
from autograder.places import released_notebook
from autograder.sandbox import sandbox
from tests.support.fake_judge import StandIn

STAMPS = {"ada": "2026-11-21 12:00:00 UTC", "bo": "2026-11-20 11:59:59 UTC", "cy": None}


class Kind:
    """Gives everybody all points, without a sandbox."""

    def outcomes(self, tasks: Iterable[tuple[int, Task]]) -> Iterator[tuple[int, Outcome]]:
        for number, task in tasks:
            yield number, judged_by(StandIn(), task)  # type: ignore[arg-type]


@pytest.fixture
def teacher(released: Path, tmp_path: Path, monkeypatch, capsys):
    """Return a function that types `autograder grade` for a class of three: it returns the status and what was said."""
    monkeypatch.setattr(grading, "_judges", lambda options, count, built: contextlib.nullcontext(Kind()))
    monkeypatch.setattr(grading, "_is_first", lambda options: False)  # else a sandbox would begin to start
    monkeypatch.setattr(sandbox, "require", lambda: None)
    for student, stamp in STAMPS.items():
        path = tmp_path / "in" / student / "bahdanau" / "bahdanau.ipynb"
        path.parent.mkdir(parents=True)
        shutil.copy(released_notebook("bahdanau"), path)
        if stamp:
            path.with_name("timestamp.txt").write_text(stamp)

    def types(*words: str) -> tuple[int, str]:
        status = command.main(["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out"), *words])
        shown = capsys.readouterr()
        return status, shown.out + shown.err

    return types


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def settle(out: Path, *lines: str) -> None:
    """Add lines to the class's settings, which are made if they are not there."""
    config.settings(out)
    with (out / config.NAME).open("a") as file:
        file.write("\n".join(["", "c = get_config()", *(f"c.{line}" for line in lines), ""]))
