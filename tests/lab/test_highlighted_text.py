"""Tests of text drawn with its weights: all of it is there, and what is not text stays out."""

import re

import pytest

from lab.highlighted_text import shaded_text

SENTENCES = (("but", "the", "service", "was", "dreadful"), ("not", "again"))
WEIGHTS = ((0.02, 0.03, 0.2, 0.05, 0.7), (0.9, 0.1))


def plain(html: str) -> str:
    return " ".join(re.sub(r"<style>.*?</style>|<[^>]+>", " ", html, flags=re.DOTALL).split())


def test_every_word_stands_before_its_weight_and_every_sentence_after_its_own() -> None:
    html = shaded_text(SENTENCES, WEIGHTS, (0.75, 0.25), "A review.", {(0, 4), (1, 0)}).html
    assert plain(html).endswith("0.75 but 0.02 the 0.03 service 0.20 was 0.05 dreadful 0.70 0.25 not 0.90 again 0.10")
    assert plain(html).startswith("A review.")
    assert re.findall(r"<u>(.*?)</u>", html) == ["dreadful", "not"]  # the evidence
    assert re.findall(r"--w:([\d.]+)", html) == ["0.020", "0.030", "0.200", "0.050", "0.700", "0.900", "0.100"]


def test_a_terminal_shows_a_shade_below_every_word() -> None:
    lines = repr(shaded_text(SENTENCES, WEIGHTS, (0.75, 0.25), "A review.")).splitlines()
    assert lines[0] == "A review."
    assert lines[1] == "0.75 but the service was dreadful"
    assert lines[2] == "     ··· ··· ░░░░░░░ ··· ▓▓▓▓▓▓▓▓"
    assert len(lines) == 5


def test_words_are_text_and_no_html() -> None:
    html = shaded_text([["<e1>", "<script>"]], [[0.5, 0.5]], caption="<b>").html
    assert "<e1>" not in html
    assert "&lt;script&gt;" in html
    assert "<b>" not in html


@pytest.mark.parametrize(
    ("weights", "sentence_weights", "message"),
    [(((0.1,), (0.9, 0.1)), None, "Every word needs a weight"), (WEIGHTS, (1.0,), "Every sentence needs a weight")],
)
def test_what_does_not_fit_is_said(weights, sentence_weights, message) -> None:
    with pytest.raises(ValueError, match=message):
        shaded_text(SENTENCES, weights, sentence_weights)
