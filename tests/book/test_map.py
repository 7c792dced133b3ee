"""A map that lies: weights given by hand, the three tests of two models, what a reader paints."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from py_mini_racer import MiniRacer

from book.live import export as live_models
from book.pooling import map as lying
from book.pooling.figures import attending
from lab import corpora
from lab.corpora import Document
from tests.book import test_live_figures
from tests.book.test_live_figures import SMALL, is_narrow
from tests.book.test_live_models import answered, classified, figures, fresh

SENTENCE = "il m' a entarté"
JUDGED = """
live.judge = (names, texts, test, painted) => JSON.stringify(texts.map((tokens) =>
  live.judged(names.map((name) => live.made[name]), tokens, test, painted).map(({ logits, weights, gone }) =>
    ({ logits: [...logits], weights, gone }))));
"""


def engine(pair: dict[str, Any], precision: Any = "float32") -> MiniRacer:
    context = figures()
    context.eval(f"{JUDGED} live.made = {{}};")
    context.eval("live.received = (name, data) => { live.made[name] = new live.pooling(data); };")
    for name, trained in pair.items():
        context.eval(live_models.script(name, live_models.exported(trained, precision)))
    return context


def pair(**changes: Any) -> dict[str, Any]:
    """Return two models with fresh parameters, of equal sizes."""
    one, two = fresh("pooling", **changes), fresh("pooling", **changes)
    for place, each in enumerate((one, two)):
        torch.manual_seed(place)
        for tensor in each.model.parameters():  # as they begin, all weights are nearly alike
            tensor.data.add_(torch.randn_like(tensor), alpha=0.3)
    return {"one": one, "two": two}


@pytest.mark.parametrize("length", [1, 2, 7])
def test_weights_given_by_hand_make_the_label_probabilities_of_pytorch(length: int) -> None:
    rng, models = np.random.default_rng(length), pair(units=11, embedding_dim=13)
    tokens, parts = rng.integers(4, 37, length).tolist(), rng.multinomial(100, np.ones(length) / length).tolist()
    row = torch.tensor(parts) / 100
    painted = answered(engine(models), "judge", list(models), [tokens], "", [parts, None])[0]
    one, two = models.values()
    with attending(one.model, lying.given(row[None])):
        np.testing.assert_allclose(painted[0]["logits"], classified(one.model, tokens)[0], atol=1e-4)
    np.testing.assert_allclose(painted[1]["logits"], classified(two.model, tokens)[0], atol=1e-4)
    np.testing.assert_allclose(painted[0]["weights"], row, atol=1e-6)


def test_a_weight_that_is_moved_leaves_the_others_in_their_proportions() -> None:
    weights = torch.tensor([[0.5, 0.3, 0.2, 0.0], [0.1, 0.8, 0.1, 0.0]])
    mask = torch.tensor([[True, True, True, False]] * 2)
    torch.testing.assert_close(lying.moved(weights, mask), torch.tensor([[0.0, 0.6, 0.4, 0.0], [0.5, 0.0, 0.5, 0.0]]))


def test_page_and_python_count_the_same_labels_and_the_page_knows_the_words() -> None:
    models = lying.models()
    documents = corpora.load("relations").tests["test"][: lying.TEXTS // 5]
    said = lying.labels(models, documents)
    found = lying.counts(said)
    context = engine(dict(zip(lying.NAMES, models, strict=True)), "int8")
    tokens = [models[0].text.encode(document.sentences[0]) for document in documents]
    assert models[0].text.words == models[1].text.words
    changed = {}
    for test in ("", *lying.TESTS):
        answers = answered(context, "judge", lying.NAMES, tokens, test, [])
        labels = [[models[m].labels[int(np.argmax(each[m]["logits"]))] for each in answers] for m in range(len(models))]
        assert labels == said[test]
        changed[test] = labels
    assert found["texts"] == len(documents)
    for test in lying.TESTS:
        assert found[test] == [sum(np.array(a) != b) for a, b in zip(changed[""], changed[test], strict=True)]


def test_under_the_tests_the_weights_are_gone_moved_or_exchanged() -> None:
    models, tokens = pair(), [5, 9, 31, 4, 17]
    context = engine(models)
    own, erased, moved, swapped = (
        answered(context, "judge", list(models), [tokens], test, [])[0] for test in ("", *lying.TESTS)
    )
    for m in range(2):
        heaviest = int(np.argmax(own[m]["weights"]))
        left = [token for place, token in enumerate(tokens) if place != heaviest]
        read = answered(context, "judge", list(models), [left], "", [])[0][m]
        assert (erased[m]["gone"], erased[m]["weights"][heaviest]) == (heaviest, 0)
        assert erased[m]["logits"] == read["logits"]
        assert [each for place, each in enumerate(erased[m]["weights"]) if place != heaviest] == read["weights"]
        rest = np.array(own[m]["weights"])
        rest[heaviest] = 0
        np.testing.assert_allclose(moved[m]["weights"], rest / rest.sum(), atol=1e-6)
        assert swapped[m]["weights"] == own[1 - m]["weights"]


@pytest.fixture
def opened(browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what yields a narrow page with the map, at an address."""
    models, found = pair(), {"texts": 8, "erase": [7, 1], "move": [6, 2], "swap": [5, 3]}
    names = ("pooling-relations", "pooling-away")
    named: dict[str, Any] = dict(zip(names, models.values(), strict=True))

    def figure(*_: str, texts: dict[str, Any]) -> str:
        return str(live_models.figure("map", named, SENTENCE, texts=texts, counts=found).data)

    monkeypatch.setattr(test_live_figures, "figure", figure)
    monkeypatch.setattr(test_live_figures, "fresh", named.get)
    texts = [{"source": SENTENCE, "label": "good", "evidence": [3]}]
    monkeypatch.setattr(test_live_figures, "TEXTS", texts)

    def at(state: str = "", scripts: bool = True) -> Iterator:
        for tab in test_live_figures.opened(browser, tmp_path, *named, kind="classifier", state=state, scripts=scripts):
            if not state and scripts:
                tab.locator("textarea").focus()
            if scripts:
                tab.wait_for_selector(".live-runs")
            yield tab

    return at


