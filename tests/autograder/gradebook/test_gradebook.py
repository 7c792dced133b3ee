"""Tests of the gradebook: it holds what nbgrader's own commands would write, whatever happened before."""

import contextlib
import copy
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import TestCase, mock

import nbformat
import pytest
from nbconvert.exporters.exporter import ResourcesDict

from autograder.assignment import Template, grade_id, template
from autograder.files import atomic_write, prepared
from autograder.gradebook import class_files
from autograder.gradebook import config as files
from autograder.gradebook.bonus import automatic_score
from autograder.gradebook.gradebook import ClassGradebook, NoGradebook, NotRecorded, quiet
from autograder.judge.result import Outcome
from tests.support.classes import opened_book
from tests.support.outcomes import KEPT, PEOPLE, outcome, rows
from tests.support.points import by_checks, core, written
from tests.support.teacher import settle

ALL, CORE = by_checks("bahdanau"), core("bahdanau") + written("bahdanau")

with quiet():
    from nbgrader import converters
    from nbgrader.api import Gradebook
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.plugins import BasePlugin
    from nbgrader.preprocessors import SaveCells

DUE, LATE, EARLY = "2026-11-20 12:00:00 UTC", b"2026-11-21 12:00:00 UTC", b"2026-11-19 11:00:00 CET"
ASSIGNMENTS = ["bahdanau", "encoder_decoder"]


class Halves(BasePlugin):
    """Takes half of the points for being late, and more than all for a day more."""

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float:
        return score / 2 if total_seconds_late <= 86400 else score + 1


@pytest.fixture(scope="module")
def forms(released: Path) -> dict[str, Template]:
    return {name: template(name) for name in ASSIGNMENTS}


@pytest.fixture
def form(forms: dict[str, Template]) -> Template:
    return forms["bahdanau"]


def url(out: Path) -> str:
    return f"sqlite:///{out / 'gradebook.db'}"


HALVES = f"AssignLatePenalties.plugin_class = '{__name__}.Halves'"


def recorded(out: Path, forms: dict[str, Template], due: str) -> ClassGradebook:
    """Return the gradebook of a small class."""
    book = ClassGradebook(out)
    for form in forms.values():
        book.register(form)
        with opened_book(out) as opened:
            opened.update_or_create_assignment(form.assignment, duedate=due)
        for student in PEOPLE if form is next(iter(forms.values())) else ["ada", "bo"]:
            book.record(student, form, outcome(form, *PEOPLE[student]), LATE if student != "bo" else EARLY)
    return book


def by_nbgrader(out: Path, names: Iterable[str]) -> None:
    """Let nbgrader's own converter take what lies in `submitted`: it keeps outputs as its kernel's, and a bonus."""
    config, own = files.settings(out), "nbgrader.preprocessors."
    config.Autograde.permissions = 400
    config.OverwriteCells.add_missing_cells = True
    config.Autograde.sanitize_preprocessors = [own + "OverwriteCells", own + "CheckCellMetadata"]
    config.Autograde.autograde_preprocessors = [
        own + name for name in ("SaveAutoGrades", "AssignLatePenalties", "CheckCellMetadata")
    ]
    scores = mock.patch("nbgrader.utils.determine_grade", lambda cell, _: (automatic_score(cell), 0.0))
    with quiet(), scores:
        for name in names:
            folders = CourseDirectory(config=config)
            folders.assignment_id = name
            converters.Autograde(coursedir=folders, config=config).start()


def tree(out: Path, *folders: str) -> dict[str, tuple[bytes, int]]:
    """Return every file's content and permissions."""
    files = [path for folder in folders for path in (out / folder).rglob("*") if path.is_file()]
    return {str(path.relative_to(out)): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) for path in files}


def test_it_holds_row_by_row_what_nbgraders_own_commands_write(forms, tmp_path: Path) -> None:
    settle(tmp_path / "ours", HALVES)
    recorded(tmp_path / "ours", forms, due=DUE)
    shutil.copytree(tmp_path / "ours" / "autograded", tmp_path / "theirs" / "submitted")
    settle(tmp_path / "theirs", HALVES)
    for form in forms.values():
        with opened_book(tmp_path / "theirs") as opened:
            opened.update_or_create_assignment(form.assignment, duedate=DUE)
        about = {"notebook": form.assignment, "assignment": form.assignment, "db_url": url(tmp_path / "theirs")}
        SaveCells().preprocess(form.notebook, ResourcesDict(nbgrader=about))
    by_nbgrader(tmp_path / "theirs", forms)
    ours, theirs = rows(url(tmp_path / "ours")), rows(url(tmp_path / "theirs"))
    for table in KEPT:
        assert ours[table] == theirs[table], table
    assert {row[3] for row in ours["submitted"]} == {None, 0.0, ALL / 2, by_checks("encoder_decoder") / 2}
    assert tree(tmp_path / "ours", "autograded") == tree(tmp_path / "theirs", "autograded")


