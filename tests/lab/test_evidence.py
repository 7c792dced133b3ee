"""Tests of what the chapter on pooling measures: erased words, changed weights, and the tables of labelled corpora."""

import numpy as np
import pytest
import torch

from book.pooling.figures import RULES, hierarchy_with, learned, pool_with, shuffled, without
from lab.corpora import Document, reviews
from lab.evaluation.classification_results import gold
from solutions.pooling.attention import attention_pool, hierarchical_attention

REVIEW = Document(("we went there .", "it was far from good ."), "negative", frozenset({(1, 2), (1, 3), (1, 4)}))
MASK = torch.arange(6) < torch.tensor([6, 1, 4, 0])[:, None]


def weights() -> torch.Tensor:
    return torch.rand(MASK.shape, generator=torch.Generator().manual_seed(1)) * MASK


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


def test_short_reviews_are_short_and_share_no_verdict_with_the_long_ones() -> None:
    texts = reviews.short()
    assert {len(document.sentences) for document in texts.train} == {1, 2, 3}

    def verdicts(documents):
        return {document.sentences[min(document.evidence)[0]] for document in documents}

    assert not verdicts(texts.train) & verdicts(texts.tests["test"])
    assert not verdicts(texts.train) & verdicts(texts.validation)
