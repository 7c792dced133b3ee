"""Sampling and induction: cases and checks."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import FAR, REPEAT, SHAPE, UNCHANGED, CaseInput, Check, Points
from autograder.checks.random_inputs import Rng, normal, softmax
from exercises.language_model.layers import AXES
from solutions.language_model.attention import induction_score, next_probabilities

NEAR = 2e-3  # no sum is so near to p, and no two words at an edge so near to each other
TEMPERATURE, TOP_K, TOP_P, ALL = "a temperature", "top-k", "top-p", "all three"  # groups of cases
TWO, THREE, BROKEN = "two rounds", "three rounds and more", "a last round that breaks off"
ONE_HEAD = "one head, or one position"


def nucleus(ranked: np.ndarray, p: float) -> tuple[np.ndarray, bool]:
    """Return the number of ranked probabilities needed to reach p, and whether it is clear in every row."""
    sums = ranked.cumsum(axis=-1)[..., :-1]
    return 1 + (sums < p).sum(axis=-1), p == 1 or bool(np.abs(sums - p).min(initial=1) > NEAR)


def choice(rng: Rng, shape: Sequence[int], temperature: float, k: int, p: float, level: float = 0.0) -> list:
    """Return logits, temperature, top-k and top-p, drawn until every edge is clear.

    Where all three are asked for, the order counts: top-p of all words, or at temperature 1, keeps others in some row.
    """
    while True:
        logits = normal(rng, *shape, scale=1.4) + np.float32(level)
        ranked = np.sort(softmax(logits / temperature), axis=-1)[..., ::-1]
        cold = np.sort(softmax(logits), axis=-1)[..., ::-1]
        first = ranked[..., : k or None]
        plain, first_clear = nucleus(ranked, p)
        right, clear = nucleus(first / first.sum(axis=-1, keepdims=True), p)
        before, cold_clear = nucleus(cold, p)
        ordered = not k or p == 1 or ((np.minimum(plain, k) != right).any() and (before != plain).any())
        if (
            clear
            and first_clear
            and cold_clear
            and (ordered or ranked.ndim != 2)
            and _has_clear_edges(ranked, right, k)
        ):
            return [logits, temperature, k, p]


def _has_clear_edges(ranked: np.ndarray, sizes: np.ndarray, k: int) -> bool:
    """Return whether the last word that is kept and the first that is not are well apart in every row."""
    steps = np.abs(np.diff(ranked, axis=-1))
    places = np.stack([sizes, np.full_like(sizes, k or ranked.shape[-1])], axis=-1) - 1
    inside_row = places < steps.shape[-1]
    at_edges = np.take_along_axis(steps, np.where(inside_row, places, 0), axis=-1)
    return bool((at_edges[inside_row] > NEAR).all())


def choice_cases(rng: Rng) -> list[CaseInput]:
    """Draw scores, and each of the three settings alone and together; one to three axes; scores far from 0."""
    drawn = [
        ("nothing is cut", TEMPERATURE, choice(rng, (3, 7), 1.0, 0, 1.0)),
        ("temperature 0.5", TEMPERATURE, choice(rng, (4, 6), 0.5, 0, 1.0)),
        ("temperature 2.5", TEMPERATURE, choice(rng, (3, 8), 2.5, 0, 1.0)),
        ("the three largest", TOP_K, choice(rng, (4, 7), 1.0, 3, 1.0)),
        ("the largest alone", TOP_K, choice(rng, (3, 6), 1.0, 1, 1.0)),
        ("k above the vocabulary", TOP_K, choice(rng, (3, 5), 1.0, 20, 1.0)),
        ("equal sizes, the two largest", TOP_K, choice(rng, (6, 6), 1.0, 2, 1.0)),
        ("p = 0.7", TOP_P, choice(rng, (4, 8), 1.0, 0, 0.7)),
        ("p = 0.9", TOP_P, choice(rng, (5, 9), 1.0, 0, 0.9)),
        ("p near 0", TOP_P, choice(rng, (4, 6), 1.0, 0, 0.01)),
        ("temperature 0.6, k = 4, p = 0.8", ALL, choice(rng, (5, 9), 0.6, 4, 0.8)),
        ("temperature 1.8, k = 5, p = 0.6", ALL, choice(rng, (4, 8), 1.8, 5, 0.6)),
        ("temperature 1.4, k = 3, p = 0.7", ALL, choice(rng, (6, 7), 1.4, 3, 0.7)),
        ("one text", AXES, choice(rng, (7,), 0.8, 4, 0.8)),
        ("one row", AXES, choice(rng, (1, 8), 0.7, 5, 0.8)),
        ("three axes", AXES, choice(rng, (2, 3, 6), 1.5, 4, 0.7)),
        ("logits around 800", FAR, choice(rng, (4, 8), 1.0, 0, 0.7, level=800.0)),
        ("logits around -800", FAR, choice(rng, (4, 6), 1.0, 3, 1.0, level=-800.0)),
    ]
    return [CaseInput(name, arguments, group) for name, group, arguments in drawn]


def causal_weights(rng: Rng, heads: int, length: int) -> np.ndarray:
    """Return attention weights (heads, length, length) of causal heads."""
    scores = np.where(np.tril(np.ones((length, length), bool)), normal(rng, heads, length, length, scale=1.5), -np.inf)
    return softmax(scores).astype(np.float32)


def induction_cases(rng: Rng) -> list[CaseInput]:
    """Draw the weights of causal heads on texts of two rounds and more, whole or not; one head copies."""
    copying = causal_weights(rng, 3, 8)
    copying[1] *= 0.1
    copying[1, np.arange(4, 8), np.arange(1, 5)] += np.float32(0.9)
    still = causal_weights(rng, 3, 8)
    still[1], still[2, 5, 2] = np.eye(8, dtype=np.float32), 0
    return [
        CaseInput("two rounds", [causal_weights(rng, 4, 10), 5], TWO),
        CaseInput("one head copies", [copying, 4], TWO),
        CaseInput("one head looks at itself alone", [still, 4], TWO),
        CaseInput("as many heads as positions", [causal_weights(rng, 6, 6), 3], TWO),
        CaseInput("three rounds", [causal_weights(rng, 3, 12), 4], THREE),
        CaseInput("the same token throughout", [causal_weights(rng, 3, 6), 1], THREE),
        CaseInput("five rounds", [causal_weights(rng, 2, 15), 3], THREE),
        CaseInput("half a second round", [causal_weights(rng, 4, 9), 6], BROKEN),
        CaseInput("two rounds and a half", [causal_weights(rng, 5, 10), 4], BROKEN),
        CaseInput("one head", [causal_weights(rng, 1, 8), 3], ONE_HEAD),
        CaseInput("one position of the second round", [causal_weights(rng, 3, 6), 5], ONE_HEAD),
    ]


CHOICE = Check(
    next_probabilities,
    ("probabilities",),
    choice_cases,
    points={TEMPERATURE: Points(1, TEMPERATURE, alone=False), TOP_K: 1, TOP_P: 2, ALL: 2, AXES: 1, FAR: 1},
    also=(SHAPE, UNCHANGED, REPEAT),
    exact=("probabilities",),
)

INDUCTION = Check(
    induction_score,
    ("score",),
    induction_cases,
    points={TWO: 1, THREE: 1, BROKEN: 1, ONE_HEAD: 1},
    also=(UNCHANGED,),
)
