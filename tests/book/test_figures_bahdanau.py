"""What the chapters on additive and local attention count: where weights point, how translations fail, who aims."""

import pytest

from book.bahdanau import figures as figures
from book.bahdanau import links
from book.luong import windows
from book.show import translation_errors
from book.show.quoting import listed
from lab.corpora import Pair

PAIR = Pair("le chat noir", "the black cat", frozenset({(0, 0), (2, 1), (1, 2)}))


@pytest.mark.parametrize(
    ("source", "place"), [(0, "right"), (2, "next"), (1, "elsewhere")], ids=["its own", "of the next", "of another"]
)
def test_a_link_of_the_points_to_its_own_source_or_to_that_of_a_neighbour(source, place):
    assert figures.places(PAIR, [(source, 0), (1, 2)], "the") == {place: 1}


def test_translation_errors_are_told_apart():
    assert translation_errors.has_repeats("a black black violin".split())
    assert not translation_errors.has_repeats("a black violin".split())
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


def test_links_of_all_words_are_counted_together():
    assert figures.places(PAIR, [(0, 0), (2, 1), (2, 2)]) == {"right": 2, "previous": 1}


@pytest.mark.parametrize(
    ("better", "higher", "is_told"),
    [([0.1, 0.2], [97, 98], True), ([0.1, 0.31], [97, 98], False), ([0.1, 0.2], [95, 98], False)],
)
def test_the_bet_is_paid_only_where_no_seed_of_one_order_is_as_good_as_one_of_the_other(
    monkeypatch, better, higher, is_told
):
    scores = {("", "AER"): [0.3, 0.4], ("after", "AER"): better, ("", "BLEU"): [94, 96], ("after", "BLEU"): higher}
    monkeypatch.setattr(figures, "values", lambda _, __, variant, column: scores[variant, column.heading.split()[0]])
    if is_told:
        assert "both scores are better" in figures.both_better()
    else:
        with pytest.raises(ValueError, match="every seed"):
            figures.both_better()


@pytest.mark.parametrize(
    ("wide", "is_told"), [([(40, 94), (41, 95)], True), ([(58, 94), (41, 95)], False), ([(40, 80), (41, 95)], False)]
)
def test_the_window_s_bet_is_paid_only_where_aim_and_bleu_part(monkeypatch, wide, is_told):
    monkeypatch.setattr(windows, "aims", lambda: {"narrow": [(56, 77), (57, 78)], "wide": wide})
    if is_told:
        assert "far worse" in windows.worse_aim_wins()
    else:
        with pytest.raises(ValueError, match="D = 2 aims better"):
            windows.worse_aim_wins()


def test_the_links_of_one_sentence_are_counted_and_drawn():
    ours = frozenset({(0, 0), (2, 1), (2, 2)})
    numbers = {"ours": "3", "right": "2", "gold": "3", "missing": "1", "aer": "0.33"}
    assert links.quoted(PAIR, ours) == numbers
    html = links.links_drawing(PAIR, ours)._repr_html_()
    assert "missing: chat to cat" in html
    assert html.count("<line") == 4


def test_what_seeds_have_is_listed():
    assert listed([13, 27, 18]) == "13, 27 and 18"
