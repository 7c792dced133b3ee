"""Pictures that everybody can read: tables that are tables, labelled axes, alternative texts with the numbers."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from lab.metrics import LengthScore, Score
from lab.show import attention_table, plots
from lab.show.highlighted_text import shaded_text

SOURCE = ["il", "m'", "a", "entarté"]
TARGET = ["he", "hit", "me"]
WEIGHTS = np.array([[0.93, 0.03, 0.04, 0.0], [0.1, 0.1, 0.15, 0.65], [0.0, 1.0, 0.0, 0.0]])

SENTENCES = (("but", "the", "service", "was", "dreadful"), ("not", "again"))
SHADES = ((0.02, 0.03, 0.2, 0.05, 0.7), (0.9, 0.1))


class Table(HTMLParser):
    """The texts and attributes of a table's cells, row by row, and of every other element."""

    def __init__(self, html: str):
        super().__init__()
        self.rows, self.seen, self.text = [], [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append({"tag": tag, "text": "", **dict(attrs)})

    def handle_data(self, data):
        self.text += data
        if self.seen[-1][0] in ("td", "th"):
            self.rows[-1][-1]["text"] += data


def test_rows_are_output_words_and_columns_input_words():
    table = plots.heat_table(WEIGHTS, SOURCE, TARGET, "Where it looks.", languages=("fr", "en"))
    head, *body = Table(table._repr_html_()).rows
    assert [cell["text"] for cell in head[1:]] == SOURCE
    assert {(cell["tag"], cell["scope"], cell["lang"]) for cell in head[1:]} == {("th", "col", "fr")}
    assert [row[0]["text"] for row in body] == TARGET
    assert {(row[0]["tag"], row[0]["scope"], row[0]["lang"]) for row in body} == {("th", "row", "en")}
    assert [[float(cell["text"]) for cell in row[1:]] for row in body] == WEIGHTS.tolist()
    cells = [cell for row in body for cell in row[1:]]
    assert [float(cell["style"].removeprefix("--w:")) for cell in cells] == WEIGHTS.flatten().tolist()
    assert [cell["tabindex"] for cell in cells] == ["0"] + ["-1"] * 11
    for refused in (plots.heat_table, plots.alignment_text):
        with pytest.raises(ValueError, match=r"\(3, 4\); they are \(4, 3\). Transpose"):
            refused(WEIGHTS.T, SOURCE, TARGET, *(["Where."] if refused is plots.heat_table else []))


def test_words_cannot_write_html():
    evil = ['<script>alert("x")</script>', "&amp;", "a", "b"]
    html = plots.heat_table(WEIGHTS, evil, TARGET, "<b>caption</b>").html
    assert [cell["text"] for cell in Table(html).rows[0][1:]] == evil
    assert "<b>" not in html


def luminance(rgb) -> float:
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in rgb)]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def hexadecimal(colour: str) -> list[int]:
    digits = colour if len(colour) == 6 else "".join(2 * digit for digit in colour)
    return [int(digits[i : i + 2], 16) for i in (0, 2, 4)]


def test_numbers_stand_out_from_every_weight_in_light_and_in_dark():
    schemes = re.findall(r"--b:#(\w+);--t:#(\w+);--h:(\d+) (\d+) (\d+)", attention_table.STYLE)
    assert len(schemes) == 3
    for ground, text, *hot in schemes:
        for weight in np.linspace(0, 1, 21):
            cell = weight * np.array(hot, float) + (1 - weight) * np.array(hexadecimal(ground))
            bright, dark = sorted([luminance(cell), luminance(hexadecimal(text))], reverse=True)
            assert (bright + 0.05) / (dark + 0.05) >= 4.5


def test_the_terminal_gets_the_same_picture_in_shades():
    assert plots.alignment_text(WEIGHTS, SOURCE, TARGET).splitlines() == [
        "    il m' a entarté",
        " he ██ ·· · ·······",
        "hit ·· ·· ░ ▓▓▓▓▓▓▓",
        " me ·· ██ · ·······",
    ]
    assert repr(plots.heat_table(WEIGHTS, SOURCE, TARGET, "Where.")).startswith("Where.\n    il m' a entarté")


def test_a_long_sentence_goes_on_below_and_loses_no_word():
    words = [f"word{i}" for i in range(30)]
    text = plots.alignment_text(np.eye(30), words, words, width=60)
    assert max(map(len, text.splitlines())) <= 60
    blocks = text.split("\n\n")
    assert [word for block in blocks for word in block.splitlines()[0].split()] == words
    assert {len(block.splitlines()) for block in blocks} == {31}


def bucket(first: int, value: float) -> LengthScore:
    return LengthScore(first, first + 7, Score("BLEU", value, value - 3, value + 2, "", 100 + first))


def pictures() -> dict[str, plots.Picture]:
    lengths = {"with attention": [bucket(1, 72.0), bucket(9, 71.0)], "without": [bucket(1, 68.0), bucket(9, 31.5)]}
    curves = {"training": [(0, 6.25), (100, 2.5)], "validation": [(50, 4.0), (100, 3.5)]}
    return {
        "curves": plots.training_curves(curves),
        "lengths": plots.bleu_by_length_plot(lengths),
    }


