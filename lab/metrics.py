"""Scores, each with the interval that its test set leaves open: BLEU on two scales, alignment error rate, accuracy."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import TypeAlias

import numpy as np
from jaxtyping import Float
from sacrebleu.metrics.bleu import BLEU
from sacremoses import MosesPunctNormalizer, MosesTokenizer

from lab.scores import LengthScore, Score, Weights, as_matrix

RESAMPLES = 1000
SEED = 12345

Links: TypeAlias = AbstractSet[tuple[int, int]]  # (source word, target word), from 0
Counts: TypeAlias = Float[np.ndarray, "sentence count"]


def bleu(outputs: Sequence[str], references: Sequence[str], tokenize: str = "13a") -> Score:
    """Return cased BLEU (0 to 100) of detokenised text, as sacreBLEU does it (Post, 2018)."""
    return _bleu("BLEU", BLEU(tokenize=tokenize, force=True), outputs, references)


def tokenised_bleu(outputs: Sequence[str], tok_references: Sequence[str], language: str) -> Score:
    """Return lower-cased tokenised BLEU (0 to 100) of detokenised outputs: the scale of the papers on Multi30k."""
    metric = BLEU(lowercase=True, tokenize="none", force=True)
    return _bleu("BLEU lc.norm.tok", metric, [moses(output, language) for output in outputs], tok_references)


def moses(text: str, language: str) -> str:
    """Return the text lower-cased, punctuation-normalised and tokenised, as the organisers of Multi30k did theirs."""
    normaliser, tokeniser = _moses(language)
    return " ".join(tokeniser.tokenize(normaliser.normalize(text.lower()), escape=True))


@cache
def _moses(language: str) -> tuple[MosesPunctNormalizer, MosesTokenizer]:
    # The organisers ran the Perl script, with its slips: d’œil becomes d " œil in their files.
    return MosesPunctNormalizer(lang=language, perl_parity=True), MosesTokenizer(lang=language)


def bleu_by_length(
    outputs: Sequence[str],
    references: Sequence[str],
    lengths: Sequence[int],
    buckets: Sequence[tuple[int, int]],
    tokenize: str = "13a",
) -> list[LengthScore]:
    """Return the BLEU of each bucket (first, last) of sentence lengths; a bucket without sentences is left out."""
    _same_number("outputs", outputs, "lengths", lengths)
    homeless = sorted({length for length in lengths if sum(first <= length <= last for first, last in buckets) != 1})
    if homeless:
        raise ValueError(f"Each length must lie in exactly one bucket of {list(buckets)}; these do not: {homeless}.")
    scores = []
    for first, last in buckets:
        inside = [row for row, length in enumerate(lengths) if first <= length <= last]
        if inside:
            score = bleu([outputs[row] for row in inside], [references[row] for row in inside], tokenize)
            scores.append(LengthScore(first, last, score))
    return scores


def aer(predicted: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links] | None = None) -> Score:
    """Return the alignment error rate (0 to 1): 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|), summed over the corpus.

    Och and Ney (2003), section 5; sure links S count as possible ones P too, and without P it is S.
    """
    return alignment_scores(predicted, sure, possible)["aer"]


def alignment_scores(
    predicted: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links] | None = None
) -> dict[str, Score]:
    """Return aer, precision |A ∩ P| / |A| and recall |A ∩ S| / |S|, of the corpus as a whole (Och and Ney, 2003)."""
    possible = sure if possible is None else possible
    _same_number("predicted alignments", predicted, "gold alignments", sure)
    _same_number("sure alignments", sure, "possible alignments", possible)
    rows = np.array(
        [(len(a), len(s), len(a & s), len(a & (p | s))) for a, s, p in zip(predicted, sure, possible, strict=True)],
        dtype=float,
    )
    readings = {
        "aer": lambda t: 1 - _ratio(t[2] + t[3], t[0] + t[1]),
        "precision": lambda t: _ratio(t[3], t[0]),
        "recall": lambda t: _ratio(t[2], t[1]),
    }
    return {name: _score(name, rows, reading, "words|Och-Ney-2003") for name, reading in readings.items()}


def accuracy(predicted: Sequence[object], labels: Sequence[object]) -> Score:
    """Return the share (0 to 1) of predictions that equal their label."""
    _same_number("predictions", predicted, "labels", labels)
    right = [float(p == label) for p, label in zip(predicted, labels, strict=True)]
    return ratio("accuracy", right, [1.0] * len(right), "exact match")


def macro_f1(predicted: Sequence[str], labels: Sequence[str], classes: Mapping[str, str | None]) -> Score:
    """Return the mean of the F1 of the classes that have a label here (0 to 1).

    `classes` maps each label to the class that counts it, None = to none. Labels of one class are told apart: with
    Cause-Effect(e1,e2) and Cause-Effect(e2,e1) of the class Cause-Effect, a wrong direction is an error of precision
    and of recall. So scores SemEval-2010 Task 8 (Hendrickx et al., 2010), Other being of no class.
    """
    _same_number("predictions", predicted, "labels", labels)
    names = sorted({name for name in classes.values() if name is not None})
    place = {label: names.index(name) for label, name in classes.items() if name is not None}
    rows = np.zeros((len(labels), 3, len(names)))  # right, predicted, gold
    for row, (answer, label) in enumerate(zip(predicted, labels, strict=True)):
        for kind, counted in enumerate((label if answer == label else None, answer, label)):
            if counted in place:
                rows[row, kind, place[counted]] = 1

    def mean_f1(total: np.ndarray) -> float:
        right, claimed, gold = total.reshape(3, -1)[:, total.reshape(3, -1)[2] > 0]
        return float(np.mean(2 * right / (claimed + gold))) if len(gold) else 1.0

    return _score("macro-F1", rows.reshape(len(labels), -1), mean_f1, f"{len(names)} classes")


def ratio(name: str, parts: Sequence[float], wholes: Sequence[float], signature: str) -> Score:
    """Return Σ parts / Σ wholes, both summed over the sentences of the corpus."""
    _same_number("parts", parts, "wholes", wholes)
    rows = np.array([parts, wholes], dtype=float).T
    return _score(name, rows, lambda total: _ratio(total[0], total[1]), signature)


def argmax_links(weights: Weights, source_len: int | None = None, target_len: int | None = None) -> frozenset:
    """Link each target word with the source position that it attends to most.

    Rows are target words, columns source words. The lengths leave the end marks out: a row after target_len is not
    read, and a word that attends most to a column after source_len stays without a link.
    """
    rows = as_matrix(weights)[:target_len]
    best = rows.argmax(axis=1)
    return frozenset((int(i), j) for j, i in enumerate(best) if source_len is None or i < source_len)


def threshold_links(
    weights: Weights, tau: float, source_len: int | None = None, target_len: int | None = None
) -> frozenset:
    """Link each target word with every source word that gets at least tau of its attention."""
    return frozenset((int(i), int(j)) for j, i in np.argwhere(as_matrix(weights)[:target_len, :source_len] >= tau))


def diagonal_links(source_len: int, target_len: int) -> frozenset:
    """Link each target word with the source word at the same relative place: the aligner that reads no words."""
    last = max(target_len - 1, 1)  # the first words are linked with each other, and so are the last
    return frozenset((round(j * (source_len - 1) / last), j) for j in range(target_len))


def _bleu(name: str, metric: BLEU, outputs: Sequence[str], references: Sequence[str]) -> Score:
    rows = _bleu_counts(metric, outputs, references)
    return _score(name, rows, lambda total: _bleu_of(metric, total), metric.get_signature().format())


def _bleu_counts(metric: BLEU, outputs: Sequence[str], references: Sequence[str]) -> Counts:
    """Return sacreBLEU's own counts of each sentence: lengths, matches and n-grams, which add up over a corpus."""
    _same_number("outputs", outputs, "references", references)
    return np.array(metric._extract_corpus_statistics(outputs, [references]), dtype=float)


