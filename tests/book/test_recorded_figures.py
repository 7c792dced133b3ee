"""The figures of what a model has recorded: they show the recorded weights, by keyboard and mouse, and degrade."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from book.long_sentence import long_sentence, ten_sentences
from book.stepwise import Decoded, decoded, each_hop, heads, last_layer, steps
from lab.classification import TextWeights
from lab.corpora import Document
from tests.support.figures import is_narrow, opened, status

WEIGHTS = torch.tensor([[0.7, 0.1, 0.1, 0.1], [0.05, 0.15, 0.6, 0.2], [0.1, 0.625, 0.2, 0.075]])
SHORT = Decoded(["il", "m'", "a<b", "</s>"], ["he", "hit", '"me"'], {"mean": WEIGHTS, "head 1": WEIGHTS.flip(0)})
LONG = Decoded(
    ["tu", "dors", "</s>"],
    ["you", "sleep"],
    {"mean": torch.tensor([[0.5, 0.25, 0.25], [0, 1, 0]]), "head 1": torch.eye(3)[:2]},
)
START = "Step 1 of 3. Output so far: nothing. Next word: he. Most weight: il .700, m' .100, a<b .100."

NARROW = {"width": 360, "height": 800}
SEEN = {
    use: (3 * torch.randn(2, 3, queries, keys, generator=torch.Generator().manual_seed(queries))).softmax(-1)
    for use, queries, keys in (("encoder", 3, 3), ("decoder", 2, 2), ("cross", 2, 3))
}
HEADS = heads(SEEN, ["tu", "dors"], ["you", "sleep"], ("fr", "en"))

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser, tmp_path: Path) -> Iterator:
    yield from opened(browser, tmp_path, steps([SHORT, LONG], ("fr", "en")))


@pytest.fixture
def view(browser, tmp_path: Path) -> Iterator:
    yield from opened(browser, tmp_path, HEADS)


def numbers(tab) -> list[float]:
    return [float(text) for text in tab.locator(".words .number").all_inner_texts()]


def test_each_step_shows_the_recorded_weights_of_its_word(page) -> None:
    for sentence, recorded in enumerate((SHORT, LONG)):
        page.get_by_label("sentence:").select_option(index=sentence)
        for view, weights in recorded.weights.items():
            page.get_by_label("weights:").select_option(label=view)
            forward = page.get_by_role("button", name="forward")
            forward.press("Home")
            for t, word in enumerate(recorded.output):
                assert page.locator(".words .word").all_inner_texts() == recorded.source
                assert numbers(page) == pytest.approx(weights[t].tolist(), abs=5e-4)
                assert page.locator(".output mark").inner_text() == word
                assert page.locator(".output").inner_text() == f"output: {' '.join(recorded.output[: t + 1])}"
                forward.press("Enter")
            assert status(page).startswith(f"Step {len(recorded.output)} of")  # forward ends at the last word


def test_bars_are_as_long_as_their_weights(page) -> None:
    widths = page.locator(".words .fill").evaluate_all(
        "bars => bars.map(bar => bar.getBoundingClientRect().width / bar.parentElement.getBoundingClientRect().width)"
    )
    assert widths == pytest.approx(WEIGHTS[0].tolist(), abs=0.01)
    assert page.locator(".words .most .word").all_inner_texts() == ["il"]


def test_last_and_then_first_comes_back_to_the_start(page) -> None:
    assert status(page) == START
    page.get_by_role("button", name="last").click()
    assert status(page).startswith('Step 3 of 3. Output so far: he hit. Next word: "me". Most weight: m\' .625, ')
    page.get_by_role("button", name="first").click()
    assert status(page) == START


def test_the_keyboard_moves_and_keeps_its_focus_at_the_ends(page) -> None:
    forward = page.get_by_role("button", name="forward")
    forward.focus()
    for key, step in (("End", 3), ("ArrowRight", 3), ("ArrowLeft", 2), ("Enter", 3), ("Enter", 3), ("Home", 1)):
        page.keyboard.press(key)
        assert status(page).startswith(f"Step {step} of 3."), key
    assert forward.evaluate("button => button === document.activeElement")
    assert page.get_by_role("button", name="back").get_attribute("aria-disabled") == "true"


def test_arrow_keys_in_a_menu_are_the_menus(page) -> None:
    page.get_by_label("sentence:").press("End")
    assert status(page).startswith("Step 1 of 2.")


def test_the_figure_takes_the_place_of_the_plain_table(page) -> None:
    assert page.locator("table").count() == 0


def test_it_fits_a_narrow_screen(page) -> None:
    assert is_narrow(page)


class Reader:
    """Gives the weights that it was made with, cut to the words of each text."""

    def __init__(self, weights: torch.Tensor) -> None:
        self.weights = weights

    def attention_weights(self, texts) -> list[TextWeights]:
        lengths = [sum(len(sentence.split()) for sentence in text) for text in texts]
        return [TextWeights(self.weights[:, :length]) for length in lengths]


REVIEWS = [
    Document(("fine music .", "I left ."), "good", frozenset({(0, 0), (1, 1)})),
    Document(("bad .",), "bad", frozenset({(0, 0)})),
]
HOPS = {
    "without the penalty": torch.tensor([[0.5, 0.125, 0.0, 0.125, 0.25, 0.0], [0.0, 0.0, 0.0, 0.0, 0.25, 0.75]]),
    "with it": torch.tensor([[0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.25, 0.25, 0.0, 0.0, 0.5, 0.0]]),
}


def reviewed():
    return each_hop({name: Reader(weights) for name, weights in HOPS.items()}, REVIEWS)


def test_every_hop_shows_its_weights_and_its_share_on_the_evidence(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, reviewed()):
        for number, (document, decides) in enumerate(zip(REVIEWS, ([0, 4], [0]), strict=True)):
            tab.get_by_label("review:").select_option(index=number)
            assert tab.locator(".words .word").all_inner_texts() == document.words
            assert tab.locator(".evident").all_inner_texts() == [document.words[j] for j in decides]
            for model, weights in HOPS.items():
                tab.get_by_label("model:").select_option(label=model)
                for hop in range(2):
                    tab.get_by_label("hop:").select_option(index=hop)
                    assert numbers(tab) == weights[hop, : len(document.words)].tolist()
                    share = f"{weights[hop, decides].sum():.3f}".removeprefix("0")
                    even = f"{len(decides) / len(document.words):.3f}".removeprefix("0")
                    assert status(tab).startswith(f"Hop {hop + 1}, {model}. Most weight: ")
                    assert status(tab).endswith(f": {share}, where equal weights would have {even}.")
        assert is_narrow(tab)


def test_hops_without_scripts_are_a_line_that_points_to_the_table(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, reviewed(), scripts=False):
        assert tab.locator("div.moved").inner_text().startswith("The table above has the same weights")
        assert tab.locator("button, select").count() == 0


def test_without_scripts_a_table_says_where_most_weight_is(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, steps([SHORT, LONG], ("fr", "en")), scripts=False):
        cells = [row.locator("th, td").all_inner_texts() for row in tab.locator("tbody tr").all()]
        assert cells == [["he", "il", "0.700"], ["hit", "a<b", "0.600"], ['"me"', "m'", "0.625"]]
        assert tab.locator("button, select, [role=status]").count() == 0


def test_every_head_shows_its_weights_for_every_query(view) -> None:
    read, target = ["tu", "dors", "</s>"], ["you", "sleep"]
    words = {"encoder": (read, read), "decoder": (target, ["<s>", "you"]), "cross": (target, read)}
    for place, (use, (queries, keys)) in enumerate(words.items()):
        view.get_by_label("attention:").select_option(index=place)
        assert view.get_by_role("group").get_by_role("button").all_inner_texts() == queries
        assert view.locator(".words .word").all_inner_texts() == keys
        for layer, head, query in ((0, 0, 0), (1, 2, 1), (0, 1, len(queries) - 1)):
            view.get_by_label("layer:").select_option(index=layer)
            view.get_by_label("head:").select_option(index=head)
            view.get_by_role("button", name=queries[query]).click()
            assert numbers(view) == pytest.approx(SEEN[use][layer, head, query].tolist(), abs=5e-4)
            assert f"layer {layer + 1}, head {head + 1}. Query: the " in status(view)
            assert f" {queries[query]}. Most weight: " in status(view)


def test_a_query_is_chosen_by_arrow_keys_and_by_pointing(view) -> None:
    first, last = (view.get_by_role("button", name=word) for word in ("tu", "</s>"))
    view.get_by_label("head:").press("Tab")
    assert first.evaluate("button => button === document.activeElement")
    for key, word in (("ArrowRight", "dors"), ("End", "</s>"), ("ArrowRight", "</s>"), ("Home", "tu")):
        view.keyboard.press(key)
        assert f"Query: the source word {word}." in status(view), key
        assert view.get_by_role("button", pressed=True).all_inner_texts() == [word]
        assert view.evaluate("document.activeElement.textContent") == word
    last.hover()
    assert "Query: the source word </s>." in status(view)


def test_heads_without_scripts_are_a_line_that_points_to_the_pictures(browser, tmp_path: Path) -> None:
    for tab in opened(browser, tmp_path, HEADS, scripts=False):
        assert tab.locator("div.moved").inner_text().startswith("The pictures above show the same weights")
        assert tab.locator("button, select").count() == 0


class Model:
    """Translates every sentence but one word for word, and attends to the same position."""

    def translate(self, sentences: list[str]) -> list[str]:
        return ["" if sentence == "rien" else sentence.upper() for sentence in sentences]

    def attention(self, source: str, target: str) -> torch.Tensor:
        return torch.eye(len(source.split()) + 1)[: len(target.split())]


def test_a_model_is_recorded_with_its_own_words_and_weights() -> None:
    one, two = decoded(Model(), ["a b", "rien", "c"])
    assert (one.source, one.output, two.source) == (["a", "b", "</s>"], ["A", "B"], ["c", "</s>"])
    assert one.weights["attention weights"].tolist() == [[1, 0, 0], [0, 1, 0]]


def test_the_last_layer_comes_as_its_mean_and_head_by_head() -> None:
    cross = torch.rand(2, 3, 4, 5)
    views = last_layer(cross)
    torch.testing.assert_close(views.pop("last layer, mean of the heads"), cross[1].mean(dim=0))
    torch.testing.assert_close(torch.stack(list(views.values())), cross[1])


def test_weights_that_do_not_fit_the_words_are_refused() -> None:
    with pytest.raises(ValueError, match="row for each output word"):
        steps(
            [SHORT, Decoded(["a"], ["b"], {"mean": WEIGHTS})], ("fr", "en")
        )  # the first one's are looked at elsewhere too


def test_ten_sentences_from_short_to_long() -> None:
    sentences = ten_sentences()
    lengths = [len(sentence.split()) for sentence in sentences[1:]]
    assert len(set(sentences)) == 10
    assert lengths == sorted(lengths)
    assert sentences[-1] == long_sentence().source
