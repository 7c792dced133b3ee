"""What the chapter on additive attention counts: where weights point, how translations fail."""

import pytest

from book.bahdanau import figures as figures
from book.show import translation_errors
from lab.corpora import Pair

PAIR = Pair("le chat noir", "the black cat", frozenset({(0, 0), (2, 1), (1, 2)}))


@pytest.mark.parametrize(
    ("source", "place"), [(0, "right"), (2, "next"), (1, "elsewhere")], ids=["its own", "of the next", "of another"]
)
def test_a_link_of_the_points_to_its_own_source_or_to_that_of_a_neighbour(source, place):
    assert figures.places(PAIR, [(source, 0), (1, 2)], "the") == {place: 1}


def test_translation_errors_are_told_apart():
    assert translation_errors.repeats("a black black violin".split())
    assert not translation_errors.repeats("a black violin".split())
    twice = "he reads in the street in the street".split()
    assert translation_errors.has_pair_too_often(twice, "he reads in the street".split())
    assert not translation_errors.has_pair_too_often("he reads in the house".split(), "he reads in the street".split())
    assert translation_errors.is_part("i call him".split(), "i always call him back".split())
    assert not translation_errors.is_part("him i call".split(), "i call him".split())


def test_a_sentence_is_never_right_if_no_seed_has_it(monkeypatch):
    targets = [pair.target for pair in figures.corpora.load("phrasebook").tests["test"]]
    seeds = [["x", "x", *targets[2:]], ["x", *targets[1:]]]
    monkeypatch.setattr(
        figures, "outputs_of", lambda _: [{"translations": {"test": {"greedy": lines}}} for lines in seeds]
    )
    html = figures.never_right().data
    assert "every seed: 1 of 2,000" in html
    assert html.count("<tr") == 2
