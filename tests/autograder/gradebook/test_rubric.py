"""Rubrics: items give the points, a change reaches all who have the item, equal answers are graded once."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from autograder.assignment import Template, assignments, template
from autograder.checks import questions
from autograder.gradebook.by_hand import rubric
from autograder.gradebook.store.gradebook import ClassGradebook
from autograder.judge.assess import Outcome
from autograder.places import KIT
from tests.autograder.gradebook.test_bonus_points import submitted
from tests.autograder.gradebook.test_formgrader import Desk, desk_of
from tests.support.classes import opened_book, page, points_on
from tests.support.outcomes import ANSWER, outcome

NAME, QUESTION, MOST = "bahdanau", "reading_a_matrix", 3
SEEDS = {QUESTION: {"names the rows": 2.0, "says why": 1.5, "half": 0.5, "off": -9.0}}
ANSWERS = {"ada": ANSWER, "bo": f"  {ANSWER}\n".replace(" ", "  "), "cy": ANSWER.upper()}


@pytest.fixture(scope="module")
def form(released: Path) -> Template:
    return template(NAME)


def answered(form: Template, text: str) -> Outcome:
    notebook = nbformat.reads(outcome(form, 1.0).notebook.decode(), as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == QUESTION:
            cell.source = text
    return Outcome(outcome(form, 1.0).line, nbformat.writes(notebook).encode())


@pytest.fixture
def book(form: Template, tmp_path: Path, monkeypatch) -> ClassGradebook:
    """Return the gradebook of a class with a rubric; ada and bo wrote the same."""
    monkeypatch.setattr(rubric, "of_course", lambda name: SEEDS)
    book = ClassGradebook(tmp_path)
    book.register(form)
    for student, text in ANSWERS.items():
        book.record(student, form, answered(form, text))
    return book


def ids(book: ClassGradebook) -> dict[str, str]:
    return {item.text: item.id for item in rubric.items(book.session, NAME, QUESTION)}


def choose(book: ClassGradebook, students: str, *texts: str) -> None:
    known = ids(book)
    rubric.choose(book.session, NAME, QUESTION, students.split(), {known[text] for text in texts})
    book.session.commit()


def change(book: ClassGradebook, item: str, text: str, points: float) -> list[str]:
    [row] = [each for each in rubric.items(book.session, NAME, QUESTION) if each.text == item]
    typed = rubric.change(book.session, row, text, points)
    book.session.commit()
    return typed


def given(book: ClassGradebook, student: str) -> tuple[float | None, bool]:
    """Return the points by hand, and whether the answer waits."""
    with opened_book(book.out) as opened:
        grade = opened.find_grade(QUESTION, NAME, NAME, student)
        return grade.manual_score, grade.needs_manual_grade


def test_points_are_the_sum_of_the_items_and_no_item_waits(book: ClassGradebook) -> None:
    assert given(book, "ada") == (None, True)
    for texts, points in [(["names the rows"], 2), (["names the rows", "half"], 2.5), (["off"], 0)]:
        choose(book, "ada", *texts)
        assert given(book, "ada") == (points, False)
    choose(book, "ada", "names the rows", "says why")
    assert given(book, "ada") == (MOST, False)  # not 3.5
    assert given(book, "bo") == (None, True)
    choose(book, "ada")
    assert given(book, "ada") == (None, True)
    with pytest.raises(ValueError, match="has no item"):
        rubric.choose(book.session, NAME, QUESTION, ["ada"], {"unknown"})


def test_a_change_reaches_all_who_have_the_item_but_not_what_was_typed(book: ClassGradebook) -> None:
    choose(book, "ada bo cy", "half")
    choose(book, "cy", "names the rows")
    with opened_book(book.out) as opened:
        opened.find_grade(QUESTION, NAME, NAME, "bo").manual_score = 3
    book.session.expire_all()
    assert change(book, "half", "a half", 1) == ["bo"]
    assert [given(book, student)[0] for student in ANSWERS] == [1, 3, 2]
    assert change(book, "a half", "", 0) == ["bo"]  # removed
    assert [given(book, student)[0] for student in ANSWERS] == [None, 3, 2]


def test_items_and_points_outlast_a_regrade_and_stand_on_the_feedback_page(
    form: Template, book: ClassGradebook
) -> None:
    choose(book, "ada", "names the rows", "half")
    book.record("ada", form, answered(form, ANSWER))
    book.record("cy", form, answered(form, "Something else."))
    assert given(book, "ada")[0] == 2.5
    part = re.search(rf'<section[^>]*id="{QUESTION}">.*?</section>', page(book.out, "ada"), re.DOTALL)
    assert part
    assert re.findall(r"<li>(.*?) <span class=\"points\">(.*?)</span>", part[0]) == [
        ("names the rows", "2"),
        ("half", "0.5"),
    ]
    assert points_on(page(book.out, "ada"), QUESTION) == (2.5, MOST)
    assert "names the rows" not in page(book.out, "cy")


def test_what_the_course_changes_reaches_the_class_and_what_a_marker_wrote_stays(book, form, monkeypatch) -> None:
    choose(book, "ada", "names the rows")
    change(book, "half", "a marker's words", 0.25)
    monkeypatch.setattr(
        rubric, "of_course", lambda name: {QUESTION: {"new": 1.0} | SEEDS[QUESTION] | {"names the rows": 1.0}}
    )
    book.register(form)
    assert given(book, "ada")[0] == 1
    now = {item.text: item.points for item in rubric.items(book.session, NAME, QUESTION)}
    assert now == {"names the rows": 1, "says why": 1.5, "a marker's words": 0.25, "off": -9, "new": 1}


def test_the_items_of_every_question_can_give_all_points_and_no_student_gets_them(released: Path) -> None:
    with zipfile.ZipFile(KIT.with_suffix(".zip")) as kit:
        given_out = "".join(kit.read(name).decode("utf-8", "ignore") for name in kit.namelist())
    for name in assignments():
        assert rubric.of_course(name).keys() == questions(name).keys()
        for question, each in questions(name).items():
            whole = [points for text, points in each.rubric.items() if "half" not in text]
            assert sum(whole) == each.points, question
            assert not [text for text in each.rubric if text in given_out]


@pytest.fixture
def desk(book: ClassGradebook, browser) -> Iterator[Desk]:
    book.session.commit()
    with desk_of(browser, book.out, f"submissions/{submitted(book).id}/") as made:
        yield made


@pytest.mark.browser
@pytest.mark.slow
def test_a_marker_clicks_items_for_equal_answers_and_changes_their_points(book: ClassGradebook, desk: Desk) -> None:
    panel = desk.tab.locator(f'[data-rubric="{QUESTION}"]')

    def saved() -> None:
        panel.get_by_text("saved", exact=False).wait_for()
        panel.get_by_role("status").evaluate("e => { e.textContent = '' }")

    panel.get_by_label("names the rows").check()
    saved()
    assert desk.tab.locator(f"#{QUESTION}").input_value() == "2"
    assert [given(book, student) for student in ANSWERS] == [(2, False), (2, False), (None, True)]
    panel.locator("li", has_text="names the rows").get_by_role("spinbutton").fill("1")
    panel.get_by_label("says why").focus()
    saved()
    assert [given(book, student)[0] for student in ANSWERS] == [1, 1, None]
    panel.get_by_placeholder("another item").fill("<img src=x onerror=window.ACTED=1>")
    panel.get_by_role("button", name="Add").click()
    saved()
    panel.get_by_label("also for 1 equal answer").uncheck()
    panel.get_by_label("<img").check()
    saved()
    assert [given(book, student)[0] for student in ANSWERS] == [2, 1, None]
    desk.tab.once("dialog", lambda dialog: dialog.accept(""))
    panel.locator("li", has_text="<img").get_by_role("button").click()
    saved()
    assert [given(book, student)[0] for student in ANSWERS] == [1, 1, None]
    panel.get_by_role("link", name="Next waiting answer").click()
    desk.tab.wait_for_load_state("networkidle")
    assert f"/{submitted(book, 'cy').id}/" in desk.tab.url
    assert panel.get_by_text("equal answer").count() == 0
    assert [desk.acted(), desk.errors, desk.elsewhere] == [False, [], []]
