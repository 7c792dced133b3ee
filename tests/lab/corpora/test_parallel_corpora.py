"""Tests of Tatoeba and the Hansards: nothing that is tested on was trained on, and links mean what annotators said."""

import itertools
import random
from collections.abc import Sequence

import pytest

from book.luong import figures as variants
from lab import corpora
from lab.corpora import CorpusError, Pair, hansards, sources, tatoeba
from lab.evaluation import alignment
from lab.evaluation import links as scoring

CHAIN = [
    Pair("Go!", "Va !"),
    Pair("Leave.", "Va !"),
    Pair("leave", "Partez."),
    Pair("Get out!", "Partez !"),
    Pair("I am tall.", "Je suis grand."),
]


def keys(pairs: Sequence[Pair], side: str) -> set[str]:
    return {tatoeba.sentence_key(getattr(pair, side)) for pair in pairs}


def test_pairs_that_repeat_a_sentence_are_one_group_however_long_the_chain() -> None:
    for order in itertools.permutations(CHAIN):
        groups = {frozenset(group) for group in tatoeba.grouped(order)}
        assert groups == {frozenset(CHAIN[:4]), frozenset(CHAIN[4:])}


def test_the_parts_share_no_sentence_and_leave_no_group_out() -> None:
    rng = random.Random(1)
    pairs = [Pair(f"s{rng.randrange(20_000)}.", f"t{rng.randrange(20_000)} !") for _ in range(6000)]
    train, held_out = tatoeba.split(pairs)
    parts = [train, held_out["validation"], held_out["test"]]
    for first, second in itertools.combinations(parts, 2):
        for side in ("source", "target"):
            assert not keys(first, side) & keys(second, side)
    assert [len(part) for part in parts[1:]] == [1000, 2000]
    assert len(tatoeba.grouped(train)) == len(tatoeba.grouped(pairs)) - 3000


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("fr", "L’avis du ministre, aux États.", "le avis de le ministre , à les états ."),
        ("fr", "Quelqu'un qu'il n'a pas vu aujourd'hui ?", "quelque un que il ne a pas vu aujourd' hui ?"),
        ("fr", "Y a-t-il des gens au pays ?", "y a - t - il de les gens à le pays ?"),
        ("en", "Mr. Speaker, I can't; it's Tom's 1,000th.", "mr. speaker , i cannot ; it is tom 's 1,000 th ."),
        ("en", "We're sure they won't.", "we are sure they will not ."),
    ],
)
def test_text_is_written_as_the_test_set_is(language: str, text: str, words: str) -> None:
    assert hansards.tokenise(text, language) == words
    assert hansards.tokenise(words, language) == words


def test_a_line_of_gold_is_read_from_one_with_sure_links_among_the_possible() -> None:
    pair = hansards.pair("Mr. Speaker , no  ||| monsieur le Orateur , non  ", "1-1 2-3 2p2 4-5 3-4")
    assert pair == Pair(
        "mr. speaker , no",
        "monsieur le orateur , non",
        frozenset({(0, 0), (1, 2), (3, 4), (2, 3)}),
        frozenset({(0, 0), (1, 2), (3, 4), (2, 3), (1, 1)}),
    )
    back = pair.turned
    assert (1, 1) in (back.possible or ()) - (back.links or frozenset())
    assert (2, 1) in (back.links or ())
    with pytest.raises(CorpusError, match="links words that"):
        hansards.pair("no ||| non merci", "2-1")


def test_the_real_tatoeba_is_split_without_a_common_sentence() -> None:
    if not (sources.data_folder() / "tatoeba" / "fra-eng.zip").is_file():
        pytest.skip("Tatoeba is not in the data folder (ATTENTION_DATA)")
    corpus = corpora.load("tatoeba")
    assert [len(corpus.train), len(corpus.validation), len(corpus.tests["test"])] == [162622, 1000, 2000]
    for side in ("source", "target"):
        parts = [keys(part, side) for part in (corpus.train, corpus.validation, corpus.tests["test"])]
        assert len(set().union(*parts)) == sum(map(len, parts))


def test_the_real_hansards_have_the_published_counts() -> None:
    if not (sources.data_folder() / "hansards" / "enfr.gold").is_file():
        pytest.skip("the Hansards are not in the data folder (ATTENTION_DATA)")
    pairs = hansards.sentences()
    sure, possible = alignment.gold(pairs)
    assert [len(pairs), sum(map(len, sure)), sum(map(len, possible))] == [447, 4038, 17438]
    assert all(s <= p for s, p in zip(sure, possible, strict=True))
    diagonal = [scoring.diagonal_links(len(pair.source.split()), len(pair.target.split())) for pair in pairs]
    assert scoring.aer(diagonal, sure, possible).value == pytest.approx(variants.DIAGONAL[-1], abs=5e-4)
