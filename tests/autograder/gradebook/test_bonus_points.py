"""Tests of bonus points in the gradebook: on top, lowered by a worse answer, never mixed with what people gave."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Grade
from nbgrader.utils import compute_checksum

from autograder.assignment import OWN, Template
from autograder.gradebook.store import query
from autograder.gradebook.store.gradebook import ClassGradebook, quiet
from autograder.gradebook.store.rows import automatic_score
from autograder.judge.judge import shown
from autograder.kit.verdict.bonus import ON_TOP
from autograder.kit.verdict.cases import Verdict
from tests.autograder.gradebook.test_formgrader import Desk, desk_of
from tests.support.classes import opened_book, total_on
from tests.support.gradebooks import DUE, EARLY, HALVES, LATE
from tests.support.notebooks import code, graded, markdown
from tests.support.outcomes import outcome
from tests.support.teacher import settle

NAME, CORE, BONUS = "mine", 10, 6
STARRED = "check-stretch"


def form(stars: int = 1) -> Template:
    """Return a released notebook of a core function, a starred one and a question; `stars` 0: both are core."""
    check = graded(STARRED, grade=True, locked=True, points=0 if stars else BONUS)
    own = {OWN: {"stars": stars, "bonus": BONUS}} if stars else {}
    cells = [
        code("def core(x):\n    raise NotImplementedError()", **graded("core", solution=True)),
        code('check("mine.core", globals())', **graded("check-core", grade=True, locked=True, points=CORE)),
        code("def stretch(x):\n    raise NotImplementedError()", **graded("stretch", solution=True)),
        code('check("mine.stretch", globals())', **check, **own),
        markdown("YOUR ANSWER HERE", **graded("why", grade=True, solution=True, points=3)),
    ]
    metadata = {OWN: {"assignment": NAME}, "kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = nbformat.from_dict({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells})
    for cell in notebook.cells:
        cell["id"] = cell.metadata.nbgrader.grade_id
        cell.metadata.nbgrader |= {"cell_type": cell.cell_type}
        cell.metadata.nbgrader["checksum"] = compute_checksum(cell)
    return Template(NAME, notebook)


def register(out: Path, db_url: str | None = None, **changes: Any) -> ClassGradebook:
    book = ClassGradebook(out, db_url)
    book.register(form(**changes))
    return book


def record(book: ClassGradebook, student: str, core: float, of_bonus: float, when: bytes | None = None) -> None:
    book.record(student, form(), outcome(form(), core, of_bonus=of_bonus), when)


def submitted(book: ClassGradebook, student: str = "ada") -> query.Submission:
    with quiet():
        [row] = [each for each in query.submissions(book.session, {}) if each.student == student]
        book.session.rollback()
    return row


def grade(opened: Any, student: str = "ada", cell: str = STARRED) -> Grade:
    return opened.find_grade(cell, NAME, NAME, student)


def page(out: Path, student: str = "ada") -> str:
    return (out / f"feedback/{student}/{NAME}/{NAME}.html").read_text("utf-8")


@pytest.mark.parametrize(("share", "score"), [(0.0, 10), (0.5, 13), (1.0, 16)])
def test_a_bonus_comes_on_top_of_all_and_who_skips_it_has_all(tmp_path: Path, share: float, score: float) -> None:
    book = register(tmp_path)
    record(book, "ada", 1.0, share)
    with opened_book(tmp_path) as opened:
        notebook = opened.find_submission_notebook(NAME, NAME, "ada")
        assert (notebook.score, notebook.max_score) == (score, CORE + 3)
        assert not notebook.failed_tests  # formgrader's list of those to look at
        assert not grade(opened).needs_manual_grade
        assert (grade(opened).auto_score, grade(opened).extra_credit) == (BONUS * share, None)
    assert total_on(page(tmp_path)) == (score, CORE + 3)
    assert f'<a href="#check-stretch">stretch</a> ★ bonus</th><td>{BONUS * share:g} of 6</td>' in page(tmp_path)


def test_what_a_person_gave_is_neither_lost_nor_counted_as_a_bonus(tmp_path: Path) -> None:
    book = register(tmp_path)
    for student in ("ada", "bo"):
        record(book, student, 1.0, 0.5)
    with opened_book(tmp_path) as opened:
        grade(opened).extra_credit = 1.5  # on top of the bonus
        grade(opened, "bo").manual_score = 5.0  # instead of it
    for share, ada, bo in [(1.0, 17.5, 15), (0.0, 11.5, 15), (0.5, 14.5, 15)]:
        for student in ("ada", "bo"):
            record(book, student, 1.0, share)
        with opened_book(tmp_path) as opened:
            assert (grade(opened).auto_score, grade(opened).extra_credit) == (BONUS * share, 1.5)
            assert (grade(opened, "bo").manual_score, grade(opened, "bo").extra_credit) == (5, None)
            assert grade(opened, "bo").needs_manual_grade  # for another look
        assert (submitted(book).score, submitted(book).manual_score) == (ada, 1.5)
        assert (submitted(book, "bo").score, submitted(book, "bo").manual_score) == (bo, 5)


LATER = b"2026-11-23 12:00:00 UTC"  # by which the rule takes a point more than there are


@pytest.mark.parametrize(
    ("rule", "when", "part"), [(HALVES, LATE, 0.5), (HALVES, LATER, 1.0), ("penalty_method = 'zero'", LATE, 1.0)]
)
def test_a_penalty_is_taken_once_and_never_below_nothing(tmp_path: Path, rule: str, when: bytes, part: float) -> None:
    settle(tmp_path, rule if rule == HALVES else f"LateSubmissionPlugin.{rule}")
    book = register(tmp_path)
    with opened_book(tmp_path) as opened:
        opened.update_or_create_assignment(NAME, duedate=DUE)
    for core, share in [(1.0, 1.0), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (1.0, 1.0)]:
        record(book, "ada", core, share, when)
        record(book, "bo", core, share, EARLY)
        score = CORE * core + BONUS * share
        for _ in range(2):
            assert (submitted(book).late_penalty, submitted(book).total) == (score * part, score * (1 - part))
            assert (submitted(book, "bo").late_penalty, submitted(book, "bo").total) == (0, score)
            assert book.penalise([NAME]).changed == 0
        assert total_on(page(tmp_path)) == (score * (1 - part), CORE + 3)


def test_a_task_becomes_a_bonus_and_a_core_task_again(tmp_path: Path) -> None:
    book = register(tmp_path, stars=0)
    book.record("ada", form(stars=0), outcome(form(stars=0), 1.0))
    with opened_book(tmp_path) as opened:
        grade(opened).extra_credit = 1.0
        assert opened.find_submission(NAME, "ada").max_score == 19
    for stars, most in [(2, 13), (0, 19), (1, 13)]:
        changed = form(stars)
        book.register(changed)
        book.record("ada", changed, outcome(changed, 1.0))
        with opened_book(tmp_path) as opened:
            assert (opened.find_submission(NAME, "ada").score, opened.find_submission(NAME, "ada").max_score) == (
                17,
                most,
            )


@pytest.mark.parametrize(("share", "expected"), [(1.0, 6.0), (0.5, 3.0), (0.0, 0.0)])
def test_a_verdict_is_read_as_it_was_written(share: float, expected: float) -> None:
    """A task that nobody has to do shows no error."""
    cell = copy.deepcopy(form().graded[STARRED])
    hint = None if share == 1 else f"stretch: {BONUS * share:g} of 6 points."
    cell.outputs = [nbformat.from_dict(each) for each in shown(Verdict(BONUS * share, BONUS, hint, [], []), stars=2)]
    assert automatic_score(cell) == expected
    assert "error" not in [output.output_type for output in cell.outputs]
    assert f"★★ {ON_TOP}" in cell.outputs[0].text
    assert cell.metadata.nbgrader.points == 0


@pytest.fixture
def half_of_it(tmp_path: Path) -> ClassGradebook:
    book = register(tmp_path / "class")
    record(book, "ada", 1.0, 0.5)
    return book


@pytest.fixture
def desk(half_of_it: ClassGradebook, browser) -> Iterator[Desk]:
    with desk_of(browser, half_of_it.out, f"submissions/{submitted(half_of_it).id}/") as made:
        yield made


def put(desk: Desk, act) -> None:
    """Do something that formgrader saves."""
    with desk.tab.expect_response(lambda answer: "/api/grade/" in answer.url and answer.request.method == "PUT"):
        act()


@pytest.mark.browser
@pytest.mark.slow
def test_points_by_hand_may_be_as_many_as_the_bonus(desk: Desk, half_of_it: ClassGradebook) -> None:
    score = desk.tab.locator(f"#{STARRED}")
    cell = desk.tab.locator(".nbgrader_cell").filter(has=score)
    assert score.get_attribute("placeholder") == "3"
    assert f"/ {BONUS:.1f}" in cell.inner_text()
    put(desk, cell.locator(".full-credit").click)
    assert submitted(half_of_it).score == CORE + BONUS
    for given, kept in [("4", 4), ("99", BONUS), ("2", 2)]:  # also after the server has answered
        score.fill(given)
        put(desk, lambda: score.press("Tab"))
        assert submitted(half_of_it).score == CORE + kept, given
    extra = desk.tab.locator(f"#{STARRED}_extra_credit")
    extra.fill("1")
    put(desk, lambda: extra.press("Tab"))
    assert submitted(half_of_it).score == CORE + 3
    record(half_of_it, "ada", 1.0, 1.0)
    assert submitted(half_of_it).score == CORE + 3  # a regrade leaves what a person gave
    put(desk, cell.locator(".no-credit").click)
    assert submitted(half_of_it).score == CORE
    core = desk.tab.locator("#check-core")
    core.fill("99")
    put(desk, lambda: core.press("Tab"))
    assert submitted(half_of_it).score == CORE
    assert not desk.errors
