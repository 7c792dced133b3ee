"""What goes wrong around a gradebook: kills, full disks, other databases and settings. Each is mended or said."""

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from autograder.assignment import Template, template
from autograder.gradebook.store.gradebook import ClassGradebook, NoGradebook, NotRecorded
from tests.support.classes import opened_book
from tests.support.gradebooks import EARLY, LATE, PARTS, changed, given, grade, stop_before, tree, url
from tests.support.outcomes import outcome, rows
from tests.support.teacher import settle


@pytest.fixture(scope="module")
def form(released: Path) -> Template:
    return template("bahdanau")


def test_a_kill_at_any_step_is_mended_by_recording_again(form, tmp_path: Path, monkeypatch) -> None:
    """Stop before a step of a resubmission, in a process that is then gone; the next one ends as if nothing was."""
    steps, folders = ("autograded", "enter", "commit", "rename", "feedback"), ("autograded", "feedback")
    again = outcome(form, 0.5)
    book = ClassGradebook(tmp_path / "whole")
    book.register(form)
    book.record("ada", form, outcome(form, 1), LATE)
    for step in steps:
        book.close()
        shutil.copytree(tmp_path / "whole", tmp_path / step)
    book.record("ada", form, again, EARLY)
    whole = rows(url(tmp_path / "whole"))
    for step in steps:
        cut = ClassGradebook(tmp_path / step)
        with monkeypatch.context() as patch:
            stop_before(patch, cut, step)
            with pytest.raises(KeyboardInterrupt):
                cut.record("ada", form, again, EARLY)
        cut.close()
        left = rows(url(tmp_path / step), ["grade"])["grade"]
        assert (left == whole["grade"]) == (step in ("rename", "feedback")), step
        ClassGradebook(tmp_path / step).record("ada", form, again, EARLY)
        assert rows(url(tmp_path / step)) == whole, step
        assert tree(tmp_path / step, *folders) == tree(tmp_path / "whole", *folders), step


def broken(out: Path, how: str) -> None:
    path = out / "gradebook.db"
    if how == "no database":
        path.write_bytes(b"no database at all, but long enough to be looked at as one " * 40)
    elif how == "a folder":
        path.unlink()
        path.mkdir()
    else:
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute(how)
            database.commit()


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("no database", "is not a database"),
        ("a folder", "cannot be opened"),
        ("UPDATE alembic_version SET version_num = '50a4d84c131a'", "another version of nbgrader.*nbgrader db upgrade"),
        ("DROP TABLE alembic_version", "another version of nbgrader"),
    ],
)
def test_a_database_that_is_not_this_nbgraders_is_refused(form, tmp_path: Path, how: str, sentence: str) -> None:
    book = ClassGradebook(tmp_path)
    book.register(form)
    book.close()
    broken(tmp_path, how)
    before = (tmp_path / "gradebook.db").is_file() and (tmp_path / "gradebook.db").read_bytes()
    with pytest.raises(NoGradebook, match=sentence) as error:
        ClassGradebook(tmp_path).register(form)
    assert "\n" not in str(error.value)
    assert before == ((tmp_path / "gradebook.db").is_file() and (tmp_path / "gradebook.db").read_bytes())


def test_a_database_held_by_another_program_is_said(form, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("autograder.gradebook.store.database.WAIT_SECONDS", 0.1)
    book = ClassGradebook(tmp_path)
    book.register(form)
    with contextlib.closing(sqlite3.connect(tmp_path / "gradebook.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(NoGradebook, match="is held by another program"):
            book.record("ada", form, outcome(form, 1))


def test_a_full_disk_stops_the_class_and_leaves_no_part(form, tmp_path: Path, monkeypatch) -> None:
    book = ClassGradebook(tmp_path)
    book.register(form)

    def full(*_: Any) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", full)
        with pytest.raises(NoGradebook, match=r"No space left on device. Make room"):
            book.record("ada", form, outcome(form, 1))
    assert tree(tmp_path, "autograded", "feedback") == {}
    assert rows(url(tmp_path))["submission"] == []


def test_a_kill_while_cells_change_is_mended(form, tmp_path: Path, monkeypatch) -> None:
    book, fewer = ClassGradebook(tmp_path), changed(form, *PARTS)
    book.register(form)
    book.record("ada", form, outcome(form, 1))
    with opened_book(tmp_path) as opened:
        grade(opened, "ada", "reading_a_matrix").manual_score = 2

    def stops(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(book.session.__class__, "commit", stops)
        with pytest.raises(KeyboardInterrupt):
            book.register(fewer)
    book.gradebook.db.remove()
    book._rows_by_assignment.clear()
    book.register(fewer)
    book.register(form)
    assert given(tmp_path, "ada") == {"reading_a_matrix": 2}


def test_what_is_no_name_is_refused(form, tmp_path: Path) -> None:
    book = ClassGradebook(tmp_path)
    book.register(form)
    for student in ("", ".", "..", "a/b", "../ada", "a\0b", "x\udcff"):
        with pytest.raises(NotRecorded):
            book.record(student, form, outcome(form, 1))
        assert rows(url(tmp_path))["student"] == [], student
    book.record("ada", form, outcome(form, 1))


def test_settings_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    settle(tmp_path, "CourseDirectory.root = 1 / 0")
    with pytest.raises(ValueError, match=r"nbgrader_config.py cannot be read: ZeroDivisionError"):
        ClassGradebook(tmp_path)


def test_a_class_stays_with_its_database(tmp_path: Path) -> None:
    elsewhere = f"sqlite:///{tmp_path}/elsewhere.db"
    ClassGradebook(tmp_path / "a", elsewhere)
    assert ClassGradebook(tmp_path / "a").db_url == elsewhere  # nbgrader's own commands read it there too
    ClassGradebook(tmp_path / "b")
    with pytest.raises(ValueError, match=r"names the database gradebook.db, --db names .*elsewhere.db"):
        ClassGradebook(tmp_path / "b", elsewhere)


@pytest.mark.parametrize("wrong", ["nonsense", "martian://host/db"])
def test_a_database_that_nobody_knows_is_said(form, tmp_path: Path, wrong: str) -> None:
    with pytest.raises(NoGradebook, match=r"expected .*such as postgresql://USER@HOST/NAME"):
        ClassGradebook(tmp_path, wrong).register(form)
