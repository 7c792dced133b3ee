"""Tests of what the chapter on pooling measures: erased words, changed weights, and the tables of labelled corpora."""

import json

import numpy as np
import pytest
import torch

from book import tables
from book.figures_pooling import RULES, agreement, equal, hierarchy_with, learned, pool_with, shuffled, without
from book.tables import classified
from lab.classification import TextWeights
from lab.corpora import Document, reviews
from lab.evaluation.classification_results import gold
from solutions.pooling.attention import attention_pool, hierarchical_attention

REVIEW = Document(("we went there .", "it was far from good ."), "negative", frozenset({(1, 2), (1, 3), (1, 4)}))
MASK = torch.arange(6) < torch.tensor([6, 1, 4, 0])[:, None]


def weights() -> torch.Tensor:
    return torch.rand(MASK.shape, generator=torch.Generator().manual_seed(1)) * MASK


def test_what_is_erased_is_gone_and_nothing_else() -> None:
    assert without(REVIEW, np.array([0, 4, 9])) == ("went there .", "was far from good")
    assert without(REVIEW, np.arange(4)) == ("", "it was far from good .")


@pytest.mark.parametrize("name", RULES)
def test_every_rule_erases_as_many_words_as_decide(name) -> None:
    marked, rng = gold(REVIEW).bool().numpy(), np.random.default_rng(1)
    row = np.linspace(1, 0, len(marked))
    gone = RULES[name](row, marked, rng)
    assert len(set(gone.tolist())) == 3
    assert all(0 <= place < len(marked) for place in gone)
    if "most weight" in name:
        assert gone.tolist() == [0, 1, 2]
    if "gold" in name:
        assert without(REVIEW, gone) == ("we went there .", "it was .")


def test_shuffled_weights_are_the_same_weights_elsewhere_in_their_row() -> None:
    torch.manual_seed(1)
    before, after = weights(), shuffled(weights(), MASK)
    assert (after[~MASK] == 0).all()
    assert torch.equal(before.sort(dim=-1).values, after.sort(dim=-1).values)
    assert not torch.equal(before, after)


def test_equal_weights_are_equal_and_none_for_padding() -> None:
    expected = MASK / MASK.sum(dim=-1, keepdim=True).clamp(min=1)
    torch.testing.assert_close(equal(weights(), MASK), expected)


def test_a_model_given_its_own_weights_is_as_it_was() -> None:
    generator = torch.Generator().manual_seed(1)
    H, w = torch.randn(4, 6, 5, generator=generator), torch.randn(5, generator=generator)
    torch.testing.assert_close(pool_with(learned)(H, w, MASK), attention_pool(H, w, MASK))
    nested = torch.randn(2, 3, 6, 5, generator=generator)
    level = [torch.randn(*shape, generator=generator) for shape in ((7, 5), (7,), (7,)) * 2]
    mask = torch.stack([MASK[:3], MASK[1:]])

    def encoder(vectors, filled):
        return torch.tanh(vectors) * filled[..., None]

    torch.testing.assert_close(
        hierarchy_with(learned, learned)(nested, *level, mask, encoder),
        hierarchical_attention(nested, *level, mask, encoder),
    )


def kept(value: float) -> dict:
    return {"value": value, "low": value - 0.01, "high": value + 0.01}


def test_a_table_of_a_labelled_corpus_shows_model_peer_and_baseline(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    assert classified("reviews", {"HAN": "pooling"}).data.count(tables.MISSING) > 2
    folder = tmp_path / "solutions" / "pooling" / "results"
    folder.mkdir(parents=True)
    peer = {"system": "Somebody", "score": 95.0, "scale": "accuracy"}
    runs = {
        "small_han": ({"accuracy": kept(0.98), "evidence": kept(0.4)}, [peer]),
        "linear": ({"accuracy": kept(0.6)}, []),
    }
    for recipe, (scores, peers) in runs.items():
        content = {"scores": {"test": scores}, "peers": peers, "training": {"ended_by_budget": False}}
        (folder / f"reviews-{recipe}-seed1.json").write_text(json.dumps(content))
    html = classified("reviews", {"HAN": "pooling"}).data
    for text in ("98.0 [97.0, 99.0]", "40.0 [39.0, 41.0]", "60.0 [59.0, 61.0]", "Somebody (accuracy)", "95.0"):
        assert text in html
    assert tables.MISSING not in html


class Told:
    """A model with given labels and weights."""

    def __init__(self, label: str, weights: list[float]) -> None:
        self.label, self.weights = label, torch.tensor([weights])

    def classify(self, texts):
        return [self.label for _ in texts]

    def attention_weights(self, texts):
        return [TextWeights(self.weights) for _ in texts]


def test_two_models_can_agree_in_the_label_and_look_elsewhere() -> None:
    one, two = Told("negative", [0.1, 0.9]), Told("negative", [0.8, 0.2])
    for other, expected in ((one, ("100.0", "100.0", "100.0")), (two, ("100.0", "0.0", "30.0"))):
        html = agreement(one, other, [REVIEW], "").data
        assert tuple(cell for cell in ("100.0", "0.0", "30.0") if f"<td>{cell}</td>" in html) == tuple(
            dict.fromkeys(expected)
        )


def test_short_reviews_are_short_and_share_no_verdict_with_the_long_ones() -> None:
    texts = reviews.short()
    assert {len(document.sentences) for document in texts.train} == {1, 2, 3}

    def verdicts(documents):
        return {document.sentences[min(document.evidence)[0]] for document in documents}

    assert not verdicts(texts.train) & verdicts(texts.tests["test"])
    assert not verdicts(texts.train) & verdicts(texts.validation)