def shares(tab, which: int) -> list[int]:
    bars = tab.locator(".live-weights").nth(which).locator(".live-weight")
    values = bars.evaluate_all("all => all.map((each) => each.getAttribute('aria-valuenow'))")
    return [round(100 * float(value)) for value in values]


def labels(tab, which: int) -> str:
    return tab.locator(".live-bars").nth(which).inner_text()


@pytest.mark.browser
def test_a_weight_is_painted_with_keys_and_the_label_below_follows_at_once(opened) -> None:
    for tab in opened():
        before = [labels(tab, m) for m in range(2)], [shares(tab, m) for m in range(2)]
        bars = tab.locator(".live-weights").first.locator(".live-weight")
        assert bars.evaluate_all("all => all.map((each) => each.tabIndex)") == [0, -1, -1, -1]
        bars.first.press("ArrowRight")
        bars.nth(1).press("End")
        assert shares(tab, 0) == [0, 100, 0, 0]
        assert labels(tab, 0) != before[0][0]
        assert (labels(tab, 1), shares(tab, 1)) == (before[0][1], before[1][1])
        assert "with your weights" in tab.locator(".live-ask").first.inner_text()
        bars.nth(1).press("ArrowDown")
        assert shares(tab, 0)[1] == 95
        tab.wait_for_function("location.hash.includes('w=2-95-')")
        tab.get_by_role("button", name="put back").click()
        assert [shares(tab, m) for m in range(2)] == before[1]
        assert is_narrow(tab)
        assert tab.locator(".live :is(button, textarea, .live-weight)").evaluate_all(SMALL) == []


@pytest.mark.browser
def test_a_weight_is_painted_with_the_pointer(opened) -> None:
    for tab in opened():
        bar = tab.locator(".live-weights").nth(1).locator("i").nth(2)
        bar.scroll_into_view_if_needed()
        box = bar.bounding_box()
        tab.mouse.move(box["x"] + 9, box["y"] + box["height"] - 3)
        tab.mouse.down()
        tab.mouse.move(box["x"] + 9, box["y"] - 30, steps=3)
        tab.mouse.up()
        assert shares(tab, 1) == [0, 0, 100, 0]


