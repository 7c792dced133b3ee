"""Tests of what the chapter on structured self-attention measures."""

import json

import torch

from book import tables
from book.experiments import ACCURACY
from book.figures_structured import (
    COSINE,
    aspect_table,
    drawn,
    evidence_shares,
    hops_and_penalties,
    made_reviews,
    overlap,
    short_reviews,
)
from book.tables import MISSING
from lab.classification import TextWeights
from lab.corpora import Document


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


def test_a_table_shows_only_what_has_been_run():
    html = made_reviews("no-such-run").data
    assert MISSING not in html
    assert "hops" not in html.split("<tbody>")[1]


def test_a_picture_of_hops_and_penalties_shows_means_and_reach_of_what_is_there():
    accuracy = {(1, "free"): [50.0, 54.0], (2, "free"): [98.0], (2, "full"): [40.0]}
    picture = drawn({ACCURACY: accuracy, COSINE: {(2, "free"): [0.5]}})
    assert "accuracy, %, λ = 0, by hops 1: 52.0, 2: 98.0" in picture.alt
    assert "λ = 1, by hops 2: 40.0" in picture.alt
    assert "λ = 0.03" not in picture.alt


def share(value):
    return {"value": value, "low": value, "high": value}


def test_the_share_of_each_aspect_is_the_mean_of_the_seeds(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    assert hops_and_penalties().data == aspect_table().data == ""
    folder = tmp_path / "solutions" / "structured" / "results"
    folder.mkdir(parents=True)
    for seed, most in ((1, 0.5), (2, 0.7)):
        aspects = [
            {"aspect": name, "evidence": share(0.2), "hops": [share(most), share(0.1)]} for name in ("music", "acting")
        ]
        content = {"scores": {"test": {"accuracy": share(0.9), "aspects": aspects}}}
        (folder / f"aspects-small-hops-2-free-seed{seed}.json").write_text(json.dumps(content))
    html = aspect_table().data
    assert html.count("<td>20.0 (best hop 60.0)</td>") == 2
    assert "2 hops, λ = 0<" in html
    assert "1 hop" not in html
    assert "accuracy, %, λ = 0, by hops 2: 90.0" in hops_and_penalties().alt
