"""Beam search as a figure: it keeps and ends with what the taught function does on the chapter's tree."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from book._ext.freshness import code_cells
from book.contents import page_file
from book.encoder_decoder.figures import beam
from solutions.encoder_decoder.attention import beam_search
from tests.support.figures import is_narrow, opened, status

CHAPTER = page_file("decoding")
WIDTHS = (1, 2, 3, 4)

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def cell() -> dict[str, Any]:
    """Return the tree of the chapter's cell, its words, and the log-probabilities of the next one."""
    (code,) = [code for code in code_cells(CHAPTER) if "\ntree = {" in code]
    names: dict[str, Any] = {}
    exec(code, names)
    tree, words = names["tree"], ["<pad>", "<s>", "</s>", "a", "the", "cat", "dog", "sleeps"]

    def step(prefix: torch.Tensor) -> torch.Tensor:
        following = [tree.get(tuple(words[token] for token in row[1:]), {"</s>": 0.96}) for row in prefix.tolist()]
        return torch.tensor([[each.get(word, 1e-9) for word in words] for each in following]).log()

    return {"tree": tree, "words": words, "step": step}


@pytest.fixture
def page(browser, tmp_path: Path, cell) -> Iterator:
    assert "beam(tree, otherwise=0.96)" in CHAPTER.read_text(encoding="utf-8")
    yield from opened(browser, tmp_path, beam(cell["tree"], otherwise=0.96))


def widened(page, width: int) -> None:
    slider = page.get_by_label("width of the beam")
    slider.press("Home")
    for _ in range(width - 1):
        slider.press("ArrowRight")


def rows(page, column: int) -> list[str]:
    """Return a column of the table, a text for each step."""
    return [row.locator("th, td").nth(column).inner_text() for row in page.locator("tbody tr").all()]


@pytest.mark.parametrize("width", WIDTHS)
def test_the_best_sentence_is_that_of_the_taught_search(page, cell, width: int) -> None:
    widened(page, width)
    assert is_narrow(page)
    for alpha, before in ((0.0, "finished sentence: "), (1.0, "α = 1: ")):
        tokens, score = beam_search(cell["step"], bos=1, eos=2, beam=width, max_len=5, alpha=alpha)
        sentence = " ".join(cell["words"][token] for token in tokens)
        shown = f", score −{-score:.3f}" if alpha else f" {math.exp(score):.3f}"
        shown = shown.replace("0.", ".")
        assert f"{before}{sentence}{shown}." in status(page)


@pytest.mark.parametrize("width", WIDTHS)
def test_each_step_keeps_the_most_probable_beginnings(page, cell, width: int) -> None:
    widened(page, width)
    asked = []

    def step(prefix: torch.Tensor) -> torch.Tensor:
        asked.append([[cell["words"][token] for token in row[1:]] for row in prefix.tolist()])
        return cell["step"](prefix)

    beam_search(step, bos=1, eos=2, beam=width, max_len=5, alpha=0.0)
    kept = [[text.rpartition(" ")[0] for text in row.split(", ")] for row in rows(page, 1)]
    for active, texts in zip(asked[1:], kept, strict=False):
        # The taught search also carries on with words that the tree does not have, at probabilities of nearly 0.
        real = [" ".join(words) for words in active if tuple(words[:-1]) in cell["tree"]]
        going_on = [text for text in texts if not text.endswith("</s>")]
        assert [text for text in real if text in going_on] == going_on
    assert all(len(texts) <= width for texts in kept)


def test_without_scripts_a_line_points_to_the_drawing(browser, tmp_path: Path, cell) -> None:
    for tab in opened(browser, tmp_path, beam(cell["tree"], otherwise=0.96), scripts=False):
        assert tab.locator("div.moved").inner_text() == "The drawing above shows the search with a beam of two."
        assert tab.locator("input, svg").count() == 0
