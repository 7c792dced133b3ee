"""Tests of what the first chapter counts: words that survive, words in place, the parts of a notebook."""

from types import SimpleNamespace

import pytest

from book.encoder_decoder import figures
from book.notebook_parts import part_of, parts
from book.show import eighteen_words
from book.show.long_sentence import long_sentence
from lab.corpora import Pair

TESTS = [
    Pair("a b c", "the cat sees the dog"),
    Pair("a b", "no one"),
    Pair("d e f", "the dog sleeps"),
    Pair("g h i", "a bird and the fish sing"),
]
SEEDS = [  # what two trainings made of the four
    ["the the the the", "no one", "dog the", "a bird"],
    ["cat", "", "the cat sees", "sing fish the and bird a the"],
]


@pytest.fixture
def recorded(monkeypatch):
    """Four test sentences, and the outputs of two seeds."""
    seeds = [{"translations": {"test": {"greedy": each}}} for each in SEEDS]
    monkeypatch.setattr(figures, "outputs", lambda solution, run: seeds)
    corpus = SimpleNamespace(tests={"test": TESTS})
    monkeypatch.setattr(figures.corpora, "load", lambda name: corpus)


def test_a_word_survives_at_most_as_often_as_the_truth_has_it(recorded):
    survived = figures.survivors(3)
    assert survived.sentences == 3
    assert survived.words == (5 + 3 + 6) / 3
    assert survived.found == pytest.approx((2 + 2 + 2 + 1 + 1 + 6) / 6)


def test_by_chance_is_what_the_truth_of_another_sentence_of_the_length_would_give(recorded):
    one, two, three = 2, 1, 1  # cat–dog: the, dog; cat–fish: the; dog–fish: the
    assert figures.survivors(3).by_chance == pytest.approx(2 * (one + two + three) / 6)


def test_a_guess_that_the_results_no_longer_answer_so_is_an_error(monkeypatch):
    for found, is_right in ((16.2, True), (24.0, False), (5.0, False)):
        monkeypatch.setattr(figures, "survivors", lambda *_, found=found: SimpleNamespace(found=found))
        if is_right:
            assert "16 come out again" in figures.of_thirty()
        else:
            with pytest.raises(ValueError, match=f"about half of 30 words, but {found}"):
                figures.of_thirty()


@pytest.mark.parametrize(
    ("said", "short", "told"),
    [
        ("he is going to hit a pie next week , then he sleeps", "he hit me with a pie", ""),
        ("he is going to hit your sister next week , then a pie", "he hit me with a pie", "your sister is gone"),
        ("he is going to cry next week , then he sleeps", "he hit me with a pie", "a pie has come from nowhere"),
        ("next week a pie sleeps", "he hit me with a pie", "the frame is there"),
        ("he is going to hit a pie next week , then he sleeps", "he hit me", "the short sentence is right"),
    ],
)
def test_a_model_of_which_the_lesson_tells_another_thing_is_an_error(said, short, told):
    model = SimpleNamespace(translate=lambda sentences: [said, short][: len(sentences)])
    if not told:
        assert figures.as_told(model) == said
    else:
        with pytest.raises(ValueError, match=f"the first chapter says “{told}”, but its model now says"):
            figures.as_told(model)


def test_words_in_place_are_those_that_stand_in_the_order_of_the_truth():
    runs = eighteen_words.kept("he <b> me in pie".split(), "he hit me with a pie".split())
    assert runs == [("he", True), ("<b>", False), ("me", True), ("in", False), ("pie", True)]
    table = str(eighteen_words.strip("il", "he hit me with a pie", [("a <model>", "he <b> me in pie")]).data)
    assert "<strong>he</strong> &lt;b&gt; <strong>me</strong> in <strong>pie</strong>" in table
    assert ">3 of 6<" in table
    assert "a &lt;model&gt;" in table


def test_the_strip_has_a_row_for_each_model_in_the_order_of_the_book():
    models = {
        name: SimpleNamespace(translate=lambda sentences, name=name: [f"{name}-{len(sentences)}"])
        for name in ("transformer", "encoder_decoder")
    }
    table = str(eighteen_words.so_far(**models).data)
    places = [table.index(words) for words in (long_sentence().target, "encoder_decoder-1", "transformer-1")]
    assert places == sorted(places)
    with pytest.raises(LookupError, match="no chapter is called nobody: expected one of encoder_decoder"):
        eighteen_words.so_far(nobody=models["transformer"])


NOTEBOOK = """| part | minutes | difficulty | points |
|---|--:|---|---|
| 1 · `one` | 15 | easy | {points one} |
| 2 · `two`, `three` | 20 | easy to medium | {points two, three} |
| 3 · `four` | 45 | ★★ | {points four} |
| 4 · run it | 5 | just run it | none |
"""


def test_the_parts_of_a_notebook_are_those_that_earn_points(tmp_path):
    (tmp_path / "exercises" / "own").mkdir(parents=True)
    (tmp_path / "exercises" / "own" / "notebook.md").write_text(NOTEBOOK, encoding="utf-8")
    every = parts("own", tmp_path)
    assert [(part.number, part.minutes, part.is_bonus) for part in every] == [
        (1, 15, False),
        (2, 20, False),
        (3, 45, True),
    ]
    assert part_of("own", "three", tmp_path) == every[1]
    with pytest.raises(LookupError, match="asks for 'five': they ask for one, two, three, four"):
        part_of("own", "five", tmp_path)