def grade(opened: Gradebook, student: str, name: str) -> Any:
    return opened.find_grade(name, "bahdanau", "bahdanau", student)


def with_text(form: Template, text: str, points: int = 3, pasted: str = "") -> Outcome:
    """Return the outcome of a submission with this answer to a written question that gives so many points."""
    made = outcome(form, 1)
    notebook = class_files.read(made.notebook)
    [cell] = [cell for cell in notebook.cells if grade_id(cell) == "reading_a_matrix"]
    cell.source, cell.metadata.nbgrader.points = text, points
    if pasted:
        cell["attachments"] = {"a.png": {"image/png": pasted}}
    return replace(made, notebook=nbformat.writes(notebook).encode())


CHANGES = {
    "nothing": ({"reading_a_matrix": False, "check-masked_softmax": False}, {}),
    "the text": ({"reading_a_matrix": True, "check-masked_softmax": False}, {"text": "(a) Another."}),
    "a picture": ({"reading_a_matrix": True, "check-masked_softmax": False}, {"pasted": "AAAA"}),
    "the maximum": ({"reading_a_matrix": True, "check-masked_softmax": False}, {"points": 4}),
}


@pytest.mark.parametrize(("change", "killed"), [*((each, False) for each in CHANGES), ("the text", True)])
def test_points_by_hand_stay_final_while_answer_and_maximum_do(
    form, tmp_path: Path, monkeypatch, change: str, killed: bool
) -> None:
    waits, about = CHANGES[change]
    book = ClassGradebook(tmp_path)
    book.register(form)
    book.record("ada", form, with_text(form, "(a) The row of *me*."))
    with opened_book(tmp_path) as opened:
        for name in waits:
            grade(opened, "ada", name).manual_score = 2
            grade(opened, "ada", name).needs_manual_grade = False
    again = with_text(form, **{"text": "(a) The row of *me*."} | about)
    if killed:
        with monkeypatch.context() as patch:
            _stop(patch, book, "rename")
            with pytest.raises(KeyboardInterrupt):
                book.record("ada", form, again)
    for _ in range(2):  # an answer that waits goes on waiting
        book.record("ada", form, again)
        with opened_book(tmp_path) as opened:
            assert {name: grade(opened, "ada", name).needs_manual_grade for name in waits} == waits
            assert grade(opened, "ada", "reading_a_matrix").score == 2


def test_a_resubmission_replaces_everything(form, tmp_path: Path) -> None:
    """The class ends as if only the last one had ever been handed in."""
    for out, turns in {"once": [0.5], "thrice": [0.0, 1.0, 0.5]}.items():
        book = ClassGradebook(tmp_path / out)
        book.register(form)
        for number, share in enumerate(turns):
            book.record("ada", form, outcome(form, share), LATE if number + 1 < len(turns) else b"")
    assert rows(url(tmp_path / "once")) == rows(url(tmp_path / "thrice"))
    folders = ("autograded", "feedback")
    assert tree(tmp_path / "once", *folders) == tree(tmp_path / "thrice", *folders)


def test_a_page_says_of_which_hand_in_it_is(form, tmp_path: Path) -> None:
    book = ClassGradebook(tmp_path)
    book.register(form)
    beside = tmp_path / "feedback/ada/bahdanau/timestamp.txt"
    later = b"2026-11-22 01:02:03.000004 UTC"
    for timestamp, kept in ((LATE, LATE), (b"", None), (later, later), (None, later), (b"next Tuesday", None)):
        book.record("ada", form, outcome(form, 0.5), timestamp)
        assert (beside.read_bytes() if beside.exists() else None) == kept


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
            _stop(patch, cut, step)
            with pytest.raises(KeyboardInterrupt):
                cut.record("ada", form, again, EARLY)
        cut.close()
        left = rows(url(tmp_path / step), ["grade"])["grade"]
        assert (left == whole["grade"]) == (step in ("rename", "feedback")), step
        ClassGradebook(tmp_path / step).record("ada", form, again, EARLY)
        assert rows(url(tmp_path / step)) == whole, step
        assert tree(tmp_path / step, *folders) == tree(tmp_path / "whole", *folders), step


