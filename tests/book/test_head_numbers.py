"""The figure of one head: all its numbers are the model's, and what follows a change is what PyTorch makes of it."""

import json
import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest
import torch
from py_mini_racer import MiniRacer
from torch import Tensor

from book.language_model.readings import PLURAL, plural_moved, plural_without
from book.live import export as live_models
from lab.kinds.language import framed
from lab.kinds.pinned import pinned
from solutions.language_model.ablation import without_heads
from solutions.language_model.attention import grouped_query_attention
from solutions.language_model.fast import SOLUTION
from solutions.language_model.layers import Parts
from solutions.language_model.model import Decoder
from tests.book.test_live_models import ATOB

SENTENCE = "the cats that the dog sees sleep"  # with <s> eight tokens: no other axis is as long
ASKS = 6  # sees
PLACES = "qkvswc"
SCRIPT = """
live.changes = (text) => live.Changes.read(text, live.network.settings, live.tokens.length);
live.plain = (_, part) => (ArrayBuffer.isView(part) ? [...part] : part);
live.head_numbers = function (text) {
  const { of, logits } = live.traced(live.network, live.tokens, live.changes(text));
  return JSON.stringify({ of, chances: logits.map((each) => live.softmax(each)) }, live.plain);
};
live.scores_of = (layer, head, query) =>
  JSON.stringify(live.scored(live.traced(live.network, live.tokens).of[layer][head], query));
"""
BEGINS = """(() => {
  const number = new Map(words.map((word, at) => [word, at]));
  const { length } = live.tokens, grammar = live.grammatical(rules, words_read);
  return JSON.stringify(live.missed(live.network, live.tokens.slice(0, length - 1), grammar, number));
})()"""
Change = tuple[int, int, str, int, dict[int, float]]  # layer, head, name, position, numbers: all counted from 0
ROW = dict(enumerate([0.05, 0, 0.05, 0.1, 0, 0.75, 0.05]))
CHANGES: dict[str, list[Change]] = {
    "a weight of layer 2": [(1, 2, "w", ASKS, ROW)],
    "a weight of layer 1": [(0, 3, "w", 2, {0: 0.0, 1: 0.25, 2: 0.75})],
    "a query": [(0, 1, "q", ASKS, {4: 2.5, 15: -3.0})],
    "a key": [(1, 2, "k", 3, {0: -6.75, 11: 5.0})],
    "a value": [(1, 2, "v", 3, {7: -3.25})],
    "a score": [(1, 3, "s", ASKS, {5: 9.0, 0: -2.5})],
    "several": [(0, 0, "k", 1, {3: 4.0}), (1, 1, "v", 2, {9: -2.0}), (1, 1, "w", ASKS, ROW)],
}


class Watched:
    """Attention that keeps what each layer is given and makes, with changes laid on it before it is used."""

    def __init__(self, changes: Sequence[Change] = ()) -> None:
        self.changes, self.kept = changes, cast("list[dict[str, Tensor]]", [])

    def __call__(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        kept: dict[str, Tensor] = {}

        def laid(name: str, numbers: Tensor) -> Tensor:
            kept[name] = numbers[0].clone()
            for layer, head, what, place, new in self.changes:
                if (layer, what) == (len(self.kept), name):
                    for i, number in new.items():
                        kept[name][head, place, i] = number
            return kept[name][None]

        q, k, v = (laid(name, each) for name, each in zip("qkv", (query, key, value), strict=True))
        scores = laid("s", q @ k.mT / math.sqrt(q.shape[-1]))
        hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)
        weights = laid("w", scores.masked_fill(hidden, -math.inf).softmax(dim=-1))
        context = kept["c"] = (weights @ v)[0]
        if not self.changes:
            torch.testing.assert_close((context[None], weights), grouped_query_attention(query, key, value, mask))
        self.kept.append(kept)
        return context[None], weights


@pytest.fixture(scope="module")
def trained() -> Any:
    return pinned(SOLUTION)


