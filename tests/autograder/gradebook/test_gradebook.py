"""Tests of the gradebook: it holds what nbgrader's own commands would write, whatever happened before."""

import shutil
import stat
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from unittest import TestCase, mock

import nbformat
import pytest
from nbconvert.exporters.exporter import ResourcesDict

from autograder.assignment import Template, grade_id, template
from autograder.gradebook import class_files
from autograder.gradebook import config as files
from autograder.gradebook.store.gradebook import ClassGradebook, quiet
from autograder.gradebook.store.rows import automatic_score
from autograder.judge.assess import Outcome
from tests.support.classes import opened_book
from tests.support.gradebooks import (
    DUE,
    EARLY,
    GIVEN,
    HALVES,
    LATE,
    PARTS,
    changed,
    given,
    grade,
    stop_before,
    tree,
    url,
)
from tests.support.outcomes import KEPT, PEOPLE, outcome, rows
from tests.support.points import by_checks, core, written
from tests.support.teacher import settle

ALL, CORE = by_checks("bahdanau"), core("bahdanau") + written("bahdanau")

with quiet():
    from nbgrader import converters
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.preprocessors import SaveCells


@pytest.fixture(scope="module")
def forms(released: Path) -> dict[str, Template]:
    return {name: template(name) for name in ("bahdanau", "encoder_decoder")}


@pytest.fixture(scope="module")
def form(forms: dict[str, Template]) -> Template:
    return forms["bahdanau"]


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
            stop_before(patch, book, "rename")
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
