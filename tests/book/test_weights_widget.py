"""The sliders of scores, weights and context: with keyboard and mouse, announced, and nothing without scripts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.places import ROOT

STATIC = ROOT / "book" / "_static"
WIDGET = '<div class="weigh" data-scores="0.964 1.523 1.726" data-values="1,0 0,1 1,1"></div>'
START = "weights (.204, .358, .438), context (.642, .796)"  # as the chapter works them out by hand

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser, tmp_path: Path) -> Iterator:
    yield from opened(browser, tmp_path, scripts=True)


def opened(browser, folder: Path, scripts: bool) -> Iterator:
    path = folder / "page.html"
    script = (STATIC / "weights.js").as_uri()
    path.write_text(f'<!DOCTYPE html><html lang="en"><script src="{script}"></script>{WIDGET}</html>', encoding="utf-8")
    context = browser.new_context(java_script_enabled=scripts)
    tab = context.new_page()
    tab.on("pageerror", lambda error: pytest.fail(str(error)))
    tab.goto(path.as_uri())
    yield tab
    context.close()


def test_it_begins_with_the_numbers_of_the_chapter(page) -> None:
    assert WIDGET in (ROOT / "book" / "bahdanau.md").read_text(encoding="utf-8")
    assert page.get_by_role("status").inner_text() == START


def test_a_position_that_is_left_out_gives_its_weight_to_the_others(page) -> None:
    page.get_by_label("position 3 is in the mask").press("Space")
    assert page.get_by_role("status").inner_text() == "weights (.364, .636, .000), context (.364, .636)"
    for position in (1, 2):
        page.get_by_label(f"position {position} is in the mask").click()
    assert page.get_by_role("status").inner_text() == "No position is left: all weights are 0, and so is the context."


def test_sliders_move_with_the_keyboard_and_say_where_they_are(page) -> None:
    score = page.get_by_label("score of position 1")
    score.press("End")
    assert score.get_attribute("aria-valuetext") == "4.000"
    # exp 4 / (exp 4 + exp 1.523 + exp 1.726)
    assert page.get_by_role("status").inner_text().startswith("weights (.843, .071, .087)")
    page.get_by_label("temperature").press("Home")
    assert page.get_by_role("status").inner_text() == "weights (1.000, .000, .000), context (1.000, .000)"
    page.get_by_role("button", name="back to the example").press("Enter")
    assert page.get_by_role("status").inner_text() == START


def test_a_high_temperature_makes_weights_alike(page) -> None:
    page.get_by_label("temperature").press("End")
    numbers = page.get_by_role("status").inner_text().partition(")")[0].removeprefix("weights (").split(", ")
    assert max(map(float, numbers)) - min(map(float, numbers)) < 0.07


def test_without_scripts_there_is_nothing(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, scripts=False):
        assert tab.locator("div.weigh").inner_html() == ""
