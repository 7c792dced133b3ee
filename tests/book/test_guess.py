"""Tests of a guess at the head of a page, and of its answer further down."""

import pytest

from book.show.guesses import guess, paid
from tests.support.figures import is_narrow, opened

OPTIONS = ("nearly all", "about half", "few")


@pytest.mark.browser
@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ("about half", "You guessed “about half”, and so it is."),
        ("few", "You guessed “few”. It is “about half”."),
    ],
)
def test_the_answer_says_what_was_guessed(browser, tmp_path, chosen, says):
    figures = str(guess("words", "How many?", OPTIONS, "Read on.").data) + str(paid("words", OPTIONS[1], "16 do.").data)
    for page in opened(browser, tmp_path, figures):
        answer = page.locator(".paid")
        assert answer.inner_text() == "16 do."
        page.get_by_role("button", name="nearly all").click()
        page.get_by_role("button", name=chosen).click()
        assert page.get_by_role("status").inner_text() == f"You say “{chosen}”. Read on."
        assert page.locator("[aria-pressed=true]").all_inner_texts() == [chosen]
        assert answer.locator("p").all_inner_texts() == [says, "16 do."]
        assert is_narrow(page)


@pytest.mark.browser
def test_without_scripts_the_question_and_its_answer_stand_as_text(browser, tmp_path):
    figures = str(guess("words", "How many?", OPTIONS, "Read on.").data) + str(paid("words", OPTIONS[1], "16 do.").data)
    for page in opened(browser, tmp_path, figures, scripts=False):
        assert page.locator(".guess p").first.inner_text() == "Guess first. How many?"
        assert page.locator(".choices span").all_inner_texts() == list(OPTIONS)
        assert page.locator(".paid").inner_text() == "16 do."
        assert page.locator("button").count() == 0


@pytest.mark.browser
def test_the_question_takes_the_same_room_before_its_script_has_run(browser, tmp_path):
    boxes = []
    for scripts in (False, True):
        for page in opened(browser, tmp_path, str(guess("words", "How many?", OPTIONS, "Read on.").data), scripts):
            choices = page.locator(".choices > *").all()
            boxes.append([each.bounding_box() for each in [page.locator("div.moved"), *choices]])
    assert boxes[0] == boxes[1]
