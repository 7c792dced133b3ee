"""Tests of the scores: what must be perfect, what must not matter, and figures worked by hand or published."""

import random
import re
from pathlib import Path

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


def test_references_against_themselves_are_perfect():
    texts = sentences(1)
    score = metrics.bleu(texts, texts)
    assert (score.value, score.low, score.high) == pytest.approx((100, 100, 100))
    assert score.count == len(texts)
    tokenised = [metrics.moses(text, "en") for text in texts]
    assert metrics.tokenised_bleu(texts, tokenised, "en").value == pytest.approx(100)


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
    assert score.value == pytest.approx(100)
    assert "case:lc" in score.signature
    assert "tok:none" in score.signature


def test_the_order_of_the_sentences_does_not_matter():
    texts, outputs = sentences(3), garbled(sentences(3))
    order = random.Random(0).sample(range(len(texts)), len(texts))
    shuffled = metrics.bleu([outputs[i] for i in order], [texts[i] for i in order])
    assert shuffled.value == pytest.approx(metrics.bleu(outputs, texts).value)


def test_the_same_sentences_give_the_same_interval_and_more_sentences_a_narrower_one():
    texts, outputs = sentences(4, 400), garbled(sentences(4, 400))
    few, many = metrics.bleu(outputs[:50], texts[:50]), metrics.bleu(outputs, texts)
    assert metrics.bleu(outputs, texts) == many
    assert many.low < many.value < many.high
    assert many.high - many.low < (few.high - few.low) / 1.5


@pytest.mark.parametrize("count", [1, 2, 5, 60])
def test_the_interval_holds_the_score(count):
    for seed in range(5):
        texts = sentences(seed, count)
        score = metrics.bleu(garbled(texts), texts)
        assert score.low <= score.value <= score.high


def test_the_interval_is_that_of_drawing_sentences_one_by_one():
    labels = [True] * 70 + [False] * 30
    score = metrics.accuracy([True] * 100, labels)
    draws = [np.mean(random.Random(seed).choices(labels, k=100)) for seed in range(2000)]
    assert score.value == 0.7
    assert (score.low, score.high) == pytest.approx(np.percentile(draws, [2.5, 97.5]), abs=0.02)


def test_empty_outputs_score_zero():
    score = metrics.bleu([""] * 3, sentences(6, 3))
    assert (score.value, score.low, score.high) == (0, 0, 0)


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


def test_gold_has_no_alignment_error():
    assert scoring.aer(SURE, SURE).value == 0
    assert scoring.aer(SURE, SURE, POSSIBLE).value == 0, "a possible link need not be found"
    everything = [sure | possible for sure, possible in zip(SURE, POSSIBLE, strict=True)]
    assert scoring.aer(everything, SURE, POSSIBLE).value == 0, "a possible link may be found"


def test_alignment_scores_worked_by_hand():
    predicted = [{(0, 0), (2, 1), (2, 2)}, {(1, 0)}]
    # |A| = 4, |S| = 3, A ∩ S = {(0, 0)}, A ∩ (S ∪ P) = {(0, 0), (2, 1)} and {(1, 0)}
    scores = scoring.alignment_scores(predicted, SURE, POSSIBLE)
    assert scores["aer"].value == pytest.approx(1 - (1 + 3) / (4 + 3))
    assert scores["precision"].value == pytest.approx(3 / 4)
    assert scores["recall"].value == pytest.approx(1 / 3)
    assert scoring.aer(predicted, SURE).value == pytest.approx(1 - (1 + 1) / (4 + 3))


def test_without_possible_links_prediction_and_gold_may_change_places():
    predicted = [{(0, 0), (2, 1), (2, 2)}, {(0, 1)}]
    assert scoring.aer(predicted, SURE).value == scoring.aer(SURE, predicted).value == pytest.approx(1 - 2 * 2 / 7)
    there, back = scoring.alignment_scores(predicted, SURE), scoring.alignment_scores(SURE, predicted)
    assert there["precision"].value == back["recall"].value


def test_an_empty_prediction_is_all_wrong_unless_there_was_nothing_to_find():
    assert scoring.aer([set(), set()], SURE).value == 1
    assert scoring.aer([set()], [set()]).value == 0


WEIGHTS = [[0.6, 0.3, 0.1], [0.1, 0.1, 0.8], [0.4, 0.35, 0.25], [0.0, 0.1, 0.9]]  # 4 target words, 3 source words


@pytest.mark.parametrize("kind", [np.array, torch.tensor, lambda w: torch.tensor(w, requires_grad=True).bfloat16()])
def test_readings_give_source_first_and_target_second(kind):
    assert scoring.argmax_links(kind(WEIGHTS)) == {(0, 0), (2, 1), (0, 2), (2, 3)}
    assert scoring.threshold_links(kind(WEIGHTS), 0.28) == {(0, 0), (1, 0), (2, 1), (0, 2), (1, 2), (2, 3)}


def test_end_marks_are_no_words():
    assert scoring.argmax_links(np.array(WEIGHTS), source_len=2, target_len=3) == {(0, 0), (0, 2)}
    assert scoring.threshold_links(np.array(WEIGHTS), 0.5, source_len=2, target_len=3) == {(0, 0)}


def test_the_diagonal_joins_the_corners():
    assert scoring.diagonal_links(5, 5) == {(i, i) for i in range(5)}
    assert scoring.diagonal_links(9, 3) == {(0, 0), (4, 1), (8, 2)}
    assert scoring.diagonal_links(1, 3) == {(0, 0), (0, 1), (0, 2)}
    assert scoring.diagonal_links(4, 1) == {(0, 0)}


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


def hansards(folder: Path):
    sure, possible = [], []
    for line in (folder / "enfr.gold").read_text().splitlines():
        links = [(kind, (int(i) - 1, int(j) - 1)) for i, kind, j in re.findall(r"(\d+)([-p])(\d+)", line)]
        sure.append({link for kind, link in links if kind == "-"})
        possible.append({link for _, link in links})
    pairs = [line.split(" ||| ") for line in (folder / "enfr.src-tgt").read_text().splitlines()]
    return [(len(a.split()), len(b.split())) for a, b in pairs], sure, possible


def test_the_diagonal_of_the_hansards_is_as_published():
    folder = sources.data_folder() / "hansards"
    if not (folder / "enfr.gold").is_file():
        pytest.skip("the Hansards alignments are not in the data folder (ATTENTION_DATA)")
    lengths, sure, possible = hansards(folder)
    assert (sum(map(len, sure)), sum(map(len, possible))) == (4038, 17438)
    score = scoring.aer([scoring.diagonal_links(*pair) for pair in lengths], sure, possible)
    assert (score.count, round(score.value, 3)) == (447, 0.531)
