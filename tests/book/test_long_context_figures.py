"""The figures of long texts: windows and states in JavaScript do what the taught functions do; so do the drawings."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from py_mini_racer import MiniRacer

from autograder.places import ROOT
from book.contents import page_file
from book.long_context import pictures as pictures
from solutions.long_context.attention import delta_step, sliding_window
from solutions.long_context.chunks import chunked
from tests.support.figures import SMALL, is_narrow, opened, status

LESSON = (page_file("long_context")).read_text(encoding="utf-8")
WINDOW, STATE = re.findall(r'^<div class="moved (?:window|state)".*</div>$', LESSON, re.MULTILINE)
WORDS = re.findall(r'<p lang="en">(.*?)</p>', WINDOW)[0].split()
WRITES = [1, 2, 3, 1, 4, 5, 2, 1]
GIVEN = [(1, 0, 3), (3, 0, 1), (3, 2, 2), (4, 1, 3), (12, 4, 6)]  # window, sinks, layers


def delta_recurrent(query, key, value, beta):
    """Return what a state that is written by the delta rule says to each query, one position after the other."""
    state, outputs = query.new_zeros(len(query), query.shape[-1], value.shape[-1]), []
    for t in range(query.shape[1]):
        state = delta_step(state, key[:, t], value[:, t], beta[:, t])
        outputs.append((query[:, t, None] @ state)[:, 0])
    return torch.stack(outputs, dim=1)


def run(script: str, call: str) -> Any:
    """Return what a call gives in V8, with a file of figures and no page."""
    context = MiniRacer()
    source = (ROOT / "book" / "_static" / script).read_text(encoding="utf-8")
    context.eval(f"globalThis.addEventListener = () => {{}}; {source}")
    return json.loads(str(context.eval(f"JSON.stringify({call})")))


def replayed(d: int, rule: str, writes: list[int]) -> dict:
    return run("state.js", f"stored.replayed({json.dumps({'d': d, 'rule': rule, 'writes': writes})})")


def pairs(d: int, writes: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the keys and values of the figure's writes, (1, writes, d) each."""
    versions = [writes[: i + 1].count(pair) for i, pair in enumerate(writes)]
    calls = [
        f"[stored.keyOf({d}, {pair}), stored.valueOf({d}, {pair}, {v})]"
        for pair, v in zip(writes, versions, strict=True)
    ]
    table = torch.tensor(run("state.js", f"[{', '.join(calls)}]"), dtype=torch.float64)
    return table[None, :, 0], table[None, :, 1]


@pytest.mark.parametrize("d", [4, 8, 16])
def test_the_delta_rule_of_the_figure_is_the_taught_step(d: int) -> None:
    key, value = pairs(d, WRITES)
    state = torch.zeros(1, d, d, dtype=torch.float64)
    for t in range(len(WRITES)):
        state = delta_step(state, key[:, t], value[:, t], torch.ones(1, dtype=torch.float64))
    figure = replayed(d, "delta", WRITES)
    torch.testing.assert_close(torch.tensor(figure["state"], dtype=torch.float64), state[0])
    last = delta_recurrent(key, key, value, torch.ones(1, len(WRITES), dtype=torch.float64))[0, -1]
    torch.testing.assert_close(torch.tensor(figure["pairs"][0]["read"], dtype=torch.float64), last)
    assert figure["pairs"][0]["cosine"] == pytest.approx(1)  # written just now: exactly its value
    assert figure["pairs"][0]["version"] == WRITES.count(1)


@pytest.mark.parametrize("d", [4, 8, 16])
def test_the_plain_sum_of_the_figure_is_linear_attention_without_features_and_divisor(d: int) -> None:
    key, value = pairs(d, WRITES)
    figure = replayed(d, "sum", WRITES)["pairs"]
    assert len(figure) == 5
    for pair, each in enumerate(figure, start=1):
        query = key[:, [WRITES.index(pair)]].expand_as(key)
        read = chunked(query, key, value, chunk=3)[0, -1]
        torch.testing.assert_close(torch.tensor(each["read"], dtype=torch.float64), read)
        newest = value[0, len(WRITES) - 1 - WRITES[::-1].index(pair)]
        assert each["cosine"] == pytest.approx(torch.cosine_similarity(read, newest, dim=0).item())
        assert each["near"] == pytest.approx(1 - ((read - newest).norm() / newest.norm()).item())


