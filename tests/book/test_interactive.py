"""The figures that can be moved: with keyboard and mouse, announced, and nothing without scripts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from book.contents import page_file
from solutions.bahdanau.attention import masked_softmax
from solutions.luong.attention import gaussian
from solutions.luong.attention import window as taught_window
from tests.support.figures import opened, status

WEIGHTS = '<div class="weigh" data-first="1" data-scores="0.964 1.523 1.726" data-values="1,0 0,1 1,1"></div>'
WINDOW = '<div class="weigh window" data-scores="0 0 2 0 0 0 0 0 0" data-p="3.95" data-d="2"></div>'
START = "weights (.204, .358, .438), context (.642, .796)"  # as the chapter works them out by hand

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser, tmp_path: Path) -> Iterator:
    yield from opened(browser, tmp_path, WEIGHTS)


@pytest.fixture
def window(browser, tmp_path: Path) -> Iterator:
    yield from opened(browser, tmp_path, WINDOW)


def test_a_position_that_is_left_out_gives_its_weight_to_the_others(page) -> None:
    page.get_by_label("position 3 is in the mask").press("Space")
    assert status(page) == "weights (.364, .636, .000), context (.364, .636)"
    for position in (1, 2):
        page.get_by_label(f"position {position} is in the mask").click()
    assert status(page) == "No position is left: all weights are 0, and so is the context."


def test_sliders_move_with_the_keyboard_and_say_where_they_are(page) -> None:
    score = page.get_by_label("score of position 1")
    score.press("End")
    assert score.get_attribute("aria-valuetext") == "4.000"
    # exp 4 / (exp 4 + exp 1.523 + exp 1.726)
    assert status(page).startswith("weights (.843, .071, .087)")
    page.get_by_label("temperature").press("Home")
    assert status(page) == "weights (1.000, .000, .000), context (1.000, .000)"
    page.get_by_role("button", name="back to the example").press("Enter")
    assert status(page) == START


def test_the_window_has_the_weights_of_the_chapter_on_both_sides_of_the_jump(window) -> None:
    """Those of the taught function, too: just below p = 4 the word with the score 2 is inside, just above it is not."""
    assert WINDOW in (page_file("luong")).read_text(encoding="utf-8")
    scores = torch.tensor([[0.0, 0, 2, 0, 0, 0, 0, 0, 0]])
    for p, held in ((3.95, "2 to 5"), (4.05, "3 to 6")):
        where, own = torch.tensor([p]), torch.tensor([9])
        weights = masked_softmax(scores, taught_window(where, own, 9, 2)) * gaussian(where, 9, 2)
        numbers = ", ".join(f"{weight:.3f}".removeprefix("0") for weight in weights.flatten().tolist())
        assert status(window).startswith(f"positions {held}, weights ({numbers}), sum ")
        for _ in range(2):
            window.get_by_label("p, the middle of the window").press("ArrowRight")
