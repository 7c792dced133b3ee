"""Tests of the corpora with labels: evidence that is evidence, splits that share nothing, the official score."""

import gzip
import re
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lab import corpora, metrics
from lab.corpora import (
    CorpusError,
    Document,
    aspects,
    imdb,
    relations,
    reviews,
    roles,
    sources,
    sst,
    tired,
    two_facts,
    verdicts,
    votes,
)
from lab.corpora.markers import MARKERS, with_markers
from lab.text import word_vectors as vectors
from lab.text.tokenizers import Words

MADE = {
    "reviews": reviews,
    "aspects": aspects,
    "relations": relations,
    "verdicts": verdicts,
    "votes": votes,
    "tired": tired,
    "roles": roles,
    "two_facts": two_facts,
}


def words_at(document: Document, places: frozenset[tuple[int, int]] | None = None) -> list[str]:
    """Return the words at some places, or those that are the evidence."""
    return [document.sentences[s].split()[w] for s, w in sorted(places or document.evidence or ())]


def is_good(words: list[str]) -> bool:
    """Return whether an adjective, after what may turn it round, is praise."""
    *turns, adjective = words
    assert adjective in (*reviews.GOOD, *reviews.BAD)
    assert not turns or " ".join(turns) in reviews.TURNS
    return (adjective in reviews.GOOD) != bool(turns)


@pytest.mark.parametrize("name", MADE)
def test_a_made_corpus_is_the_same_each_time_of_any_size_and_in_balance(name: str) -> None:
    make = MADE[name].generate
    assert make(37, 5) == make(37, 5) != make(37, 6)
    assert make(37, 5) == make(90, 5)[:37]
    made = [document.label for document in make(52, 1)]
    counts = {label: made.count(label) for label in MADE[name].LABELS}
    assert max(counts.values()) - min(counts.values()) <= 1


@pytest.mark.parametrize("name", MADE)
def test_no_text_is_in_two_splits(name: str) -> None:
    corpus = corpora.load(name)
    parts = [set(corpus.train), set(corpus.validation), set(corpus.tests["test"])]
    assert sum(map(len, parts)) == len(set.union(*parts))
    assert [len(corpus.train), len(corpus.validation), len(corpus.tests["test"])] == list(MADE[name].SIZES.values())


@pytest.mark.parametrize("name", ["reviews", "votes", "aspects"])
def test_no_verdict_of_a_test_review_was_read_in_training(name: str) -> None:
    def judged(documents) -> set[str]:
        return {d.sentences[sentence] for d in documents for sentence, _ in d.evidence}

    corpus = corpora.load(name)
    assert not judged(corpus.train) & (judged(corpus.validation) | judged(corpus.tests["test"]))


def test_noun_adjective_and_size_together_say_what_it_is() -> None:
    sizes = {
        noun: size
        for of, _ in tired.KINDS.values()
        for size, nouns in zip(tired.LABELS, of, strict=True)
        for noun in nouns
    }
    corpus = tired.load()
    for document in tired.generate(200, 3):
        noun, adjective = tired.pair(document)
        [kind] = [name for name, (_, adjectives) in tired.KINDS.items() if adjective in adjectives]
        assert document.words.index(noun) == (1 if kind == "animal" else 6)
        assert sizes[noun] == document.label
    read = {tired.pair(document) for document in corpus.train}
    assert not read & {tired.pair(each) for part in (corpus.validation, corpus.tests["test"]) for each in part}


def test_no_pair_of_a_test_sentence_was_read_in_training() -> None:
    corpus = relations.load()
    pairs = {relations.marked(d) for d in corpus.train}
    assert not pairs & {relations.marked(d) for part in (corpus.validation, corpus.tests["test"]) for d in part}


def test_the_evidence_of_a_review_tells_its_label() -> None:
    for document in reviews.generate(400, 3):
        assert len({sentence for sentence, _ in document.evidence}) == 1
        assert document.label == reviews.LABELS[is_good(words_at(document))]


def test_most_verdicts_of_a_review_tell_its_label() -> None:
    against = set()
    for document in votes.generate(400, 3):
        of_sentences: dict[int, list[str]] = {}
        for sentence, word in sorted(document.evidence):
            of_sentences.setdefault(sentence, []).append(document.sentences[sentence].split()[word])
        good = [is_good(words) for words in of_sentences.values()]
        assert len(good) == votes.VOTES
        assert document.label == votes.LABELS[sum(good) > votes.VOTES / 2]
        against.add(min(sum(good), votes.VOTES - sum(good)))
    assert against == {0, 1}


def test_each_of_eight_verdicts_has_its_adjective() -> None:
    for document in verdicts.generate(300, 3):
        said = dict(each.split() for each in document.label.split(", "))
        assert set(said) == set(verdicts.THINGS) == {thing for thing, _ in document.aspects}
        for thing, places in document.aspects:
            ((_, word),) = places
            assert thing in document.words[word - 2 : word]
            assert said[thing] == verdicts.WORDS[document.words[word] in reviews.GOOD]
        assert document.evidence == frozenset().union(*(places for _, places in document.aspects))


def test_the_evidence_of_each_aspect_tells_its_half_of_the_label() -> None:
    for document in aspects.generate(400, 3):
        halves = dict(half.split() for half in document.label.split(", "))
        assert list(halves) == list(aspects.ASPECTS) == [aspect for aspect, _ in document.aspects]
        for aspect, places in document.aspects:
            assert halves[aspect] == aspects.WORDS[is_good(words_at(document, places))]
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