def _bleu_of(metric: BLEU, total: np.ndarray) -> float:
    return metric._compute_score_from_stats([int(count) for count in total]).score


def _score(name: str, rows: Counts, value: Callable[[np.ndarray], float], signature: str) -> Score:
    """Return value(sum of the rows) and the middle 95 % of it over corpora drawn from the rows with replacement.

    Efron's percentile bootstrap, for BLEU as in Koehn (2004).
    """
    point = value(rows.sum(axis=0))
    draws = [value(total) for total in _resampled(rows)]
    low, high = np.percentile(draws, [2.5, 97.5])
    return Score(name, float(point), float(low), float(high), signature, len(rows))


def _resampled(rows: Counts) -> Float[np.ndarray, "draw count"]:
    random = np.random.default_rng(SEED)
    count = len(rows)
    # How often each sentence is drawn, instead of which: one matrix product adds up all corpora of a block.
    blocks = [random.multinomial(count, np.full(count, 1 / count), size=100) @ rows for _ in range(RESAMPLES // 100)]
    return np.concatenate(blocks)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 1.0  # nothing claimed, nothing wrong


def _same_number(first: str, some: Sequence, second: str, others: Sequence) -> None:
    if len(some) != len(others):
        raise ValueError(f"There must be as many {first} as {second}; there are {len(some)} and {len(others)}.")
    if not len(some):
        raise ValueError(f"There are no {first} to score; a score needs at least one sentence.")
