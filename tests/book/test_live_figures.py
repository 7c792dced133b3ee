"""The figures whose models run in the page: what a reader types, presses and is sent."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from book._ext.sheets import OURS
from book.live import export as live_models
from tests.book.test_live_models import fresh as fresh_of
from tests.support.figures import STATIC, is_narrow, visited

WORDS = {"source": ["<pad>", "<s>", "</s>", "<unk>", *"il parle dort la mer , m' entarté a".split()]}
SENTENCES = [{"source": "il m' a entarté", "target": "w4 w5", "links": [[0, 0]]}]
TEXTS = [{"source": "il parle", "label": "good", "evidence": [1]}]
RULES = {
    "sentence": [[["noun", "verb"], 0.75], [["noun", "sleeping"], 0.25]],
    "noun": [["il", 0.5], ["la", 0.5]],
    "verb": [[["seeing", "noun"], 1.0]],
    "seeing": [["parle", 1.0]],
    "sleeping": [["dort", 1.0]],
}
GUESS = {"ask": "?", "set": {"weights": "equal"}, "options": [["nothing", -1.01, 0.01], ["much", 0.01, 1.01]]}
SMALL = """all => all.filter((each) => each.offsetParent && (each.closest("label") ?? each).offsetHeight < 44
  && each.offsetHeight < 44).map((each) => each.outerHTML)"""  # too low for a finger
CURVES = {
    "ends": [[3, 8], [9, 14]],
    "lines": [{"mean": [90, 50 + at], "seeds": [[89, 50], [91, 50]]} for at in range(4)],
}
CENTRES = """all => all.map((each) => each.getBoundingClientRect()).map((box) => (box.left + box.right) / 2)"""
SIZES = """all => all.flatMap((each) => [...each.querySelectorAll("*")].filter((one) => !one.closest(".live-about"))
  .map(({ tagName, offsetTop, offsetHeight }) => [tagName, offsetTop, offsetHeight]))"""
FAR = '<div style="height: 2000px"></div>'  # the figure is out of view
SKIP = '<div class="skip-link"><a href="#main">Skip to main content</a></div>'
LABELS = ["good", "bad", "fair", "dull", "long"]

pytestmark = pytest.mark.browser


def fresh(name: str) -> Any:
    return fresh_of(name.partition("-")[0])


def figure(kind: Any, *names: str, texts: dict[str, Any]) -> str:
    models, more = {name: fresh(name) for name in names}, {}
    if kind == "race":
        more = {"titles": names, "curves": CURVES}
    elif len(names) > 1:
        more = {"titles": names}
    return str(live_models.figure(kind, models, "il parle", GUESS, texts, **more).data)


def opened(
    browser, folder: Path, *names: str, kind: str = "translator", state: str = "", scripts: bool = True, above: str = ""
) -> Iterator:
    """Yield a narrow page with the figure, and the scripts beside it that a build writes."""
    (folder / "live").mkdir(exist_ok=True)
    texts: dict[str, Any] = {"labels": LABELS, "sentences": TEXTS} if kind == "classifier" else {"sentences": SENTENCES}
    if kind in ("writer", "head"):
        texts |= {"rules": RULES, "source": WORDS["source"] + [f"w{number}" for number in range(12, 37)]}
    elif kind == "translator" or kind == "race":
        texts["target"] = ["<pad>", "<s>", "</s>", "<unk>", *(f"w{number}" for number in range(4, 41))]
    parts = {"engine": live_models.engine(), "figures": live_models.joined(live_models.FIGURES)}
    parts |= {name: live_models.script(name, live_models.exported(fresh(name))) for name in names}
    corpus = live_models.corpus_of(names[0])
    parts[corpus] = live_models.script(corpus, WORDS | texts)
    for name, text in parts.items():
        (folder / "live" / f"{name}.js").write_text(text, encoding="utf-8")
    (folder / "live.js").write_text((STATIC / "live.js").read_text(encoding="utf-8"), encoding="utf-8")
    head = "".join(f'<link rel="stylesheet" href="{(STATIC / name).as_uri()}">' for name in OURS)
    head += '<script src="live.js"></script>'
    inside = figure(kind, *names, texts=WORDS | texts)
    page = f'<!DOCTYPE html><html lang="en"><meta charset="utf-8">{head}{SKIP}{above}{inside}</html>'
    (folder / "page.html").write_text(page, encoding="utf-8")
    yield from visited(browser, f"{(folder / 'page.html').as_uri()}{state}", scripts)


def loaded(tab) -> list[str]:
    return tab.evaluate("performance.getEntriesByType('resource').map((each) => each.name.split('/').at(-1))")


def begun(tab) -> Any:
    """Focus the field, as a reader does who types, and wait for the model."""
    field = tab.locator("textarea")
    field.focus()
    tab.wait_for_selector(".live-runs")
    return field


def words(tab, which: int = 0) -> list[str]:
    return tab.locator(".live-words").nth(which).locator("button").all_inner_texts()


def test_the_squares_of_the_one_vector_say_what_their_colours_mean(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, "encoder_decoder"):
        begun(tab)
        assert "above 0" in tab.locator(".live-arcs:has(.live-above) .live-key").inner_text()


@pytest.mark.parametrize("name", ["encoder_decoder", "bahdanau", "luong", "transformer"])
def test_a_figure_is_loaded_when_it_comes_into_view_and_then_each_key_translates(
    browser, tmp_path: Path, name: str
) -> None:
    for tab in opened(browser, tmp_path, name, above=FAR):
        assert "engine.js" not in loaded(tab)
        assert "MB" in tab.locator(".live-about").inner_text()
        before = tab.locator(".live").evaluate_all(SIZES)
        tab.locator(".live-about").scroll_into_view_if_needed()
        tab.wait_for_selector(".live-runs")
        assert tab.locator(".live").evaluate_all(SIZES) == before, "nothing has moved"
        assert "#" not in tab.url, "who only reads keeps the page's address"
        field = begun(tab)
        before = tab.locator(".live-bars").inner_text()
        field.press_sequentially(" la mer")
        assert field.input_value() == "il parle la mer"
        assert tab.locator(".live-bars").inner_text() != before
        assert tab.locator(".live-bars li").count() == 5
        assert is_narrow(tab)
        tab.locator("summary").click()
        assert words(tab, 1) == "il parle la mer".split()
        assert tab.locator(".live :is(button, select, summary, textarea, input)").evaluate_all(SMALL) == []


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("race", ["encoder_decoder", "bahdanau", "luong", "transformer"]),
        ("classifier", ["structured", "structured-free"]),
        ("classifier", ["self_attention"]),
        ("writer", ["language_model"]),
    ],
)
def test_what_the_build_drew_is_what_the_page_draws(browser, tmp_path: Path, kind: str, names: list[str]) -> None:
    for tab in opened(browser, tmp_path, *names, kind=kind, above=FAR):
        before, text = tab.locator(".live").evaluate_all(SIZES), tab.locator(".live").inner_text()
        begun(tab)
        assert tab.locator(".live").evaluate_all(SIZES) == before
        assert tab.locator(".live").inner_text() == text


def test_what_is_pressed_before_the_model_is_there_is_done_once_it_is(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, "bahdanau", above=FAR):
        tab.locator(".live-words").first.locator("button").nth(1).click()
        tab.wait_for_selector(".live-runs")
        assert tab.locator(".live-words").first.locator("button").nth(1).get_attribute("aria-pressed") == "true"
        tab.locator(".live-asks").nth(2).click()
        assert tab.locator(".live-words").first.locator("button").nth(2).get_attribute("aria-pressed") == "true"


def test_a_word_is_read_when_it_is_finished_and_the_picture_waits(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, "bahdanau"):
        field = begun(tab)
        top = tab.locator(".live-words").first.bounding_box()
        field.press_sequentially(" dor")
        assert tab.locator(".live-notes button").all_inner_texts() == ["dort"]
        assert "does not know" not in tab.locator(".live-notes").inner_text()
        tab.locator(".live-notes button").click()
        assert field.input_value() == "il parle dort "
        field.press_sequentially("zz ")
        assert "does not know zz" in tab.locator(".live-notes").inner_text()
        assert tab.locator(".live-words").first.bounding_box()["y"] == top["y"]


def test_folded_letters_are_meant_and_signs_have_no_neighbours(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, "bahdanau"):
        field = begun(tab)
        field.fill("il m'a entarte")
        assert tab.locator(".live-arcs text").nth(3).text_content() == "entarté"
        field.fill("il 12")
        assert "does not know 12" in tab.locator(".live-notes").inner_text()
        assert tab.locator(".live-notes button").count() == 0
        field.fill("the black cat sleeps well")
        assert "Of yours it knows 0" in tab.locator(".live-notes").inner_text()


def test_a_state_has_an_address_that_leads_back_to_it(browser, tmp_path: Path) -> None:
    state = "#live=translator&text=il+m%27+a+entart%C3%A9&weights=shuffled&off=2&mute=1&use=cross&away=root"
    for tab in opened(browser, tmp_path, "transformer", state=state):
        tab.wait_for_selector(".live-words")
        assert tab.locator("textarea").input_value() == "il m' a entarté"
        assert [box.is_checked() for box in tab.get_by_role("checkbox").all()[:4]] == [True, False, True, True]
        assert tab.get_by_label("weights").input_value() == "shuffled"
        assert tab.get_by_label("take away").input_value() == "root"
        said = words(tab)
        tab.get_by_text("as trained.").wait_for()  # the loss with and without the hand: the sentence is a known one
        tab.get_by_label("head 2").check()
        tab.wait_for_function("!location.hash.includes('off')")
        tab.get_by_label("head 2").uncheck()
        tab.wait_for_function("location.hash.includes('off=2')")
        assert words(tab) == said


def test_what_a_guess_has_changed_is_put_back_by_a_press(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, "bahdanau", state="#live=translator&text=il+parle&weights=shuffled"):
        tab.wait_for_selector(".live-words")
        said = words(tab)
        for option in ("nothing", "much"):
            tab.locator(".live-question").get_by_role("button", name=option).click()
            assert tab.get_by_label("weights").input_value() == "equal"
        back = tab.get_by_role("button", name="Put it back")
        back.click()
        assert tab.get_by_label("weights").input_value() == "shuffled"
        assert words(tab) == said
        assert back.count() == 0


def test_the_race_runs_all_models_and_marks_what_is_wrong(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, "encoder_decoder", "bahdanau", "luong", "transformer", kind="race"):
        begun(tab).fill("il m'a entarté")
        assert tab.locator(".live-lane").count() == 4
        assert all("of 2 words right" in lane for lane in tab.locator(".live-tally").all_inner_texts())
        for lane in tab.locator(".live-lane").all():
            said = lane.locator(".live-said button").all_inner_texts()
            wrong = lane.locator(".live-wrong").count()
            assert f"{len(said) - wrong} of 2" in lane.locator(".live-tally").inner_text()
        tab.locator(".live-lane").nth(1).locator(".live-said button").first.click()
        weights = tab.locator(".live-lane").nth(1).locator(".live-shares i")
        shares = weights.evaluate_all("all => all.map((each) => Number(each.style.getPropertyValue('--w')))")
        assert len(shares) == 5
        assert sum(shares) == pytest.approx(1, abs=0.03)
        assert "2 Additive" not in tab.locator(".live-status").inner_text()
        assert "bahdanau, “" in tab.locator(".live-status").inner_text()
        above = tab.locator(".live-words-above > span").evaluate_all(CENTRES)
        assert weights.evaluate_all(CENTRES) == pytest.approx(above, abs=1), "a weight stands below its word"
        assert tab.locator(".live-plot circle").count() == 4
        assert is_narrow(tab)


@pytest.mark.parametrize("name", ["pooling", "structured", "self_attention"])
def test_a_text_is_classified_and_an_erased_word_has_no_weight(browser, tmp_path: Path, name: str) -> None:
    for tab in opened(browser, tmp_path, name, kind="classifier"):
        begun(tab).fill("il parle la mer")
        assert tab.locator(".live-bars li").count() == 3
        tab.locator(".live-words button").nth(1).click()
        assert tab.locator(".live-words button").nth(1).get_attribute("aria-label") == "parle, weight .00"
        assert "The model says" in tab.locator(".live-status").inner_text()
        assert is_narrow(tab)


def test_what_a_guess_was_answered_goes_when_it_is_true_no_longer(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, "self_attention", kind="classifier"):
        begun(tab).fill("il parle la mer")
        told = tab.locator(".live-question [role=status]")
        tab.locator(".live-question").get_by_role("button", name="much").click()
        said = told.inner_text()
        assert "%, now" in said
        tab.get_by_label("query").select_option("2")
        assert told.inner_text() == said, "another query is looked at, and the model is the same"
        tab.get_by_label("weights").select_option("")
        assert told.inner_text() == ""
        tab.locator(".live-question").get_by_role("button", name="much").click()
        tab.get_by_role("button", name="Put it back").click()
        assert tab.get_by_label("weights").input_value() == ""


def test_a_text_has_its_queries_keys_and_values_as_matrices(browser, tmp_path: Path) -> None:
    state = "#live=classifier&text=il+parle+la+mer&row=2&matrix=scores"
    for tab in opened(browser, tmp_path, "self_attention", kind="classifier", state=state):
        tab.wait_for_selector(".live-scroll tbody")
        columns, rows = tab.locator(".live-scroll thead th"), tab.locator(".live-scroll tbody tr")
        assert columns.all_inner_texts() == rows.locator("th").all_inner_texts() == "il parle la mer".split()
        assert rows.nth(1).get_attribute("class") == "live-asked"
        assert tab.locator("details canvas").count() == 7
        tab.get_by_role("button", name="A", exact=True).click()
        tab.wait_for_function("location.hash.includes('matrix=weights')")
        assert all(sum(map(float, row.split("\t")[1:])) == pytest.approx(1, abs=0.03) for row in rows.all_inner_texts())
        tab.get_by_role("button", name="K", exact=True).click()
        tab.locator("textarea").fill("il parle")
        assert rows.count() == 2
        assert columns.count() > 10
        tab.locator(".live-scroll").evaluate("box => { box.scrollLeft = 300 }")
        side = "(cell) => cell.getBoundingClientRect().left - cell.closest('.live-scroll').getBoundingClientRect().left"
        assert rows.first.locator("th").evaluate(side) < 3, "the words stay"
        assert is_narrow(tab)
        assert tab.locator(".live :is(button, select, summary, textarea, input)").evaluate_all(SMALL) == []


def writing(browser, folder: Path, state: str = "") -> Iterator:
    for tab in opened(browser, folder, "language_model", kind="writer", state=state):
        tab.wait_for_selector(".live-field") if not state else tab.wait_for_selector(".live-column button")
        yield tab


def columns(tab) -> list[bool]:
    """Return for each column of the cache whether it is new."""
    return tab.locator(".live-token").evaluate_all("all => all.slice(1).map((each) => each.matches('.live-new'))")


def test_a_beginning_fills_the_cache_and_only_new_words_are_read(browser, tmp_path: Path) -> None:
    for tab in writing(browser, tmp_path):
        field = begun(tab)
        assert columns(tab) == [True] * 3
        field.press_sequentially(" la")
        assert columns(tab) == [False] * 3 + [True]
        field.press_sequentially(" m")  # a word that is not whole is offered, and not read
        assert columns(tab) == [False] * 4
        assert tab.locator(".live-notes button").all_inner_texts()[:2] == ["mer", "m'"]
        field.fill("il dort")
        assert columns(tab) == [False, False, True]
        assert "3 tokens · 4 bytes = 3,072 bytes" in tab.locator(".live-truth").last.inner_text()
        assert is_narrow(tab)
        assert tab.locator(".live :is(button, select, summary, textarea, input)").evaluate_all(SMALL) == []


def test_the_grammar_gives_the_floor_of_the_next_word(browser, tmp_path: Path) -> None:
    for tab in writing(browser, tmp_path):
        begun(tab).fill("il")
        assert "floor for the next word is 0.562 nats" in tab.locator(".live-truth").first.inner_text()
        tab.locator("textarea").fill("dort il")
        assert "No sentence of the grammar begins like this" in tab.locator(".live-truth").first.inner_text()


def test_words_are_drawn_with_a_seed_from_those_that_stay_lit(browser, tmp_path: Path) -> None:
    for tab in writing(browser, tmp_path, "#live=writer&text=il&k=1&seed=7"):
        first = tab.locator(".live-column button")
        assert first.evaluate_all("all => all.map((each) => each.matches('.live-out'))") == [False] + [True] * 7
        best = first.first.locator("span").first.inner_text()
        tab.get_by_role("button", name="write one word").click()
        field = tab.locator("textarea")
        assert field.input_value().split() in (["il", best], ["il."])
        field.fill("il ")
        tab.get_by_label("top k").press("Home")
        texts = []
        for _ in range(2):
            tab.get_by_role("button", name="write one word").click()
            texts.append(field.input_value())
            field.fill("il")
        assert texts[0] == texts[1]
        field.focus()
        tab.get_by_label("temperature").press("End")
        tab.wait_for_function("location.hash.includes('temperature=3') && location.hash.includes('seed=7')")


def test_without_scripts_the_figure_stands_as_it_was_drawn(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, "transformer", scripts=False):
        assert tab.locator(".live-arcs path").count() > 2
        assert tab.locator(".live-bars li").count() == 5
        assert (
            tab.locator("textarea, select, .live-question, summary").evaluate_all(
                "all => all.filter((each) => each.offsetParent)"
            )
            == []
        )