def _demand_alive(path: Path, content: bytes, killed: bool) -> None:
    """Leave what a kill within the writing of a file leaves: a part of it, under another name."""
    if killed:
        part = path.with_name(f".{path.name}.0123abcd.part")
        part.write_bytes(content[:100])
        os.utime(part, (0, 0))  # long ago: of one that is young, somebody else may be writing the rest
        raise KeyboardInterrupt


def _stop(patch: pytest.MonkeyPatch, book: ClassGradebook, step: str) -> None:
    def stops(*_: Any) -> None:
        raise KeyboardInterrupt

    def begins(path: Path, content: bytes) -> None:
        _demand_alive(path, content, path.relative_to(book.out).parts[0] == step)

    @contextlib.contextmanager
    def prepares(path: Path, content: bytes, mode: int) -> Iterator[None]:
        begins(path, content)
        with prepared(path, content, mode):
            yield
            if step == "rename":
                raise KeyboardInterrupt

    def writes(path: Path, content: bytes, mode: int) -> None:
        begins(path, content)
        atomic_write(path, content, mode)

    patch.setattr(class_files, "atomic_write", writes)
    patch.setattr(class_files, "prepared", prepares)
    if step == "enter":
        patch.setattr(book.entries, "_penalise", stops)
    if step == "commit":
        patch.setattr(type(book.session), "commit", stops)


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
        ("no database", "is no database"),
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
    monkeypatch.setattr("autograder.gradebook.database.WAIT_SECONDS", 0.1)
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


def changed(form: Template, *gone: str) -> Template:
    """Return the notebook of a course that is without some exercises."""
    other = Template(form.assignment, copy.deepcopy(form.notebook))
    other.notebook.cells = [cell for cell in other.notebook.cells if cell.get("id") not in gone]
    return other


GIVEN = {"reading_a_matrix": 2.0, "check-masked_softmax": 7.5}
PARTS = ("masked_softmax", "check-masked_softmax", "reading_a_matrix")


def given(out: Path, student: str) -> dict[str, float]:
    with opened_book(out) as opened:
        grades = opened.find_submission_notebook("bahdanau", "bahdanau", student).grades
        return {each.name: each.manual_score for each in grades if each.manual_score is not None}


def test_an_exercise_removed_and_put_back_has_its_points_by_hand_again(form, tmp_path: Path) -> None:
    book, fewer = ClassGradebook(tmp_path), changed(form, *PARTS)
    book.register(form)
    for student in ("ada", "bo"):
        book.record(student, form, outcome(form, 1))
    with opened_book(tmp_path) as opened:
        for name, points in GIVEN.items():
            grade(opened, "ada", name).manual_score = points
        opened.find_comment("masked_softmax", "bahdanau", "bahdanau", "ada").manual_comment = "Well said."
    with TestCase().assertLogs(level="WARNING") as logged:
        book.register(fewer)
    assert "no longer graded: check-masked_softmax, masked_softmax, reading_a_matrix" in logged.output[0]
    assert stat.S_IMODE((tmp_path / "removed/bahdanau.json").stat().st_mode) == 0o600
    with opened_book(tmp_path) as opened:
        assert opened.find_submission("bahdanau", "bo").max_score == CORE - 10 - 3  # masked_softmax, reading_a_matrix
    assert given(tmp_path, "ada") == {}
    for again in ("ada", "bo"):
        book.feedback(again, fewer)  # graded before: its notebook still shows the cells, and they earn nothing
    book.register(form)
    assert given(tmp_path, "ada") == GIVEN
    with opened_book(tmp_path) as opened:
        comment = opened.find_comment("masked_softmax", "bahdanau", "bahdanau", "ada")
        assert comment.manual_comment == "Well said."
        grade(opened, "ada", "reading_a_matrix").manual_score = None
    book.register(fewer)
    book.register(form)
    assert given(tmp_path, "ada") == {"check-masked_softmax": 7.5}  # what was taken back stays taken back


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
    with pytest.raises(ValueError, match=r"names the database gradebook.db, asked for is .*elsewhere.db"):
        ClassGradebook(tmp_path / "b", elsewhere)


@pytest.mark.parametrize("wrong", ["nonsense", "martian://host/db"])
def test_a_database_that_nobody_knows_is_said(form, tmp_path: Path, wrong: str) -> None:
    with pytest.raises(NoGradebook, match=r"expected .*such as postgresql://USER@HOST/NAME"):
        ClassGradebook(tmp_path, wrong).register(form)
