"""Tests of what the chapter on structured self-attention measures."""

import torch

from book.structured.figures import evidence_shares
from lab.corpora import Document
from lab.kinds.classification import TextWeights
from solutions.structured.watched import overlap, short_reviews


def test_what_two_hops_share():
    one, other = torch.tensor([1.0, 0, 0]), torch.tensor([0, 0.5, 0.5])
    assert overlap(torch.stack([one, one, one])[None]) == 1
    assert overlap(torch.stack([one, other])[None]) == 0
    assert overlap(torch.stack([other, other])[None]) == 0.5
    # three pairs: one shares everything, two share nothing
    torch.testing.assert_close(overlap(torch.stack([one, one, other])[None]), 1 / 3)
    assert overlap(torch.stack([torch.stack([one, one]), torch.stack([one, other])])) == 0.5


def test_the_short_reviews_keep_the_splits_apart():
    corpus = short_reviews()
    assert all(1 <= len(document.sentences) <= 3 for document in corpus.train)
    train = {document.sentences for document in corpus.train}
    assert not [document for document in corpus.validation if document.sentences in train]


class Looking:
    """Looks where it is told to."""

    def __init__(self, weights):
        self.weights = weights

    def attention_weights(self, texts):
        return [TextWeights(torch.tensor(self.weights)) for _ in texts]


def test_the_share_of_the_evidence_is_counted_for_each_hop():
    documents = [Document(("it was", "good"), "positive", frozenset({(1, 0)}))]
    model = Looking([[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]])
    shares = evidence_shares({"invented": model}, documents).data  # type: ignore[arg-type]
    assert "<td>25.0</td><td>100.0</td><td>100.0</td>" in shares
    assert shares.count("<td>33.3</td>") == 3