def test_the_evidence_of_a_relation_is_its_trigger_and_tells_the_direction() -> None:
    for document in relations.generate(400, 3):
        words, evidence = document.words, words_at(document)
        assert [word for word in words if word in MARKERS] == list(MARKERS)
        if document.label == relations.OTHER:
            assert not evidence
            continue
        name, way = document.label.rstrip(")").split("(")
        assert evidence[0] in relations.TRIGGERS[name]
        assert (evidence[1:] == ["by"]) == (way == "e2,e1")


def test_the_evidence_of_a_fact_names_who_and_whom() -> None:
    first = {"je", "j'", "me", "m'"}  # who misses somebody is the object in French
    for document in roles.generate(400, 3):
        said = {*words_at(document)}
        for person, names in {"i": first, "me": first, "you": {"vous"}}.items():
            assert (person in document.label.split(" → ")) <= bool(said & names), document


def test_of_two_facts_the_first_told_is_the_first_of_the_label() -> None:
    for document in two_facts.generate(200, 3):
        (_, first), (_, second) = document.aspects
        assert max(first) < min(second)
        assert document.evidence == first | second


def test_a_sentence_is_read_as_the_grammar_spells_it() -> None:
    assert roles.read("Il m’a entarté.") == ("il m' a entarté",)


def test_nominals_are_marked_by_words_of_their_own_and_an_error_shows_how() -> None:
    marked = "The <e1> old storm </e1> , is not <e2> it </e2> ?"
    assert with_markers("The <e1>old storm</e1>, isn't <e2>it</e2>?") == marked
    for text, got in (("the storm", "no markers"), ("<e2>a</e2> b <e1>c</e1>", "<e2> </e2> <e1> </e1>")):
        with pytest.raises(CorpusError, match=f"must be marked.*Got {got}"):
            with_markers(text)


def test_a_broken_file_is_an_error_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path))
    packed = gzip.compress(b"1 a fine film\n")
    names = ["sst/stsa.binary.train.gz", "imdb/train.tsv.xz", "imdb/AMLM.tar.gz", "glove/glove.6B.zip"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(packed[:-9])
    asked = [
        lambda: sst.documents("train"),
        lambda: imdb.table("train"),
        lambda: imdb.table("test"),  # made of the archive
        lambda: vectors.glove(Words(["a"]), 50),
    ]
    for name, ask in zip(names, asked, strict=True):
        with pytest.raises(CorpusError, match=re.escape(f"{name} ")):
            ask()
    (tmp_path / names[0]).write_bytes(packed)
    with pytest.raises(CorpusError, match="does not have the expected content"):
        sst.documents("train")


def test_glove_s_vectors_are_read_by_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path))
    (tmp_path / "glove").mkdir()
    numbers = {"é": torch.arange(50.0), "b": -torch.arange(50.0)}
    with zipfile.ZipFile(tmp_path / "glove/glove.6B.zip", "w") as archive:
        lines = (" ".join([word, *(f"{n:.1f}" for n in vector)]) for word, vector in numbers.items())
        archive.writestr("glove.6B.50d.txt", "\n".join(lines) + "\n")
    words = Words(["a", "é"])
    with pytest.raises(CorpusError, match=str(vectors.GLOVE.sha256)):
        vectors.glove(words, 50)
    monkeypatch.setattr(vectors, "GLOVE", replace(vectors.GLOVE, sha256=None))
    vectors_read, known = vectors.glove(words, 50)
    torch.testing.assert_close(vectors_read[words.index["é"]], numbers["é"])
    assert known.tolist() == [word == "é" for word in words.index]
    assert not vectors_read[~known].any()


CLASSES = {"A(e1,e2)": "A", "A(e2,e1)": "A", "B(e1,e2)": "B", "B(e2,e1)": "B", "Other": None}


def f1(predicted: list[str], gold: list[str]) -> float:
    return metrics.macro_f1(predicted, gold, CLASSES).value


def test_the_official_score_is_that_counted_by_hand() -> None:
    gold = ["A(e1,e2)", "A(e2,e1)", "B(e1,e2)", "Other", "Other"]
    assert f1(gold, gold) == 1
    # A wrong direction is wrong: A has 1 right of 2 said and 2 gold, F1 = 1/2; B is right.
    assert f1(["A(e1,e2)", "A(e1,e2)", "B(e1,e2)", "Other", "Other"], gold) == pytest.approx((1 / 2 + 1) / 2)
    # Other said of an A: recall 1/2, precision 1, F1 = 2/3. An A said of Other: precision of A 2/3, recall 1.
    assert f1(["Other", "A(e2,e1)", "B(e1,e2)", "Other", "Other"], gold) == pytest.approx((2 / 3 + 1) / 2)
    assert f1(["A(e1,e2)", "A(e2,e1)", "B(e1,e2)", "A(e1,e2)", "Other"], gold) == pytest.approx((4 / 5 + 1) / 2)
    # Other itself is not counted: two Others more that are right change nothing.
    assert f1([*gold, "Other"], [*gold, "Other"]) == 1
    # Nothing but Other is said: no class is found.
    assert f1(["Other"] * 5, gold) == 0


REAL = {"sst": (6920, 872, 1821), "semeval2010": (7200, 800, 2717)}


@pytest.mark.parametrize("name", REAL)
def test_a_real_corpus_has_the_published_sizes(name: str) -> None:
    if not any((sources.data_folder() / name).glob("*")):
        pytest.skip(f"{name} is not in the data folder (ATTENTION_DATA)")
    corpus = corpora.load(name)
    assert (len(corpus.train), len(corpus.validation), len(corpus.tests["test"])) == REAL[name]
    assert {document.label for document in corpus.train} == set(corpus.labels)
