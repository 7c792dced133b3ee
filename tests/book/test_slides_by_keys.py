"""Tests of the slides' keys: what they bring, and when they are a figure's own."""

from pathlib import Path

import pytest

from book.make import slides
from tests.book.test_slides import site

HERE = "Reveal.getIndices().h"
GO = "(kind) => Reveal.slide(Reveal.getIndices(document.querySelector(kind).closest('section')).h)"

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("slides") / "slides"
    slides.make(site(), made, "full", ["bahdanau", "self_attention"])
    return made


def opened(browser, deck: Path):
    tab = browser.new_page(viewport={"width": 1280, "height": 720})
    tab.goto(deck.as_uri())
    tab.wait_for_selector("html[data-ready]", state="attached")
    return tab


def test_keys_build_a_drawing_and_a_figure_keeps_its_own(browser, folder):
    tab = opened(browser, folder / "bahdanau.html")
    pressed = ".present .chooser [aria-pressed=true]"
    tab.evaluate(GO, ".touch")
    assert tab.locator(pressed).count() == 0
    for word in ("he", "hit"):
        tab.keyboard.press("ArrowRight")
        assert tab.locator(pressed).inner_text() == word
    tab.keyboard.press("ArrowLeft")
    assert tab.locator(pressed).inner_text() == "he"
    tab.locator(".present .chooser button").first.focus()
    fragment = tab.evaluate("Reveal.getIndices().f")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("Reveal.getIndices().f") == fragment, "the key belongs to the words"
    tab.evaluate("document.activeElement.blur()")
    tab.evaluate(GO, ".weigh")
    here = tab.evaluate(HERE)
    slider = tab.locator(".present .weigh input[type=range]").first
    slider.focus()
    before = slider.input_value()
    tab.keyboard.press("ArrowRight")
    assert slider.input_value() != before
    assert tab.evaluate(HERE) == here
    tab.keyboard.press("Escape")
    assert not tab.evaluate("Reveal.isOverview()")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate(HERE) == here + 1
    tab.keyboard.press("Escape")
    assert tab.evaluate("Reveal.isOverview()"), "outside a figure"
    tab.close()


def test_answers_come_by_keys_and_what_was_given_stays(browser, folder):
    tab = opened(browser, folder / "bahdanau.html")
    tab.evaluate(GO, ".answers")
    first = ".present tbody tr:first-child > "
    for hidden in (4, 3, 2, 1, 0):
        assert tab.locator(f"{first} *").count() == 5
        assert tab.locator(f"{first} * > .fragment:not(.visible)").count() == hidden
        tab.keyboard.press("ArrowRight")
    tab.close()


def figure_of(tab) -> tuple:
    """Go to the figure that runs a model; return it, and the number of its slide."""
    tab.evaluate(GO, ".live")
    tab.wait_for_selector(".present .live.live-runs", state="attached")
    return tab.locator(".present .live"), tab.evaluate(HERE)


def test_what_a_pointer_has_used_leaves_the_keys_to_the_slides(browser, folder):
    tab = opened(browser, folder / "self_attention.html")
    figure, here = figure_of(tab)
    field, notes = figure.locator("textarea"), figure.locator(".live-notes button")
    used = {
        "a word": lambda: figure.locator(".live-words button").nth(1).click(),
        "a panel": lambda: figure.locator("summary").click(),
        "another sentence": lambda: figure.get_by_role("button", name="another sentence").click(),
        "a word to go on with": lambda: (field.fill("the"), notes.first.click()),
        "a guess": lambda: figure.locator(".live-question button").first.click(),
    }
    for what, use in used.items():
        for key, to in (("ArrowRight", 1), ("Space", 1), ("PageDown", 1), ("ArrowLeft", -1), ("PageUp", -1)):
            use()
            tab.wait_for_function("!document.activeElement.closest('.live')")
            tab.keyboard.press(key)
            assert tab.evaluate(HERE) == here + to, f"{key} after {what}"
            tab.evaluate(f"Reveal.slide({here})")
    tab.close()


def test_a_menu_that_was_closed_as_it_was_leaves_the_keys_to_the_slides(browser, folder):
    tab = opened(browser, folder / "self_attention.html")
    figure, here = figure_of(tab)
    menu = figure.get_by_label("weights")
    chosen = menu.input_value()
    for key, to in (("ArrowDown", 1), ("Escape", 0), ("ArrowUp", -1)):
        box = menu.bounding_box()
        for _ in ("opens its list", "closes it"):
            tab.mouse.click(box["x"] + 5, box["y"] + 5)
        tab.keyboard.press(key)
        assert tab.evaluate(HERE) == here + to, key
        tab.evaluate(f"Reveal.toggleOverview(false), Reveal.slide({here})")
    assert menu.input_value() == chosen
    tab.close()


def test_a_field_keeps_its_keys_until_escape_and_page_down_leaves_all_else(browser, folder):
    tab = opened(browser, folder / "self_attention.html")
    figure, here = figure_of(tab)
    figure.locator("textarea").click()
    for key in ("ArrowRight", "Space", "PageDown"):
        tab.keyboard.press(key)
        assert tab.evaluate(HERE) == here, f"{key} belongs to the field"
    tab.keyboard.press("Escape")
    assert not tab.evaluate("Reveal.isOverview()")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate(HERE) == here + 1
    for key, to in (("PageDown", 1), ("PageUp", -1)):
        tab.evaluate(f"Reveal.slide({here})")
        figure.locator("select").first.focus()
        tab.keyboard.press(key)
        assert tab.evaluate(HERE) == here + to, key
    tab.close()
