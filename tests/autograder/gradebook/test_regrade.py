"""Regrade requests: a student's note reaches formgrader, report and feedback, and its answer outlasts what follows."""

import html
import re
from pathlib import Path

import nbformat
import pytest

from autograder.assignment import template
from autograder.gradebook.by_hand import regrade
from autograder.gradebook.store.gradebook import ClassGradebook
from autograder.judge.assess import LONGEST_NOTE, requests
from autograder.report.page import report
from tests.autograder.gradebook.test_bonus_points import submitted
from tests.autograder.gradebook.test_formgrader import desk_of
from tests.support.classes import page
from tests.support.outcomes import outcome
from tests.support.report_pages import Reader, demand_sound, keep, line
from tests.support.teacher import out, teacher  # noqa: F401

NAME, PART = "bahdanau", "additive_attention"
NOTE = "My mask <b>is</b> right: see $m_k$."


def cell(text: str, **about) -> nbformat.NotebookNode:
    return nbformat.from_dict({"id": "own-3", "cell_type": "markdown", "metadata": {}, "source": text} | about)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Regrade: additive_attention\n\nWhy.", (NAME, PART, "Why.")),
        ("### regrade : `check-additive_attention`. Why.", (NAME, PART, "Why.")),
        ("**Regrade: luong.dot_score** — why?", ("luong", "dot_score", "why?")),
        ("Regrade: " + PART + " " + "x" * 9999, (NAME, PART, "x" * LONGEST_NOTE)),
        ("> Regrade: additive_attention", (NAME, PART, "")),
        ("I want a regrade: additive_attention", None),
        ("Regrade please", None),
    ],
)
def test_a_cell_that_begins_so_is_a_request(text: str, found: tuple[str, str, str] | None) -> None:
    expected = [dict(zip(("assignment", "part", "note"), found, strict=True))] if found else []
    assert requests([cell(text)], NAME) == expected
    assert requests([cell(text, cell_type="code"), cell(text, id="released-1")], NAME) == []


def ask(folder: Path, *texts: str) -> None:
    """Hand in ada's notebook with these cells at its end."""
    path = folder / "in" / "ada" / NAME / f"{NAME}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [each for each in notebook.cells if "Regrade" not in each.source or "Handing" in each.source]
    notebook.cells += [nbformat.v4.new_markdown_cell(text) for text in texts]
    nbformat.write(notebook, path)


def rows(folder: Path) -> list[tuple[str, str, str | None]]:
    book = ClassGradebook(folder)
    found = [(row.part, row.note, row.answer) for row in regrade.requests(book.session)]
    book.close()
    return found


def answer(folder: Path, text: str) -> None:
    book = ClassGradebook(folder)
    [row] = regrade.requests(book.session, NAME, "ada")
    regrade.answer(book.session, NAME, "ada", row.id, text)
    book.session.commit()
    book.close()


def test_a_note_is_answered_once_and_the_answer_outlasts_regrades(teacher, out: Path, tmp_path: Path) -> None:  # noqa: F811
    ask(tmp_path, f"### Regrade: {PART}\n\n{NOTE}", "Regrade: nothing_of_this_name Hm.")
    assert teacher()[0] == 0
    assert rows(out) == [(PART, NOTE, None), ("nothing_of_this_name", "Hm.", None)]
    assert "This request waits for your teacher's answer." in page(out, "ada")
    assert html.escape(NOTE, quote=False) in page(out, "ada")
    ask(tmp_path, f"### Regrade: {PART}\n\n{NOTE}")  # the other one is taken back
    assert teacher()[0] == 0
    answer(out, "It is: **two points**.")
    ask(tmp_path, "more", f"### Regrade: {PART}\n\n{NOTE}")
    assert teacher()[0] == 0
    assert rows(out) == [(PART, NOTE, "It is: **two points**.")]
    assert "<strong>two points</strong>" in page(out, "ada")
    ask(tmp_path, f"Regrade: {PART} Once more.")
    assert teacher()[0] == 0
    assert rows(out) == [(PART, "Once more.", None), (PART, NOTE, "It is: **two points**.")]
    (tmp_path / "in" / "ada" / NAME / f"{NAME}.ipynb").write_text("{")
    assert teacher()[0] == 0
    assert len(rows(out)) == 2  # what a broken file asks for, nobody knows


def test_the_report_shows_a_request_with_what_the_check_said(released, tmp_path: Path) -> None:
    lines = [line(student, NAME, {f"{NAME}.{PART}": ("some", [])}) for student in ("ada", "bo")]
    for check in lines[0]["checks"]:
        check["hint"] = f"the hint about <{check['id']}>"
    keep(tmp_path, lines)
    book = ClassGradebook(tmp_path)
    book.register(template(NAME))
    for student in ("ada", "bo"):
        made = outcome(template(NAME), 0.5)
        made.line["requests"] = [{"assignment": NAME, "part": PART, "note": NOTE}] if student == "ada" else []
        book.record(student, template(NAME), made)
    book.close()
    text = report(tmp_path).read_text()
    demand_sound(text, Reader(text))
    section = re.search(r"<h3>Regrade requests</h3>(.*?)<h3>", text, re.DOTALL)
    assert section
    assert "1 of 1 wait" in section[1]
    assert html.escape(NOTE) in section[1]
    assert f"the hint about &lt;{NAME}.{PART}&gt;" in section[1]
    assert NOTE not in text
    assert html.escape(NOTE) not in report(tmp_path, anonymous=True).read_text()


@pytest.mark.browser
@pytest.mark.slow
def test_a_request_is_answered_in_formgrader_beside_its_part(released, browser, tmp_path: Path) -> None:
    book = ClassGradebook(tmp_path)
    book.register(template(NAME))
    made = outcome(template(NAME), 0.5)
    made.line["requests"] = [{"assignment": NAME, "part": part, "note": NOTE} for part in (PART, "no_part")]
    book.record("ada", template(NAME), made)
    with desk_of(browser, tmp_path, f"submissions/{submitted(book).id}/") as desk:
        panel = desk.tab.locator(".nbgrader_cell", has=desk.tab.locator(f"#check-{PART}")).locator(".request")
        assert NOTE in panel.inner_text()
        for text, leave in (("It was", False), ("It *was* right.", True)):  # it saves itself, at the latest when left
            panel.get_by_role("textbox").fill(text)
            if leave:
                desk.tab.keyboard.press("Tab")
            panel.get_by_text("saved", exact=True).wait_for()
        assert desk.tab.locator(".request").count() == 2
        assert [desk.acted(), desk.errors, desk.elsewhere] == [False, [], []]
    assert [(row.part, row.answer) for row in regrade.requests(book.session)] == [
        ("no_part", None),
        (PART, "It *was* right."),
    ]