@pytest.fixture(scope="module")
def page(trained) -> MiniRacer:
    """V8 with engine, figures and the model as the page has it, eight bits a number."""
    context = MiniRacer()
    context.eval(ATOB + live_models.engine() + live_models.joined(live_models.FIGURES) + SCRIPT)
    context.eval(live_models.script("language_model", live_models.exported(trained)))
    context.eval(f"live.tokens = {framed(trained.text, SENTENCE)[:-1]}")
    return context


@torch.no_grad()
def by_torch(trained: Any, changes: Sequence[Change] = ()) -> tuple[list[dict[str, Tensor]], Tensor]:
    """Return the numbers of each layer and the probabilities of each next word, the changes being laid on them."""
    watched = Watched(changes)
    model = Decoder(trained.model.recipe, len(trained.text), parts=Parts(grouped_query_attention=watched))
    model.load_state_dict(trained.model.state_dict())
    logits = model.eval()(torch.tensor([framed(trained.text, SENTENCE)[:-1]]))[0]
    return watched.kept, logits.softmax(dim=-1)


def text(changes: Sequence[Change]) -> str:
    """Return the changes as an address has them."""
    pairs = [".".join(f"{i}.{round(100 * number)}" for i, number in new.items()) for *_, new in changes]
    heads = [f"{layer + 1}.{head + 1}.{name}.{place}" for layer, head, name, place, _ in changes]
    return "_".join(f"{head}.{each}" for head, each in zip(heads, pairs, strict=True))


def in_page(page: MiniRacer, changes: str = "") -> dict[str, Any]:
    return json.loads(str(page.eval(f"live.head_numbers({json.dumps(changes)})")))


def assert_same(given: dict[str, Any], kept: list[dict[str, Tensor]], chances: Tensor) -> None:
    """Compare all heads of all layers; the page has no numbers that the mask hides."""
    torch.testing.assert_close(torch.tensor(given["chances"]), chances, atol=1e-5, rtol=1e-4)
    assert (len(given["of"]), len(given["of"][0])) == (len(kept), len(kept[0]["q"]))
    for layer, numbers in enumerate(kept):
        for head, of in enumerate(given["of"][layer]):
            for name in PLACES:
                for place, row in enumerate(of[name]):
                    expected = numbers[name][head, place, : place + 1 if name in "sw" else None]
                    np.testing.assert_allclose(row, expected, 1e-4, 1e-4, err_msg=f"{layer} {head} {name} {place}")


def test_every_number_of_every_head_is_that_of_the_pinned_model(page, trained):
    kept, chances = by_torch(trained)
    given = in_page(page)
    assert_same(given, kept, chances)
    assert len(given["of"][0][0]["q"][0]) == 16
    assert len(given["chances"]) == len(SENTENCE.split()) + 1


@pytest.mark.parametrize("name", CHANGES)
def test_all_that_follows_a_change_is_what_pytorch_makes_of_it(page, trained, name):
    changes = CHANGES[name]
    kept, chances = by_torch(trained, changes)
    assert (chances - by_torch(trained)[1]).abs().max() > 1e-3, "the change would not be seen"
    assert_same(in_page(page, text(changes)), kept, chances)


@pytest.mark.parametrize(("layer", "heads"), [(0, [1]), (1, [3]), (1, [0, 2, 3])])
def test_a_head_that_is_switched_off_is_one_that_is_removed(page, trained, layer, heads):
    off = "_".join(f"{layer + 1}.{head + 1}.o.0.0.1" for head in heads)
    with without_heads(trained.model, layer, heads), torch.no_grad():
        logits = trained.model(torch.tensor([framed(trained.text, SENTENCE)[:-1]]))[0]
    given = in_page(page, off)["chances"]
    torch.testing.assert_close(torch.tensor(given), logits.softmax(dim=-1), atol=1e-5, rtol=1e-4)


def test_what_the_mask_hides_changes_nothing(page):
    later = f"1.1.k.{ASKS + 1}.3.500_1.2.v.{ASKS + 1}.0.500_2.1.s.{ASKS}.{ASKS + 1}.900"
    before, after = (in_page(page, changes)["chances"] for changes in ("", later))
    assert before[: ASKS + 1] == after[: ASKS + 1]
    assert before[ASKS + 1] != after[ASKS + 1]


