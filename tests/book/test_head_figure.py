"""The figure of one head, as a reader uses it: steps, what is dragged by pointer, finger and keys, address, paper."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.book.test_live_figures import SMALL, opened
from tests.support.figures import is_narrow

pytestmark = pytest.mark.browser
TEXT = "il parle la dort"
SHOWN = "all => all.filter((each) => each.offsetParent && getComputedStyle(each).opacity > 0.5).length"
TOPS = "all => all.map((each) => each.getBoundingClientRect().top)"
DRAWN = "place => [...place.querySelectorAll('.live-after li')].map((row) => row.textContent)"


def showing(browser, folder: Path, state: str = f"text={TEXT.replace(' ', '+')}&query=4") -> Iterator:
    for tab in opened(browser, folder, "language_model", kind="head", state=f"#live=head&{state}"):
        tab.wait_for_selector(".live-grid")
        yield tab


def expected(tab) -> Any:
    return tab.locator(".live").evaluate(DRAWN)


def weights(tab) -> list[float]:
    texts = tab.locator(".live-share:not(.live-later)").evaluate_all("all => all.map((each) => each.ariaValueText)")
    return [float(text) for text in texts]


def drag(tab, place, x: float, y: float, by: tuple[float, float]) -> None:
    """Press at a share of a place's width and height, and move by pixels."""
    box = place.bounding_box()
    start = box["x"] + x * box["width"], box["y"] + y * box["height"]
    tab.mouse.move(*start)
    tab.mouse.down()
    tab.mouse.move(start[0] + by[0], start[1] + by[1], steps=4)
    tab.mouse.up()


def test_it_stands_complete_and_each_step_is_a_press_or_an_arrow_key(browser, tmp_path: Path) -> None:
    for tab in showing(browser, tmp_path):
        tab.set_viewport_size({"width": 1000, "height": 900})
        columns, grid, box = tab.locator(".live-col"), tab.locator(".live-grid"), tab.locator(".live").bounding_box()
        assert columns.evaluate_all(SHOWN) == 6
        rows = tab.locator(".live-col-words button").evaluate_all(TOPS)
        assert tab.locator(".live-col-k .live-strip[role]").evaluate_all(TOPS) == pytest.approx(rows, abs=1)
        tab.get_by_role("button", name="1 products").click()
        assert columns.evaluate_all(SHOWN) == 3
        for step, shown in ((2, 4), (3, 5), (4, 6)):
            tab.keyboard.press("ArrowRight")
            assert grid.get_attribute("data-step") == str(step)
            assert columns.evaluate_all(SHOWN) == shown
        assert tab.locator(".live").bounding_box() == box, "nothing around it moves"
        tab.keyboard.press("Home")
        tab.get_by_role("button", name="Play").click()
        assert grid.get_attribute("data-step") == "2", "nothing moves by itself where the reader wants it still"
        tab.wait_for_function("location.hash.includes('step=2')")
        tab.emulate_media(media="print")
        assert columns.evaluate_all(SHOWN) == 6, "paper has all"


def test_play_shows_all_steps_once(browser, tmp_path: Path) -> None:
    for tab in showing(browser, tmp_path):
        tab.emulate_media(reduced_motion="no-preference")
        tab.clock.install(time=0)
        tab.clock.pause_at(10_000)  # seconds: only run_for moves it, however slow the machine
        tab.get_by_role("button", name="Play").click()
        seen = []
        for _ in range(5):
            seen.append(tab.locator(".live-grid").get_attribute("data-step"))
            tab.clock.run_for(2300)
        assert seen == ["1", "2", "3", "4", "4"]


def test_a_weight_is_dragged_and_all_behind_it_follows(browser, tmp_path: Path) -> None:
    for tab in showing(browser, tmp_path):
        tab.set_viewport_size({"width": 1000, "height": 900})
        before, context = expected(tab), ".live-context > i >> nth=0"
        bars = tab.locator(".live-share")
        assert sum(weights(tab)) == pytest.approx(1, abs=0.03)
        drawn = tab.locator(context).get_attribute("style")
        drag(tab, bars.nth(1).locator("i"), 0.1, 0.5, (60, 0))
        assert weights(tab)[1] > 0.5
        assert sum(weights(tab)) == pytest.approx(1, abs=0.001)
        assert tab.locator(context).get_attribute("style") != drawn
        after = expected(tab)
        assert after != before
        tab.wait_for_function("location.hash.includes('set=')")
        tab.reload()
        tab.wait_for_selector(".live-grid")
        assert expected(tab) == after, "the address has what is changed"
        tab.get_by_role("button", name="put back").click()
        assert expected(tab) == before
        assert tab.get_by_role("button", name="put back").is_disabled()


