"""Scores, each with the interval that its test set leaves open: BLEU on two scales, accuracy, macro-F1."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from jaxtyping import Float, Int
from torch import Tensor

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

RESAMPLES = 1000
SEED = 12345

Weights: TypeAlias = Float[Tensor, "target source"] | Float[np.ndarray, "target source"]
Counts: TypeAlias = Float[np.ndarray, "sentence count"]


@dataclass(frozen=True)
class Score:
    """A corpus score, its 95 % bootstrap interval over sentences, how it was computed, and over how many sentences."""

    name: str
    value: float
    low: float
    high: float
    signature: str
    count: int

    def __str__(self) -> str:
        return f"{self.name} {self.value:.3g} [{self.low:.3g}, {self.high:.3g}], {self.count} sentences"


@dataclass(frozen=True)
class LengthScore:
    """The score of the sentences that have first to last words, both included."""

    first: int
    last: int
    score: Score


def bleu(outputs: Sequence[str], references: Sequence[str], tokenize: str = "13a") -> Score:
    """Return cased BLEU (0 to 100) of detokenised text, as sacreBLEU does it (Post, 2018)."""
    from sacrebleu.metrics.bleu import BLEU  # late, as all that a bare machine with a GPU may lack

    return _bleu("BLEU", BLEU(tokenize=tokenize, force=True), outputs, references)


def tokenised_bleu(outputs: Sequence[str], tok_references: Sequence[str], language: str) -> Score:
    """Return lower-cased tokenised BLEU (0 to 100) of detokenised outputs: the scale of the papers on Multi30k."""
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(lowercase=True, tokenize="none", force=True)
    return _bleu("BLEU lc.norm.tok", metric, [moses(output, language) for output in outputs], tok_references)


def moses(text: str, language: str) -> str:
    """Return the text lower-cased, punctuation-normalised and tokenised, as the organisers of Multi30k did theirs."""
    normaliser, tokeniser = _moses(language)
    return " ".join(tokeniser.tokenize(normaliser.normalize(text.lower()), escape=True))


@cache
def _moses(language: str) -> tuple[Any, Any]:
    from sacremoses import MosesPunctNormalizer, MosesTokenizer

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
    demand_same_number("outputs", outputs, "lengths", lengths)
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


def accuracy(predicted: Sequence[object], labels: Sequence[object]) -> Score:
    """Return the share (0 to 1) of predictions equal to their label."""
    demand_same_number("predictions", predicted, "labels", labels)
    right = [float(p == label) for p, label in zip(predicted, labels, strict=True)]
    return ratio("accuracy", right, [1.0] * len(right), "exact match")


def macro_f1(predicted: Sequence[str], labels: Sequence[str], classes: Mapping[str, str | None]) -> Score:
    """Return the mean of the F1 of the classes that have a label here (0 to 1).

    `classes` maps each label to the class that counts it, None = to none. Labels of one class are told apart: with
    Cause-Effect(e1,e2) and Cause-Effect(e2,e1) of the class Cause-Effect, a wrong direction is an error of precision
    and of recall. So scores SemEval-2010 Task 8 (Hendrickx et al., 2010), Other being of no class.
    """
    demand_same_number("predictions", predicted, "labels", labels)
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

    return corpus_score("macro-F1", rows.reshape(len(labels), -1), mean_f1, f"{len(names)} classes")


def ratio(name: str, parts: Sequence[float], wholes: Sequence[float], signature: str) -> Score:
    """Return Σ parts / Σ wholes, both summed over the sentences of the corpus."""
    demand_same_number("parts", parts, "wholes", wholes)
    rows = np.array([parts, wholes], dtype=float).T
    return corpus_score(name, rows, lambda total: share(total[0], total[1]), signature)


def as_matrix(weights: Weights) -> Float[np.ndarray, "target source"]:
    """Return the weights as an array of float64, wherever and in whatever precision they were computed."""
    if isinstance(weights, Tensor):
        weights = weights.detach().double().cpu().numpy()
    return np.asarray(weights, dtype=float)


def _bleu(name: str, metric: "BLEU", outputs: Sequence[str], references: Sequence[str]) -> Score:
    demand_same_number("outputs", outputs, "references", references)
    # sacreBLEU's own counts of each sentence, lengths, matches and n-grams, add up over a corpus.
    rows = np.array(metric._extract_corpus_statistics(outputs, [references]), dtype=float)
    score = metric._compute_score_from_stats
    return corpus_score(name, rows, lambda total: score([*map(int, total)]).score, metric.get_signature().format())


def corpus_score(name: str, rows: Counts, value: Callable[[np.ndarray], float], signature: str) -> Score:
    """Return value(sum of the rows) and the middle 95 % of it over corpora drawn from the rows with replacement.

    Efron's percentile bootstrap, for BLEU as in Koehn (2004).
    """
    point = value(rows.sum(axis=0))
    # One matrix product adds up all corpora of a block.
    draws = [value(total) for drawn in _times_drawn(len(rows)) for total in drawn @ rows]
    low, high = np.percentile(draws, [2.5, 97.5])
    return Score(name, float(point), float(low), float(high), signature, len(rows))


@lru_cache(maxsize=8)  # to draw takes ten times as long as to score, and most test sets have the same size
def _times_drawn(count: int) -> list[Int[np.ndarray, "draw sentence"]]:
    """Return, in blocks, how often each of `count` sentences is drawn with replacement into each resampled corpus."""
    random, equal = np.random.default_rng(SEED), np.full(count, 1 / count)
    return [random.multinomial(count, equal, size=100).astype(np.int16) for _ in range(RESAMPLES // 100)]


def share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0  # nothing claimed, nothing wrong


def demand_same_number(first: str, some: Sequence, second: str, others: Sequence) -> None:
    if len(some) != len(others):
        raise ValueError(f"There must be as many {first} as {second}; there are {len(some)} and {len(others)}.")
    if not len(some):
        raise ValueError(f"There are no {first} to score; a score needs at least one sentence.")
