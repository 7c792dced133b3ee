"""Tests of the reviews with two verdicts: evidence for each, no verdict in two splits, and words alone say little."""

from collections import Counter

import pytest

from lab.corpora import Document, aspects, reviews


def evidence_words(document: Document, places: frozenset[tuple[int, int]]) -> list[str]:
    return [document.sentences[s].split()[w] for s, w in sorted(places)]


def test_the_evidence_of_each_aspect_tells_its_half_of_the_label() -> None:
    for document in aspects.generate(400, 3):
        halves = dict(half.split() for half in document.label.split(", "))
        assert list(halves) == list(aspects.ASPECTS) == [aspect for aspect, _ in document.aspects]
        for aspect, places in document.aspects:
            *turns, adjective = evidence_words(document, places)
            assert adjective in (*reviews.GOOD, *reviews.BAD)
            assert not turns or " ".join(turns) in reviews.TURNS
            assert halves[aspect] == aspects.WORDS[(adjective in reviews.GOOD) != bool(turns)]
            [number] = {sentence for sentence, _ in places}
            assert any(name in document.sentences[number] for name in aspects.ASPECTS[aspect])
        (_, music), (_, acting) = document.aspects
        assert not music & acting
        assert document.evidence == music | acting


def test_the_aspects_stand_in_either_order_and_together_or_apart() -> None:
    documents = aspects.generate(400, 6)
    first = Counter(min(document.evidence) in dict(document.aspects)["music"] for document in documents)
    together = Counter(len({sentence for sentence, _ in document.evidence}) for document in documents)
    assert min(first.values()) > 100
    assert set(together) == {1, 2}
    assert min(together.values()) > 100


@pytest.mark.slow
def test_words_and_pairs_of_words_say_little() -> None:
    from lab.evaluation import linear_baseline  # late, for scikit-learn takes long to import

    corpus = aspects.load()
    predicted = linear_baseline.fit(corpus).classify(corpus.tests["test"])
    right = [label == document.label for label, document in zip(predicted, corpus.tests["test"], strict=True)]
    assert 0.25 < sum(right) / len(right) < 0.5  # a guess has 0.25