def test_numbers_and_scores_follow_pointer_and_keys(browser, tmp_path: Path) -> None:
    for tab in showing(browser, tmp_path):
        tab.set_viewport_size({"width": 1000, "height": 900})
        before = [expected(tab), weights(tab)]
        for role in ("query", "key", "value"):
            strip = tab.locator(f".live-strip.live-{role}[role]").first
            drag(tab, strip, 0.4, 0.5, (0, -30))
            assert expected(tab) != before[0]
            assert (weights(tab) == before[1]) == (role == "value"), "a value is behind the weights"
            tab.get_by_role("button", name="put back").click()
            strip.focus()
            said = strip.get_attribute("aria-valuetext")
            tab.keyboard.press("ArrowRight")
            tab.keyboard.press("ArrowUp")
            assert strip.get_attribute("aria-valuetext") != said
            assert expected(tab) != before[0]
            tab.keyboard.press("Delete")
            assert [expected(tab), weights(tab)] == before
        score = tab.locator(".live-score").first
        drag(tab, score, 0.5, 0.5, (40, 0))
        assert float(score.get_attribute("aria-valuetext").replace("−", "-")) > 1
        assert weights(tab) != before[1]
        score.focus()
        tab.keyboard.press("Delete")
        assert weights(tab) == before[1]
        tab.keyboard.press("PageDown")
        assert tab.evaluate("document.activeElement.ariaLabel") == "score of il"


def test_a_finger_that_scrolls_the_page_changes_nothing(browser, tmp_path: Path) -> None:
    """The first touch of a vector chooses a number, the next drags it; a drag that the page takes over is undone."""
    finger = """(place, [kind, x, y]) => { const { left, top } = place.getBoundingClientRect()
      place.setPointerCapture = () => {}
      place.dispatchEvent(new PointerEvent(`pointer${kind}`, { pointerType: "touch", pointerId: 7, bubbles: true,
        clientX: left + x, clientY: top + y })) }"""
    for tab in showing(browser, tmp_path):
        before = expected(tab)
        strip, bar = tab.locator(".live-strip.live-value[role]").first, tab.locator(".live-share").first
        for step in (["down", 30, 20], ["move", 30, -20], ["up", 30, -20]):
            strip.evaluate(finger, step)
        assert expected(tab) == before
        strip.focus()
        for step in (["down", 30, 20], ["move", 30, -20], ["up", 30, -20]):
            strip.evaluate(finger, step)
        assert expected(tab) != before
        tab.get_by_role("button", name="put back").click()
        for step in (["down", 10, 20], ["move", 60, 25]):
            bar.evaluate(finger, step)
        assert expected(tab) != before
        bar.evaluate(finger, ["cancel", 60, 25])
        assert expected(tab) == before


def test_the_query_asks_whom_it_can_and_a_head_is_switched_off(browser, tmp_path: Path) -> None:
    for tab in showing(browser, tmp_path, f"text={TEXT.replace(' ', '+')}&layer=1&head=2&query=4"):
        assert tab.get_by_label("head").first.input_value() == "1"
        words = tab.locator(".live-col-words button")
        assert words.all_inner_texts() == ["<s>", *TEXT.split()]
        words.nth(2).click()
        assert len(weights(tab)) == 3
        assert tab.locator(".live-share.live-later").count() == 2
        before = expected(tab)
        tab.get_by_label("off", exact=True).check()
        assert expected(tab) != before
        tab.wait_for_function("location.hash.includes('set=1.2.o.0.0.1')")
        tab.locator("textarea").fill("il dort")
        assert not tab.get_by_label("off", exact=True).is_checked(), "another text begins anew"
        assert is_narrow(tab)
        assert tab.locator(".live :is(button, select, summary, input)").evaluate_all(SMALL) == []
        tab.locator("textarea").fill("")
        assert words.all_inner_texts() == ["<s>"]
        tab.locator("textarea").fill("il parle la parle la parle la parle la parle la parle la")
        assert "first 9 words" in tab.locator(".live-notes").inner_text()
        assert words.count() == 10
