"""The game of additive attention: a reader sets the weights, and the model answers to them."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from book.live import export as live_models
from lab.text.tokenizers import BOS, SPECIAL, Words
from tests.book import test_live_figures
from tests.book.test_live_figures import SMALL, is_narrow, words
from tests.book.test_live_models import answered, figures, forced, fresh, page

FRENCH, ENGLISH = "il m' a entarté", "w5 w9 w40"
SOURCE = [*SPECIAL, *"il parle dort la mer , m' entarté a".split(), *(f"w{number}" for number in range(13, 37))]
ATTENDED = """
live.play = function (source, truth, rows) {
  const steps = live.attended(live.network, source, truth, rows);
  return JSON.stringify(steps.map(({ chances, weights, p }) => ({ chances: [...chances], weights: [...weights], p })));
};
"""


def trained() -> Any:
    chosen = fresh("bahdanau")
    texts = Words(SOURCE), Words([*SPECIAL, *(f"w{number}" for number in range(4, 41))])
    return SimpleNamespace(model=chosen.model, source_text=texts[0], target_text=texts[1])


def played(source: list[int], truth: list[int], rows: list[list[int]] | None) -> list[dict]:
    context = page("bahdanau", live_models.exported(trained(), "float32"))
    context.eval(live_models.joined(live_models.FIGURES) + ATTENDED)
    return answered(context, "play", source, truth, rows)


def test_a_weight_that_is_set_leaves_the_rest_to_the_others_in_their_proportions() -> None:
    context, rng = figures(), np.random.default_rng(1)
    shared = lambda *given: json.loads(  # noqa: E731
        str(context.eval(f"JSON.stringify(live.shared({', '.join(map(json.dumps, given))}))"))
    )
    assert shared([20, 20, 20, 20, 20], 1, 60) == [10, 60, 10, 10, 10]
    assert shared([0, 100, 0], 1, 40) == [30, 40, 30]
    assert shared([0, 100, 0], 1, 100) == [0, 100, 0]
    assert shared([60, 20, 20], 2, 0) == [75, 25, 0]
    for size in range(2, 8):
        row, to = rng.multinomial(100, np.ones(size) / size).tolist(), int(rng.integers(0, 101))
        at = int(rng.integers(size))
        new = shared(row, at, to)
        assert (sum(new), new[at], min(new) >= 0) == (100, to, True)
        others = [[each for place, each in enumerate(both) if place != at] for both in (row, new)]
        exact = np.array(others[0]) * (100 - to) / sum(others[0])
        assert np.abs(exact - others[1]).max() < 1


def test_the_model_s_own_weights_give_its_own_probabilities_and_others_enter_all_later_steps() -> None:
    source, truth = [4, 10, 12, 11, 2], [5, 9, 40]
    own = played(source, truth, None)
    scores = forced(trained(), source, [BOS, *truth[:-1]])
    expected = torch.tensor(scores).softmax(dim=-1).numpy()
    np.testing.assert_allclose([step["chances"] for step in own], expected, atol=1e-5)
    assert [step["p"] for step in own] == [step["chances"][word] for step, word in zip(own, truth, strict=True)]
    given = [[100 * weight for weight in step["weights"]] for step in own]
    np.testing.assert_allclose(
        [step["p"] for step in played(source, truth, given)], [step["p"] for step in own], rtol=1e-4
    )
    changed = [[0, 0, 0, 0, 100], *given[1:]]
    ps = [step["p"] for step in played(source, truth, changed)]
    assert all(abs(p / step["p"] - 1) > 1e-4 for p, step in zip(ps, own, strict=True))


@pytest.fixture
def opened(browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what yields a narrow page with the game, at an address."""

    def figure(*_: str, texts: dict[str, Any]) -> str:
        return str(live_models.figure("game", {"bahdanau": trained()}, FRENCH, texts=texts, truth=ENGLISH).data)

    monkeypatch.setattr(test_live_figures, "figure", figure)
    monkeypatch.setitem(test_live_figures.WORDS, "source", SOURCE)
    sentence = {"source": "il dort", "target": "w7 w8 w9 w10", "links": []}
    monkeypatch.setattr(test_live_figures, "SENTENCES", [sentence, {**sentence, "source": "il " * 7 + "dort"}])

    def at(state: str = "", scripts: bool = True) -> Iterator:
        for tab in test_live_figures.opened(browser, tmp_path, "bahdanau", kind="race", state=state, scripts=scripts):
            if not state and scripts:
                tab.locator(".live-weight").first.focus()
            if scripts:
                tab.wait_for_selector(".live-runs")
            yield tab

    return at


FIRST = [100, 0, 0, 0, 0]  # what the bars begin with: all on the first word


def shares(tab) -> list[int]:
    values = tab.locator(".live-weight").evaluate_all("all => all.map((each) => each.getAttribute('aria-valuenow'))")
    return [round(100 * float(value)) for value in values]


