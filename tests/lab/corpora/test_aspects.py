"""Tests of the reviews with two verdicts: evidence for each, no verdict in two splits, and words alone say little."""

from collections import Counter

import pytest

from lab.corpora import Document, aspects, reviews


def evidence_words(document: Document, places: frozenset[tuple[int, int]]) -> list[str]:
    return [document.sentences[s].split()[w] for s, w in sorted(places)]


def verdicts(documents) -> set[str]:
    return {document.sentences[s] for document in documents for s, _ in document.evidence}


def test_the_evidence_of_each_aspect_tells_its_half_of_the_label() -> None:
    for document in aspects.generate(400, 3):
        halves = dict(half.split() for half in document.label.split(", "))
        assert list(halves) == list(aspects.ASPECTS) == [aspect for aspect, _ in document.aspects]
        for aspect, places in document.aspects:
            *turns, adjective = evidence_words(document, places)
            assert adjective in (*reviews.GOOD, *reviews.BAD)
            assert not turns or " ".join(turns) in reviews.TURNS
            assert halves[aspect] == aspects.WORDS[(adjective in reviews.GOOD) != bool(turns)]


def test_the_evidence_is_that_of_both_aspects_and_no_word_is_of_both() -> None:
    for document in aspects.generate(100, 4):
        (_, music), (_, acting) = document.aspects
        assert music
        assert acting
        assert not music & acting
        assert document.evidence == music | acting


def test_an_aspect_s_verdict_stands_in_a_sentence_that_names_it() -> None:
    for document in aspects.generate(200, 5):
        for aspect, places in document.aspects:
            (number,) = {sentence for sentence, _ in places}
            assert any(name in document.sentences[number] for name in aspects.ASPECTS[aspect])


def test_the_aspects_stand_in_either_order_and_together_or_apart() -> None:
    documents = aspects.generate(400, 6)
    first = Counter(min(document.evidence) in dict(document.aspects)["music"] for document in documents)
    together = Counter(len({sentence for sentence, _ in document.evidence}) for document in documents)
    assert min(first.values()) > 100
    assert set(together) == {1, 2}
    assert min(together.values()) > 100


def test_the_texts_have_the_lengths_that_are_promised() -> None:
    lengths = [len(document.words) for document in aspects.generate(400, 7)]
    assert min(lengths) >= aspects.SHORTEST
    assert max(lengths) <= aspects.LONGEST


def test_no_verdict_of_a_test_review_was_read_in_training() -> None:
    corpus = aspects.load()
    assert not verdicts(corpus.train) & (verdicts(corpus.validation) | verdicts(corpus.tests["test"]))


def test_the_labels_are_in_balance_in_every_split() -> None:
    corpus = aspects.load()
    for part in (corpus.train, corpus.validation, corpus.tests["test"]):
        assert set(Counter(document.label for document in part).values()) == {len(part) // len(aspects.LABELS)}


@pytest.mark.slow
def test_words_and_pairs_of_words_say_little() -> None:
    from lab.evaluation import linear_baseline  # late, for scikit-learn takes long to import

    corpus = aspects.load()
    predicted = linear_baseline.fit(corpus).classify(corpus.tests["test"])
    right = [label == document.label for label, document in zip(predicted, corpus.tests["test"], strict=True)]
    assert 0.25 < sum(right) / len(right) < 0.5  # a guess has 0.25