@pytest.mark.parametrize(
    ("name", "numbers"),
    [("curves", "training goes from 6.25 to 2.5"), ("lengths", "without: 1 to 8 words 68.0, 9 to 16 words 31.5")],
)
def test_every_picture_has_labels_and_an_alternative_text_with_its_numbers_and_is_always_the_same(name, numbers):
    picture = pictures()[name]
    for axes in picture.figure.axes:
        assert axes.get_ylabel()
    assert picture.figure.axes[0].get_xlabel()
    [(tag, attributes)] = Table(picture._repr_html_()).seen
    assert (tag, attributes["alt"]) == ("img", picture.alt)
    assert numbers in picture.alt
    assert picture._repr_html_() == pictures()[name]._repr_html_()


def test_an_interval_has_caps_a_range_of_seeds_has_none_and_the_axis_names_it():
    """Noise of the test set and spread of the seeds are not to be compared by eye."""
    for words, capped in (("95 % intervals", True), ("lowest to highest seed", False)):
        axes = plots.bleu_by_length_plot({"a": [bucket(1, 72.0)]}, intervals=words).figure.axes[0]
        assert words in axes.get_ylabel()
        assert any(line.get_marker() == "_" for line in axes.lines) is capped


def plain(html: str) -> str:
    return " ".join(re.sub(r"<style>.*?</style>|<[^>]+>", " ", html, flags=re.DOTALL).split())


def test_every_word_stands_before_its_weight_and_every_sentence_after_its_own() -> None:
    html = shaded_text(SENTENCES, SHADES, (0.75, 0.25), "A review.", {(0, 4), (1, 0)}).html
    assert plain(html).endswith(".75 but .02 the .03 service .20 was .05 dreadful .70 .25 not .90 again .10")
    assert plain(html).startswith("A review.")
    assert re.findall(r"<u>(.*?)</u>", html) == ["dreadful", "not"]  # the evidence
    assert re.findall(r"--w:([\d.]+)", html) == ["0.020", "0.030", "0.200", "0.050", "0.700", "0.900", "0.100"]


def test_a_weight_of_zero_is_not_printed_and_leaves_its_place() -> None:
    html = shaded_text([["a", "b", "c"]], [[1.0, 0.004, 0.006]]).html
    assert re.findall(r"<small>(.*?)</small>", html) == ["1.00", "\u00a0", ".01"]


def test_a_terminal_shows_a_shade_below_every_word() -> None:
    lines = repr(shaded_text(SENTENCES, SHADES, (0.75, 0.25), "A review.")).splitlines()
    assert lines[0] == "A review."
    assert lines[1] == ".75 but the service was dreadful"
    assert lines[2] == "    ··· ··· ░░░░░░░ ··· ▓▓▓▓▓▓▓▓"
    assert len(lines) == 5


def test_words_are_text_and_no_html() -> None:
    html = shaded_text([["<e1>", "<script>"]], [[0.5, 0.5]], caption="<b>").html
    assert "<e1>" not in html
    assert "&lt;script&gt;" in html
    assert "<b>" not in html


@pytest.mark.parametrize(
    ("weights", "sentence_weights", "message"),
    [(((0.1,), (0.9, 0.1)), None, "Every word needs a weight"), (SHADES, (1.0,), "Every sentence needs a weight")],
)
def test_what_does_not_fit_is_said(weights, sentence_weights, message) -> None:
    with pytest.raises(ValueError, match=message):
        shaded_text(SENTENCES, weights, sentence_weights)


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_arrow_keys_and_pointer_read_the_table_aloud(browser, theme, tmp_path):
    table = plots.heat_table(WEIGHTS, SOURCE, TARGET, "Where it looks.").html
    page_html = f'<!doctype html><html lang="en" data-theme="{theme}"><title>t</title><body>{table * 2}</body></html>'
    (tmp_path / "page.html").write_text(page_html, encoding="utf-8")
    page = browser.new_page(color_scheme="light")
    faults = []
    page.on("pageerror", lambda fault: faults.append(fault))
    page.goto((tmp_path / "page.html").as_uri())
    line = page.locator(".heat p").first
    page.keyboard.press("Tab")
    assert line.inner_text() == "he, il: .93"
    walks = {("Left", "Up", "Down", "Down", "Up", "Right"): "m'", ("Right", "Right", "Right", "Right", "Left"): "a"}
    for keys, word in walks.items():
        for key in keys:
            page.keyboard.press(f"Arrow{key}")
        assert line.inner_text().startswith(f"hit, {word}: .1")
    page.locator("tbody tr").nth(2).locator("td").nth(1).hover()
    assert line.inner_text() == "me, m': 1.00"
    page.keyboard.press("Tab")
    assert page.locator(".heat p").nth(1).inner_text() == "he, il: .93"
    page.keyboard.press("Shift+Tab")
    assert line.inner_text() == "hit, a: .15", "Tab comes back to the cell that was left"
    ground = page.locator(".heat").first.evaluate("node => getComputedStyle(node).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 25, 31)"}[theme]
    assert faults == []