@pytest.mark.browser
def test_bars_are_dragged_and_moved_by_keys_and_always_add_up_to_one(opened) -> None:
    for tab in opened():
        assert shares(tab) == FIRST
        assert tab.evaluate("document.activeElement.getAttribute('aria-label')") == "weight of il for w5"
        before = tab.locator(".live-status").inner_text()
        tab.keyboard.press("PageDown")
        assert shares(tab) == [80, 5, 5, 5, 5]
        assert tab.locator(".live-status").inner_text() != before
        tab.keyboard.press("ArrowUp")
        assert shares(tab) == [85, 4, 4, 4, 3]
        tab.keyboard.press("End")
        assert shares(tab) == FIRST
        box = tab.locator(".live-weight i").nth(3).bounding_box()
        x, top, bottom = box["x"] + box["width"] / 2, box["y"], box["y"] + box["height"]
        tab.mouse.move(x, bottom - 5)
        tab.mouse.down()
        tab.mouse.move(x, top - 40, steps=3)
        assert shares(tab) == [0, 0, 0, 100, 0]
        tab.mouse.move(x, (top + bottom) / 2, steps=3)
        assert shares(tab) == [50, 0, 0, 50, 0], "what was there before comes back"
        tab.mouse.up()
        tab.mouse.move(x, top)
        assert shares(tab) == [50, 0, 0, 50, 0], "the bar has been let go"
        tab.get_by_role("button", name="all alike").click()
        assert shares(tab) == [20] * 5
        assert is_narrow(tab)
        assert tab.locator(".live :is(button, .live-weight)").evaluate_all(SMALL) == []


@pytest.mark.browser
def test_a_finger_drags_a_bar_and_the_page_stands_still(opened) -> None:
    for tab in opened():
        tab.evaluate("document.body.style.paddingBottom = '2000px'")  # a page that could be scrolled
        tab.locator(".live-weight").first.scroll_into_view_if_needed()
        box, scrolled = tab.locator(".live-weight i").nth(1).bounding_box(), tab.evaluate("scrollY")
        session = tab.context.new_cdp_session(tab)
        session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
        x, bottom = box["x"] + box["width"] / 2, box["y"] + box["height"]

        def touch(kind: str, *ys: float) -> None:
            points = [{"x": x, "y": y} for y in ys]  # noqa: B023
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})  # noqa: B023

        touch("touchStart", bottom - 8)
        for share in (0.2, 0.5, 0.8, 1.0):
            touch("touchMove", bottom - share * box["height"])
        touch("touchEnd")
        assert shares(tab) == [0, 100, 0, 0, 0]
        assert tab.evaluate("scrollY") == scrolled


@pytest.mark.browser
def test_at_the_end_both_losses_stand_there_and_a_press_shows_the_model_s_weights(opened) -> None:
    for tab in opened():
        tab.keyboard.press("End")
        for _ in range(2):
            tab.get_by_role("button", name="next word").press("Enter")
            assert shares(tab) == FIRST
            tab.keyboard.press("Home")  # the first bar has the focus again
            assert shares(tab) == [0, 25, 25, 25, 25]
        assert [text.split("\n")[0] for text in words(tab)] == ENGLISH.split()
        so_far = tab.locator(".live-status strong").last.inner_text()
        tab.get_by_role("button", name="your loss").click()
        assert tab.locator(".live-weights").is_hidden()
        yours, its = (float(text) for text in tab.locator(".live-map caption strong").all_inner_texts())
        assert float(so_far) == pytest.approx(yours, abs=0.001)
        row = "each => [...each.querySelectorAll('tbody tr')].map((row) => row.innerText.split('\\t'))"
        mine = tab.locator(".live-map").first.evaluate(row)
        assert mine[0][:6] == ["w5", "1.00", "", "", "", ""]
        assert mine[1][:6] == ["w9", "", ".25", ".25", ".25", ".25"]
        assert tab.locator(".live-map").nth(1).locator("td.live-secret").count() == 15
        tab.get_by_role("button", name="show the model's weights").click()
        shown = tab.locator(".live-map").nth(1).evaluate(row)
        assert all(sum(float(cell or 0) for cell in cells[1:6]) == pytest.approx(1, abs=0.03) for cells in shown)
        assert -np.mean(np.log([float(cells[6]) for cells in shown])) == pytest.approx(its, rel=0.2)
        assert is_narrow(tab)
        tab.wait_for_function("location.hash.endsWith('w=_0-25-25-25-25_0-25-25-25-25&weights=shown')")
        tab.locator(".live-words button").first.click()
        assert shares(tab) == [100, 0, 0, 0, 0]
        tab.get_by_role("button", name="start anew").click()
        assert shares(tab) == FIRST
        tab.get_by_role("button", name="another sentence").click()
        assert [text.split("\n")[0] for text in words(tab)] == "w7 w8 w9 w10".split()
        assert shares(tab) == [100, 0, 0]


@pytest.mark.browser
@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("at=2&w=_10-20-30-40-0", [10, 20, 30, 40, 0]),
        ("at=2&w=_10-20-30-41-0", FIRST),
        ("at=2&w=_10-20-30--40-80", FIRST),
        ("at=2&w=_50-50_____9-9", FIRST),
        ("at=length&w=0-0-100-0-0", [0, 0, 100, 0, 0]),
        ("at=1.5&text=nonsense&w=0-0-100-0-0", [0, 0, 100, 0, 0]),
    ],
)
def test_an_address_leads_back_to_the_weights(opened, state: str, expected: list[int]) -> None:
    text = "" if "text=" in state else "&text=il+m%27+a+entart%C3%A9"
    for tab in opened(f"#live=game{text}&{state}"):
        assert shares(tab) == expected
        tab.get_by_role("button", name="next word").click()


@pytest.mark.browser
def test_without_scripts_the_frame_stands_there_and_says_the_loss(opened) -> None:
    for tab in opened(scripts=False):
        assert tab.locator(".live-row").evaluate_all("all => all.filter((each) => each.offsetParent)") == []
        assert tab.locator(".live-weight").all_inner_texts()[0].split() == ["1.00", "il"]
        assert "nats" in tab.locator(".live").inner_text()