def seen_by(length: int, window: int, sinks: int) -> torch.Tensor:
    same = torch.zeros(1, length, 1)
    return sliding_window(same, same, torch.eye(length)[None], window, sinks)[0] > 0


@pytest.mark.parametrize(("window", "sinks", "layers"), GIVEN)
def test_what_a_word_reads_and_what_reaches_it_are_those_of_the_taught_window(
    window: int, sinks: int, layers: int
) -> None:
    seen = seen_by(23, window, sinks)
    through = torch.linalg.matrix_power(seen.double(), layers) > 0
    given = json.dumps({"w": window, "s": sinks, "l": layers})
    positions = "Array.from({ length: 23 }, (_, t) => t)"
    figure = run("window.js", f"{positions}.map((t) => [windowed.read(t, {given}), windowed.reached(t, {given})])")
    assert figure == [[row.nonzero().flatten().tolist() for row in rows] for rows in zip(seen, through, strict=True)]


def test_the_opening_drawing_counts_as_the_taught_functions_do() -> None:
    states = json.loads((ROOT / "book" / "long_context" / "drawings" / "who_pays.json").read_text(encoding="utf-8"))[
        "states"
    ]
    drawing = (ROOT / "book" / "long_context" / "drawings" / "who_pays.svg").read_text(encoding="utf-8")
    links = re.findall(r'<line data-at="(\d)" data-w="2.2" class="beam weights"[^>]* x1="(\d+)"', drawing)
    for at, (window, sinks) in enumerate([(8, 0), (3, 0), (3, 2)], start=1):
        seen = seen_by(8, window, sinks)
        drawn = [(int(x) - 38) // 69 for state, x in links if int(state) == at]
        assert drawn == seen[-1].nonzero().flatten().tolist()
        assert re.search(rf"\b{int(seen.sum())}\b", states[at - 1]["says"])
        assert f"{len(drawn)} keys, {len(drawn)} values" in drawing


def test_tiles_merge_to_the_softmax_over_all_keys() -> None:
    scores, values = (0.3, -1.2, 2.1, 0.8), (1.0, -2.0, 0.5, 3.0)
    described = pictures.tiles_picture(scores, values).described
    context = torch.tensor(scores).softmax(dim=0) @ torch.tensor(values)
    assert described.endswith(f"The context is o / l = {context.item():.3f}.")
    powers = [math.exp(score - 2.1) for score in scores]
    total = sum(power * value for power, value in zip(powers, values, strict=True))
    assert f"merged: 2.100, {sum(powers):.3f}, {total:.3f}." in described


def test_a_matrix_gives_back_what_the_sum_mixes_and_the_delta_rule_replaces() -> None:
    keys, values = ((1.0, 0.0), (0.0, 1.0), (0.6, 0.8)), ((2.0, 1.0), (0.0, 3.0), (1.0, 1.0))
    described = pictures.state_picture(keys, values).described
    exact, mixed, replaced = (part.split("; ") for part in re.findall(r": (k1 .*?)\.(?: A|$)", described))
    assert all(read == stored for read, stored in (re.findall(r"\([^)]*\)", each) for each in exact))
    key, value = torch.tensor([keys]), torch.tensor([values])
    for number in range(3):
        read = chunked(key[:, [number]].expand(1, 3, 2), key, value, chunk=2)[0, -1]
        assert f"k{number + 1} gives {pictures.row(read)}," in mixed[number]
    last = delta_recurrent(key, key, value, torch.ones(1, 3))[0, -1]
    assert replaced[2] == f"k3 gives {pictures.row(last)}, stored {pictures.row(value[0, 2])}"


@pytest.mark.browser
def test_the_window_is_moved_with_keys_and_has_an_address(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, WINDOW):
        words = tab.get_by_role("group").get_by_role("button")
        assert words.all_inner_texts() == WORDS
        assert tab.locator("p[lang]").count() == 0
        assert tab.locator("button, input").evaluate_all(SMALL) == 0
        assert f"is word {len(WORDS)}. It reads 4 words in one layer. Through 2 layers 7 words can reach" in status(tab)
        words.last.press("ArrowLeft")
        assert tab.evaluate("location.hash") == f"#live=window&at={len(WORDS) - 1}&w=4&s=0&l=2"
        tab.get_by_label("sinks", exact=True).press("Home")
        tab.get_by_label("window", exact=True).press("End")
        out = len(WORDS) - 1 - 23
        assert f"Through 2 layers 23 words can reach it; {out} words before it are out of reach." in status(tab)
        tab.get_by_label("layers", exact=True).press("End")
        assert f"{len(WORDS) - 1} words can reach it: the whole text so far. Each layer keeps 12 keys" in status(tab)
        tab.evaluate("location.hash = 'live=window&at=9&w=2&s=1&l=3'")
        tab.wait_for_function(
            "document.querySelector('[aria-pressed=true]') === document.querySelectorAll('.words button')[8]"
        )
        marks = [word.get_attribute("class") for word in words.all()]
        assert marks == ["sink", *["out"] * 4, "reach", "reach", "read", "read", *["later"] * (len(WORDS) - 9)]
        tab.evaluate("location.hash = 'live=window&at=99&w=x&s=-1&l='")
        assert [word.get_attribute("class") for word in words.all()] == marks
        assert is_narrow(tab)


@pytest.mark.browser
def test_pairs_are_stored_written_again_and_shared(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, STATE):
        for rule, exact in (("delta rule", ["1.00"]), ("plain sum", [])):
            tab.get_by_role("button", name=rule).click()
            assert [each for each in tab.locator(".pairs .number").all_inner_texts() if each == "1.00"] == exact
        assert status(tab).startswith("4 pairs in a matrix of 8 × 8 = 64 numbers; a cache would keep 64.")
        assert tab.get_by_text("with random keys").count() == 0
        tab.get_by_role("button", name="store pair 5").press("Enter")
        tab.get_by_role("button", name="1 written once").click()
        tab.get_by_role("button", name="delta rule").click()
        assert tab.evaluate("location.hash") == "#live=state&d=8&rule=delta&bars=near&writes=1-2-3-4-5-1"
        assert status(tab).endswith("for pair 1, written just now, 1.00 and 1.00.")
        for measure in ("near", "cosine"):
            tab.get_by_label("bars").select_option(index=("near", "cosine").index(measure))
            numbers = [f"{each[measure]:.2f}" for each in replayed(8, "delta", [1, 2, 3, 4, 5, 1])["pairs"]]
            shown = [text.replace("−", "-") for text in tab.locator(".pairs .number").all_inner_texts()]
            assert [float(text) for text in shown] == [float(text) for text in numbers]
        assert tab.locator("svg rect").count() == 64
        assert tab.locator("button, select").evaluate_all(SMALL) == 0
        for nonsense in ("1-3", "x", "0", "1-2-99"):
            tab.evaluate(f"location.hash = 'live=state&d=5&rule=none&writes={nonsense}'")
        assert tab.locator(".pairs button").count() == 5
        tab.get_by_label("width d").select_option("4")
        for _ in range(11):
            tab.locator("button.more").click()
        tab.locator("button.more").dispatch_event("click")  # there is no room for another
        assert tab.locator(".pairs button").count() == 16
        assert tab.locator("button.more").get_attribute("aria-disabled") == "true"
        assert is_narrow(tab)
        tab.get_by_role("button", name="empty the matrix").click()
        assert status(tab) == "Nothing is stored: a matrix of 4 × 4 zeros."


@pytest.mark.browser
@pytest.mark.parametrize("figure", [WINDOW, STATE])
def test_without_scripts_there_is_what_stands_inside(browser, tmp_path: Path, figure: str) -> None:
    for tab in opened(browser, tmp_path, figure, scripts=False):
        inside = [re.sub(r"<[^>]+>", "", text) for text in re.findall(r"<p.*?</p>", figure)]
        assert tab.locator("div.moved p").all_inner_texts() == inside
        assert tab.locator("button, input, svg").count() == 0
