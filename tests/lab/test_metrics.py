"""Tests of the scores: what must be perfect, what must not matter, and figures worked by hand or published."""

import random

import numpy as np
import pytest
import sacrebleu
import torch

from lab import metrics
from lab.corpora import sources
from lab.corpora.multi30k import TESTS, lines, references
from lab.evaluation import links as scoring

TEXT = "a man in an orange hat is riding his old bike down the long and empty street near two dogs"


WORDS = TEXT.split()


def sentences(seed: int, count: int = 60) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(4, 14))).capitalize() + "." for _ in range(count)]


def garbled(texts: list[str], seed: int = 7) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(word if draw.random() < 0.8 else draw.choice(WORDS) for word in text.split()) for text in texts]


def test_bleu_is_sacrebleus_own():
    texts, outputs = sentences(1), garbled(sentences(1))
    oracle = sacrebleu.BLEU()
    score = metrics.bleu(outputs, texts)
    assert score.value == pytest.approx(oracle.corpus_score(outputs, [texts]).score)
    assert score.signature == oracle.get_signature().format()
    assert "case:mixed" in score.signature
    assert "tok:13a" in score.signature


def test_cased_bleu_minds_case_and_tokenised_bleu_does_not():
    texts = sentences(2)
    shouted = [text.upper() for text in texts]
    assert metrics.bleu(shouted, texts).value < 20
    score = metrics.tokenised_bleu(shouted, [metrics.moses(text, "en") for text in texts], "en")
    assert (score.value, score.low, score.high) == pytest.approx((100, 100, 100))
    assert {"case:lc", "tok:none"} <= set(score.signature.split("|"))


def test_the_same_sentences_give_the_same_interval_and_more_sentences_a_narrower_one():
    texts, outputs = sentences(4, 400), garbled(sentences(4, 400))
    few, many = metrics.bleu(outputs[:50], texts[:50]), metrics.bleu(outputs, texts)
    assert metrics.bleu(outputs, texts) == many
    assert many.low < many.value < many.high
    assert many.high - many.low < (few.high - few.low) / 1.5


def test_the_interval_is_that_of_drawing_sentences_one_by_one():
    labels = [True] * 70 + [False] * 30
    score = metrics.accuracy([True] * 100, labels)
    draws = [np.mean(random.Random(seed).choices(labels, k=100)) for seed in range(2000)]
    assert score.value == 0.7
    assert (score.low, score.high) == pytest.approx(np.percentile(draws, [2.5, 97.5]), abs=0.02)


def test_bleu_by_length_splits_the_sentences_and_counts_them():
    texts, outputs = sentences(8), garbled(sentences(8))
    lengths = [len(text.split()) for text in texts]
    scores = metrics.bleu_by_length(outputs, texts, lengths, [(1, 3), (4, 8), (9, 14)])
    assert [(score.first, score.last) for score in scores] == [(4, 8), (9, 14)], "(1, 3) has no sentence"
    assert sum(score.score.count for score in scores) == len(texts)
    short = [i for i, length in enumerate(lengths) if length <= 8]
    assert scores[0].score == metrics.bleu([outputs[i] for i in short], [texts[i] for i in short])


def test_a_length_outside_the_buckets_or_in_two_of_them_is_refused():
    for buckets in ([(1, 2)], [(1, 3), (3, 5)]):
        with pytest.raises(ValueError, match=r"exactly one bucket.*: \[3\]"):
            metrics.bleu_by_length(["a b c"], ["a b c"], [3], buckets)


def test_what_cannot_be_scored_is_refused_with_both_numbers():
    with pytest.raises(ValueError, match="as many outputs as references; there are 1 and 2"):
        metrics.bleu(["a"], ["a", "b"])
    with pytest.raises(ValueError, match="at least one sentence"):
        metrics.bleu([], [])
    with pytest.raises(ValueError, match="as many predicted alignments as gold alignments"):
        scoring.aer([set()], [])


SURE = [{(0, 0), (1, 1)}, {(0, 1)}]
POSSIBLE = [{(2, 1)}, {(0, 1), (1, 0)}]


def test_alignment_scores_worked_by_hand():
    everything = [sure | possible for sure, possible in zip(SURE, POSSIBLE, strict=True)]
    for links in (SURE, everything):  # a possible link need not be found, and may be
        assert scoring.aer(links, SURE, POSSIBLE).value == 0
    assert (scoring.aer([set(), set()], SURE).value, scoring.aer([set()], [set()]).value) == (1, 0)
    predicted = [{(0, 0), (2, 1), (2, 2)}, {(1, 0)}]
    # |A| = 4, |S| = 3, A ∩ S = {(0, 0)}, A ∩ (S ∪ P) = {(0, 0), (2, 1)} and {(1, 0)}
    scores = scoring.alignment_scores(predicted, SURE, POSSIBLE)
    assert scores["aer"].value == pytest.approx(1 - (1 + 3) / (4 + 3))
    assert scores["precision"].value == pytest.approx(3 / 4)
    assert scores["recall"].value == pytest.approx(1 / 3)
    assert scoring.aer(predicted, SURE).value == pytest.approx(1 - (1 + 1) / (4 + 3))


WEIGHTS = [[0.6, 0.3, 0.1], [0.1, 0.1, 0.8], [0.4, 0.35, 0.25], [0.0, 0.1, 0.9]]  # 4 target words, 3 source words


@pytest.mark.parametrize("kind", [np.array, torch.tensor, lambda w: torch.tensor(w, requires_grad=True).bfloat16()])
def test_readings_give_source_first_and_target_second_and_leave_end_marks_out(kind):
    weights = kind(WEIGHTS)
    assert scoring.argmax_links(weights) == {(0, 0), (2, 1), (0, 2), (2, 3)}
    assert scoring.threshold_links(weights, 0.28) == {(0, 0), (1, 0), (2, 1), (0, 2), (1, 2), (2, 3)}
    assert scoring.argmax_links(weights, source_len=2, target_len=3) == {(0, 0), (0, 2)}
    assert scoring.threshold_links(weights, 0.5, source_len=2, target_len=3) == {(0, 0)}
    assert scoring.diagonal_links(9, 3) == {(0, 0), (4, 1), (8, 2)}
    assert scoring.diagonal_links(1, 3) == {(0, 0), (0, 1), (0, 2)}


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("split", ["validation", *TESTS])
def test_the_same_steps_on_the_raw_references_give_the_literatures(split, language):
    if not (sources.data_folder() / "multi30k" / "tok").is_dir():
        pytest.skip("the tokenised references of Multi30k are not in the data folder (ATTENTION_DATA)")
    score = metrics.tokenised_bleu(lines(split, language), references(split, language), language)
    assert score.value >= 99.5


def test_moses_is_the_perl_scripts_with_its_slips():
    assert metrics.moses("L'enfant, dit-il : «Un coup d’œil»!", "fr") == (
        "l&apos; enfant , dit-il : &quot; un coup d &quot; œil &quot; !"
    )
    assert metrics.moses("The man's hat (red).", "en") == "the man &apos;s hat ( red ) ."