@pytest.mark.browser
def test_tests_are_pressed_and_released_and_each_shows_its_counts(opened) -> None:
    for tab in opened():
        own = [shares(tab, m) for m in range(2)]
        swap = tab.get_by_role("button", name="give each the other's weights")
        swap.click()
        assert [shares(tab, m) for m in range(2)] == own[::-1]
        tab.get_by_role("button", name="erase the heaviest word").click()
        assert swap.get_attribute("aria-pressed") == "false"
        assert tab.locator(".live-gone").count() == 2
        tab.get_by_role("button", name="erase the heaviest word").click()
        assert [shares(tab, m) for m in range(2)] == own
        cells = tab.locator(".live-tests tbody td").all_inner_texts()
        assert cells == ["7", "1", "6", "2", "5", "3"]
        assert "8 test sentences" in tab.locator(".live-tests").inner_text()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("state", "expected", "pressed"),
    [
        ("w=10-20-30-40_0-0-100-0", [[10, 20, 30, 40], [0, 0, 100, 0]], 0),
        ("w=_0-0-100-0", [None, [0, 0, 100, 0]], 0),
        ("w=10-20-30-41_9", [None, None], 0),
        ("w=10-20-30--40-80__7&test=constructor", [None, None], 0),
        ("test=move", [None, None], 1),
    ],
)
def test_an_address_leads_back_to_weights_and_test(opened, state: str, expected: list, pressed: int) -> None:
    for tab in opened(f"#live=map&text=il+m%27+a+entart%C3%A9&{state}"):
        assert tab.locator(".live-tests [aria-pressed=true]").count() == pressed
        for m, row in enumerate(expected):
            if row:
                assert shares(tab, m) == row


@pytest.mark.browser
def test_without_scripts_both_rows_stand_there_as_the_scripts_draw_them(opened) -> None:
    drawn = []
    for scripts in (False, True):
        for tab in opened(scripts=scripts):
            drawn.append(([shares(tab, m) for m in range(2)], [labels(tab, m) for m in range(2)]))
            assert tab.locator(".live-tests tbody td").count() == 6
    assert drawn[0] == drawn[1]


@pytest.mark.browser
def test_a_text_too_short_for_the_tests_is_said_to_be_so(opened) -> None:
    for tab in opened():
        tab.locator("textarea").fill("il")
        assert "Too little" in tab.locator(".live-status").inner_text()
        assert tab.locator(".live-tests button").first.is_disabled()
        tab.locator("textarea").fill("il dort")
        assert tab.locator(".live-weights").first.locator("b").all_inner_texts() == ["il", "dort"]


def test_the_page_has_the_weights_and_labels_of_the_models_that_are_tested() -> None:
    html = str(lying.lying_map().data)
    for trained in lying.models():
        (weights,) = trained.attention_weights([(lying.SENTENCE,)])
        heaviest = int(weights.words[0].argmax())
        assert f"{float(weights.words[0][heaviest]):.2f}".removeprefix("0") in html
        assert trained.classify([(lying.SENTENCE,)])[0].replace(">", "&gt;") in html
    assert html.count("<td style") == 2 * len(lying.TESTS)


def test_a_document_is_read_by_all_tests_alike_whatever_else_is_in_the_batch() -> None:
    models = lying.models()
    documents: list[Document] = corpora.load("relations").tests["test"][:9]
    together = lying.labels(models, documents)
    alone = [lying.labels(models, [document]) for document in documents]
    for test, said in together.items():
        assert said == [[each[test][m][0] for each in alone] for m in range(2)]


def test_the_page_knows_the_words_that_decide_in_the_first_sentence_and_both_models_are_right_on_it() -> None:
    models = lying.models()
    offered = live_models.offered_texts("relations", models[0])["sentences"]
    (known,) = (each for each in offered if each["source"] == lying.SENTENCE)
    assert [lying.SENTENCE.split()[place] for place in known["evidence"]] == ["saved"]
    assert {trained.classify([(lying.SENTENCE,)])[0] for trained in models} == {known["label"]}


def test_the_script_of_the_page_names_the_same_tests() -> None:
    source = (live_models.LIVE / "figures" / "map.js").read_text(encoding="utf-8")
    for test, words in lying.TESTS.items():
        assert f"{test}: {json.dumps(words)}" in source
