"""Tests of what is kept of a classifier's hops: entropy, how alike they are, and each aspect's share of the weight."""

import pytest
import torch

from lab.corpora import Document, Labelled
from lab.evaluation.classification_results import evidence_shares, score
from lab.evaluation.hops import hop_measures
from lab.evaluation.result_files import read_json, write_json
from lab.kinds.classification import TextWeights

TEXT = Document(
    ("good music", "bad cast"),
    "music good, acting bad",
    frozenset({(0, 0), (1, 0)}),
    (("music", frozenset({(0, 0)})), ("acting", frozenset({(1, 0)}))),
)
SPREAD = [0.25] * 4
ON_MUSIC, ON_ACTING = [1.0, 0, 0, 0], [0, 0, 1.0, 0]


def looks(*rows: list[float]) -> TextWeights:
    return TextWeights(torch.tensor(rows))


@pytest.mark.parametrize(
    ("rows", "cosine", "overlap"),
    [
        ((ON_MUSIC, ON_MUSIC), 1, 1),
        ((ON_MUSIC, ON_ACTING), 0, 0),
        ((SPREAD, SPREAD), 1, 1 / 16),
        ((ON_MUSIC, SPREAD), 1 / 2, 1 / 16),
        ((ON_MUSIC, ON_MUSIC, ON_ACTING), 1 / 3, 1 / 3),
    ],
)
def test_how_alike_hops_are_counted_by_hand(rows, cosine, overlap) -> None:
    (row,) = hop_measures([looks(*rows)])
    assert (row["cosine"], row["overlap"]) == pytest.approx((cosine, overlap), abs=1e-4)


def test_each_aspect_has_its_own_share_of_each_hop() -> None:
    (row,) = evidence_shares([looks(ON_MUSIC, SPREAD)], [TEXT])
    assert row["share"] == [1, 0.5]
    assert row["aspects"] == {"music": [1, 0.25], "acting": [0, 0.25]}


def test_a_result_with_hops_and_one_without_are_scored_from_what_was_kept(tmp_path) -> None:
    corpus = Labelled("aspects", (TEXT.label,), [TEXT], [TEXT], {"test": [TEXT, TEXT]})
    weights = [looks(ON_MUSIC, SPREAD), looks(ON_MUSIC, ON_ACTING)]
    earlier = {"labels": {"test": [TEXT.label] * 2}, "looks": {"test": evidence_shares(weights, [TEXT, TEXT])}}
    outputs = earlier | {"hops": {"test": hop_measures(weights)}}
    write_json(tmp_path / "outputs.json.gz", outputs)
    scores = score(read_json(tmp_path / "outputs.json.gz"), corpus)["test"]
    music, acting = scores["aspects"]
    assert (music["aspect"], acting["aspect"]) == ("music", "acting")
    assert [hop["value"] for hop in music["hops"]] == [1, 0.125]
    assert acting["evidence"]["value"] == pytest.approx((0.125 + 0.5) / 2)
    assert scores["cosine"]["value"] == pytest.approx(1 / 4)
    assert not {"entropy", "cosine", "overlap"} & set(score(earlier, corpus)["test"])