def test_scores_that_the_mask_hides_are_products_too(page, trained):
    scores = by_torch(trained)[0][1]["s"][2, ASKS]
    given = json.loads(
        str(page.eval(f"JSON.stringify(live.scored(live.traced(live.network, live.tokens).of[1][2], {ASKS}))"))
    )
    torch.testing.assert_close(torch.tensor(given), scores, atol=1e-4, rtol=1e-4)


def test_an_address_keeps_changes_exactly_and_nonsense_is_left_out(page):
    changes = text([each for several in CHANGES.values() for each in several][:5])
    assert page.eval(f"live.changes({json.dumps(changes)}).text") == changes
    nonsense = (
        "3.1.q.0.0.1_1.5.q.0.0.1_1.1.q.8.0.1_1.1.q.0.16.1_1.1.q.0.0_1.1.q.0.0.x_1.1.x.0.0.1_1.1.w.1.0.50.1.40_q_.._"
    )
    nonsense += "_1.1.w.1.0.200.1.-100_1.1.w.1.0.100_1.1.o.1.0.1_1.1.q.0.0.0.5_1.1.__proto__.0.0.1"
    assert page.eval(f"live.changes({json.dumps(nonsense)}).text") == ""
    assert page.eval(f"live.changes({json.dumps(nonsense + '_' + changes)}).text") == changes


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        ("2.3.s.6.0.100.5.200_2.3.w.6.0.100.1.0.2.0.3.0.4.0.5.0.6.0", '"q", 6], [[1, 50]]', "2.3.q.6.1.50"),
        ("2.3.s.6.0.100.5.200", '"k", 5], [[1, 50]]', "2.3.s.6.0.100_2.3.k.5.1.50"),
        ("2.3.w.6.0.100.1.0.2.0.3.0.4.0.5.0.6.0", '"s", 6], [[1, 50]]', "2.3.s.6.1.50"),
        ("2.3.w.5.0.100.1.0.2.0.3.0.4.0.5.0", '"q", 6], [[1, 50]]', "2.3.w.5.0.100.1.0.2.0.3.0.4.0.5.0_2.3.q.6.1.50"),
        ("2.3.w.6.0.100.1.0.2.0.3.0.4.0.5.0.6.0_2.3.q.6.1.50", '"v", 2], [[0, 5]]', None),
    ],
)
def test_what_is_set_by_hand_follows_what_it_is_computed_of(page, before, change, after):
    """A number that is dragged moves all behind it: what was set there by hand is let go. What is before it stays."""
    given = page.eval(f"live.changes({json.dumps(before)}).set([1, 2, {change}, 6).text")
    assert given == (after or f"{before}_2.3.v.2.0.5")


def test_the_figure_begins_with_the_head_that_the_plural_misses_most(page, trained):
    """After `sees` the grammar allows plural verbs and nothing else."""
    data = live_models.corpus(trained, [])
    sentence = SENTENCE.split()[:ASKS]
    page.eval(f"words = {json.dumps(data['source'])}; rules = {json.dumps(data['rules'])}")
    page.eval(f"words_read = {json.dumps(sentence)}")
    plural = {
        (layer, head): plural_without(trained, SENTENCE, [head], layer) for layer in range(2) for head in range(4)
    }
    assert tuple(json.loads(str(page.eval(BEGINS)))) == min(plural, key=plural.__getitem__)


def test_what_the_lesson_says_of_a_moved_weight_is_what_the_figure_shows(page, trained):
    words = ["<s>", *SENTENCE.split()]
    row = ".".join(f"{at}.{100 if word == 'dog' else 0}" for at, word in enumerate(words[: ASKS + 1]))
    chances = in_page(page, f"2.3.w.{ASKS}.{row}")["chances"][ASKS]
    plural = sum(chances[trained.text.encode(verb)[0]] for verb in PLURAL)
    assert plural == pytest.approx(plural_moved(trained, SENTENCE, 2, "dog"), abs=1e-5)
