"""Positions as a rotation: the figure's points and its matrix are those of the taught table of sines."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from book.contents import page_file
from solutions.transformer.attention import sinusoids
from tests.support.figures import is_narrow, opened, status

INSIDE = "For the first pair and k = 3 the angle is 3 radians, from position 2 to 5 as from any other."
FIGURE = f'<div class="moved positions" data-width="16" data-pos="2" data-k="3"><p>{INSIDE}</p></div>'
LAST_POSITION, LAST_OFFSET = 50, 20
NUMBER = re.compile(r"−?\d*\.\d+")

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser, tmp_path: Path) -> Iterator:
    assert FIGURE in (page_file("transformer")).read_text(encoding="utf-8")
    yield from opened(browser, tmp_path, FIGURE)


def announced(page) -> tuple[torch.Tensor, torch.Tensor, float, torch.Tensor]:
    """Return the two points, the angle and the matrix that the status line names."""
    numbers = [float(text.replace("−", "-")) for text in NUMBER.findall(status(page))]
    assert len(numbers) == 9
    return torch.tensor(numbers[:2]), torch.tensor(numbers[2:4]), numbers[4], torch.tensor(numbers[5:]).view(2, 2)


def put(page, label: str, key: str, presses: int = 1) -> None:
    for _ in range(presses):
        page.get_by_label(label, exact=True).press(key)


def choose(page, pair: int) -> None:
    page.get_by_role("group", name="pair of features").get_by_role("button").nth(pair).click()


@pytest.mark.parametrize("pair", range(4))
def test_points_are_those_of_the_taught_table(page, pair: int) -> None:
    taught = sinusoids(LAST_POSITION + LAST_OFFSET + 1, 16)[:, 2 * pair : 2 * pair + 2]
    choose(page, pair)
    torch.testing.assert_close(torch.stack(announced(page)[:2]), taught[[2, 5]], atol=6e-4, rtol=0)
    put(page, "position", "ArrowRight", 5)
    put(page, "offset k", "ArrowLeft")
    torch.testing.assert_close(torch.stack(announced(page)[:2]), taught[[7, 9]], atol=6e-4, rtol=0)
    put(page, "position", "End")
    put(page, "offset k", "End")
    assert is_narrow(page)
    torch.testing.assert_close(torch.stack(announced(page)[:2]), taught[[50, 70]], atol=6e-4, rtol=0)


@pytest.mark.parametrize("pair", range(4))
def test_the_matrix_turns_every_position_by_the_offset_and_is_the_same_for_all(page, pair: int) -> None:
    choose(page, pair)
    *_, turn, matrix = announced(page)
    assert turn == pytest.approx(3 / 10000 ** (2 * pair / 16), abs=6e-4)
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight", "End"):
        put(page, "position", key)
        start, end, angle, same = announced(page)
        assert angle == turn
        assert torch.equal(same, matrix)
        torch.testing.assert_close(matrix @ start, end, atol=2e-3, rtol=0)


def test_a_drag_across_the_stripes_moves_the_position_to_what_is_under_the_pointer(page) -> None:
    frames = page.locator("svg.stripes .frame")
    box = page.locator("svg.stripes").bounding_box()
    wide = frames.first.bounding_box()["width"]
    for pos in (31, 7):
        at = page.locator("svg.stripes .cell").nth(pos).bounding_box()
        page.mouse.move(box["x"] + box["width"] - 3, at["y"] + 3)
        page.mouse.down()
        page.mouse.move(at["x"] + at["width"] / 2, at["y"] + 3, steps=3)
        page.mouse.up()
        assert f"position {pos} is at" in status(page)
        assert f"position {pos + 3} at" in status(page)
        assert frames.first.bounding_box()["x"] == pytest.approx(at["x"], abs=wide / 4)


def test_each_stripe_is_as_dark_as_the_taught_table_says(page) -> None:
    shades = page.locator("svg.stripes .cell").evaluate_all(
        "all => all.map((each) => +each.getAttribute('fill-opacity'))"
    )
    drawn = torch.tensor(shades).view(16, LAST_POSITION + LAST_OFFSET + 1)
    torch.testing.assert_close(2 * drawn - 1, sinusoids(LAST_POSITION + LAST_OFFSET + 1, 16).mT, atol=2e-3, rtol=0)


def test_without_scripts_there_is_a_sentence(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, FIGURE, scripts=False):
        assert tab.locator("div.moved").inner_text() == INSIDE
