"""What a context costs: script and Python have the same bytes, words and bars; the slider, the address, paper."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from py_mini_racer import MiniRacer

from book.show.context_cost import CARDS, TOKENS, TOP, amount, coefficients, context_figure, in_words, longest, part
from book.show.todays_models import LONG, models
from tests.book.test_todays_models import made
from tests.support.figures import SMALL, STATIC, is_narrow, opened, status

MODELS = models()
LENGTHS = [1024, 1025, 4095, 4096, 4097, 5120, 131072, 163840, 200_000, 917504, 1 << 20]


@pytest.fixture(scope="module")
def script() -> MiniRacer:
    context = MiniRacer()
    source = (STATIC / "context.js").read_text(encoding="utf-8")
    context.eval(f"globalThis.addEventListener = () => {{}}; {source}")
    return context


def said(script: MiniRacer, call: str) -> Any:
    return json.loads(str(script.eval(f"JSON.stringify({call})")))


def rows() -> list[dict[str, Any]]:
    """Return the rows of the figure as its script reads them off the page."""
    found = re.findall(r"<li [^>]*?(data-full[^>]*)><a [^>]*>(.*?)</a>", str(context_figure().data))
    return [
        {"name": unescape(name)} | {key: int(value) for key, value in re.findall(r'data-(\w+)="(\d+)"', data)}
        for data, name in found
    ]


def test_the_script_has_the_bytes_and_the_bars_of_python_for_every_model_and_length(script) -> None:
    every, by_name = rows(), {model.name: model for model in MODELS}
    assert len(every) == len(MODELS)
    counts = said(script, f"{json.dumps(every)}.map((row) => {LENGTHS}.map((n) => contexts.bytesOf(row, n)))")
    assert counts == [[by_name[row["name"]].bytes(tokens) for tokens in LENGTHS] for row in every]
    flat = [count for each in counts for count in each]
    assert said(script, f"{flat}.map(contexts.amount)") == [amount(count) for count in flat]
    parts = said(script, f"{flat}.map((count) => contexts.partOf(count, 'linear', {TOP}))")
    assert parts == pytest.approx([part(count) for count in flat])


def test_the_script_says_what_python_says(script) -> None:
    for tokens in LENGTHS:
        words = said(script, f"contexts.inWords({json.dumps(rows())}, {tokens}, {list(CARDS)})")
        assert words == unescape(in_words(MODELS, tokens))


def test_coefficients_are_those_of_layers_with_a_window_and_without() -> None:
    model = made()  # 6 layers, 2 of them with a window of 3; 5 key-value heads of 7 features
    assert coefficients(model) == (2 * 2 * 5 * 7 * 4, 2 * 2 * 5 * 7 * 2, 3)
    full, local, window = coefficients(model)
    assert [full * n + local * min(window, n) for n in (1, 3, 8)] == [model.bytes(n) for n in (1, 3, 8)]


def test_the_longest_context_is_the_largest_number_of_the_cell() -> None:
    named = {model.name: longest(model) for model in MODELS}
    assert named["Llama 3.1 405B"] == 1 << 17
    assert named["Kimi Linear 48B-A3B"] == 1 << 20
    assert named["Qwen3 8B"] == 1 << 17  # with YaRN
    assert named["BLOOM 176B"] == 2048


def test_each_unit_begins_where_there_is_one_of_it_and_halves_are_rounded_up() -> None:
    assert [amount(n) for n in (1 << 20, (1 << 30) - (1 << 20), 1 << 30, 5 << 29)] == [
        *("1.0 MiB", "1,023 MiB", "1.0 GiB", "2.5 GiB")
    ]
    assert amount(10 * (1 << 30) + (1 << 29)) == "11 GiB"
    assert amount(9 * (1 << 30) + (1 << 26)) == "9.1 GiB"  # 9.0625


def test_the_steps_of_the_slider_are_whole_tokens_from_1k_to_1m_and_lead_back(script) -> None:
    steps = said(script, "Array.from({ length: 41 }, (_, step) => contexts.tokensAt(step))")
    assert (steps[0], steps[-1]) == (1 << 10, LONG)
    assert TOKENS in steps
    assert all(isinstance(tokens, int) and a < tokens for a, tokens in zip([0, *steps], steps, strict=False))
    assert said(script, f"{steps}.map(contexts.stepOf)") == list(range(41))


def test_a_logarithmic_bar_grows_by_equal_steps(script) -> None:
    parts = said(script, "[2 ** 22, 2 ** 32, 2 ** 42, 1, 2 ** 50].map((n) => contexts.partOf(n, 'log', 1))")
    assert parts == [0, 50, 100, 0, 100]


def test_stripes_and_ticks_are_explained_before_the_first_bar() -> None:
    before, _, bars = str(context_figure().data).partition("<ul>")
    parts = re.findall(r'<i class="(\w+)"></i>', before)
    assert parts == ["solid", "own", "beyond"]
    assert set(parts) == set(re.findall(r'<i class="(\w+)"', bars))


def test_each_row_links_to_where_its_sizes_were_read() -> None:
    links = re.findall(r'<li [^>]*><a href="(https://[^"]+)"', str(context_figure().data))
    assert {unescape(link) for link in links} == {
        next(source.url for source in model.sources if "layers" in source.cells.split()) for model in MODELS
    }


@pytest.fixture
def page(browser, tmp_path: Path) -> Iterator:
    yield from opened(browser, tmp_path, sheet() + str(context_figure().data))


def sheet() -> str:
    return f'<link rel="stylesheet" href="{(STATIC / "figures.css").as_uri()}">'


def names(tab) -> list[str]:
    return tab.locator(".context li a").all_inner_texts()


@pytest.mark.browser
def test_the_slider_moves_by_keys_sorts_the_rows_and_says_so(page) -> None:
    slider = page.get_by_label("tokens in the text")
    assert slider.get_attribute("aria-valuetext") == "131,072"
    assert status(page) == unescape(in_words(MODELS, TOKENS))
    slider.press("End")
    assert status(page) == unescape(in_words(MODELS, 1 << 20))
    assert names(page) == [model.name for model in sorted(MODELS, key=lambda model: -model.bytes(1 << 20))]
    assert page.locator("li", has_text="Mistral").get_attribute("class") == "past"
    slider.press("Home")
    assert names(page) == [model.name for model in sorted(MODELS, key=lambda model: -model.bytes(1 << 10))]
    page.get_by_role("button", name="logarithmic").click()
    assert page.get_by_role("button", name="logarithmic").get_attribute("aria-pressed") == "true"
    assert page.evaluate("location.hash") == "#live=context&tokens=1024&scale=log"


@pytest.mark.browser
def test_script_and_python_draw_the_same_and_nothing_moves(browser, tmp_path: Path) -> None:
    drawn = []
    for scripts in (False, True):
        for tab in opened(browser, tmp_path, sheet() + str(context_figure().data), scripts=scripts):
            bars = (
                tab.locator(".bar i").evaluate_all(
                    "all => all.map((each) => [each.offsetLeft, each.offsetWidth, each.offsetTop])"
                )
                if scripts
                else []
            )
            drawn.append((names(tab), tab.locator("li b").all_inner_texts(), tab.locator("li").count(), bars))
            if not scripts:
                assert tab.locator("input, button").count() == 0
    assert drawn[0][:3] == drawn[1][:3]


@pytest.mark.browser
def test_it_fits_a_phone_and_a_finger(page) -> None:
    assert is_narrow(page)
    assert page.locator(".context :is(button, input, li)").evaluate_all(SMALL) == 0


@pytest.mark.browser
@pytest.mark.parametrize(
    ("state", "tokens"),
    [("tokens=4096", 4096), ("tokens=200000&scale=log", 200_000), ("tokens=7", TOKENS), ("tokens=x&scale=y", TOKENS)],
)
def test_an_address_leads_back_to_the_tokens(page, state: str, tokens: int) -> None:
    page.evaluate(f"location.hash = '#live=context&{state}'")
    page.wait_for_function(f"document.querySelector('[role=status]').textContent.includes('{tokens:,} tokens')")
    pressed = page.get_by_role("button", name="logarithmic").get_attribute("aria-pressed")
    assert pressed == str("scale=log" in state).lower()
