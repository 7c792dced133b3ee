"""Sampling, induction, latent attention and a grammar: cases and checks."""

from collections.abc import Sequence

import numpy as np
import torch

from autograder.checks import FAR, LOW, REPEAT, SHAPE, UNCHANGED, CaseInput, Check, Points
from autograder.checks.random_inputs import Rng, normal, softmax
from exercises.language_model.layers import AXES, USUAL
from solutions.language_model.attention import induction_score, inside, latent_attention, next_probabilities

NEAR = 2e-3  # no sum is so near to p, and no two words at an edge so near to each other
TEMPERATURE, TOP_K, TOP_P, ALL = "a temperature", "top-k", "top-p", "all three"  # groups of cases
TWO, THREE, BROKEN = "two rounds", "three rounds and more", "a last round that breaks off"
ONE_HEAD = "one head, or one position"
SHORT, LONG, OTHER, NONE = "one or two words", "longer sentences", "another start", "a sentence of no tree"


def nucleus(ranked: np.ndarray, p: float) -> tuple[np.ndarray, bool]:
    """Return how many of ranked probabilities are needed to reach p, and whether that is clear in every row."""
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
        if clear and first_clear and cold_clear and (ordered or ranked.ndim != 2) and _edges(ranked, right, k):
            return [logits, temperature, k, p]


def _edges(ranked: np.ndarray, sizes: np.ndarray, k: int) -> bool:
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


def latent(rng: Rng, sizes: Sequence[int], name: str, group: str, gradients: bool = False) -> CaseInput:
    """Return a case for sizes B, length, d, latent, heads, head_dim."""
    B, length, d, narrow, heads, width = sizes
    params = {
        "W_q": normal(rng, heads * width, d, scale=1.5 * d**-0.5),
        "W_down": normal(rng, narrow, d, scale=d**-0.5),
        "W_uk": normal(rng, heads * width, narrow, scale=1.5 * narrow**-0.5),
        "W_uv": normal(rng, heads * width, narrow, scale=1.5 * narrow**-0.5),
        "W_o": normal(rng, d, heads * width, scale=(heads * width) ** -0.5),
    }
    if group == FAR:
        params["W_q"] *= 60
    return CaseInput(name, [normal(rng, B, length, d), params, heads], group, [], gradients)


def far_latent(rng: Rng, sizes: Sequence[int], name: str) -> CaseInput:
    """Return a case in which a first position, which sees itself alone, has a score below -150."""
    while True:
        drawn = latent(rng, sizes, name, FAR)
        x, params, heads = drawn.arguments
        query = (x[:, 0] @ params["W_q"].T).reshape(len(x), heads, -1)
        key = (x[:, 0] @ params["W_down"].T @ params["W_uk"].T).reshape(len(x), heads, -1)
        if ((query * key).sum(axis=-1) / query.shape[-1] ** 0.5).min() < -150:
            return drawn


def latent_below_fills(rng: Rng, sizes: Sequence[int]) -> CaseInput:
    """Return a case in which a first position's score is -150,000 or less, and each position's highest stands out."""
    while True:
        drawn = latent(rng, sizes, LOW, FAR)
        x, params, heads = drawn.arguments
        params["W_q"] *= 2_000
        query = (x @ params["W_q"].T).reshape(*x.shape[:2], heads, -1).astype(np.float64)
        key = (x @ params["W_down"].T @ params["W_uk"].T).reshape(query.shape)
        scores = np.einsum("bthw,bshw->bhts", query, key) / query.shape[-1] ** 0.5
        seen = np.where(np.tri(x.shape[1], dtype=bool), scores, -np.inf)
        second, first = np.moveaxis(np.sort(seen, axis=-1)[:, :, 1:, -2:], -1, 0)
        if scores[..., 0, 0].min() < -150_000 and (first - second).min() > 1_000:
            return drawn


def latent_cases(rng: Rng) -> list[CaseInput]:
    """Draw latent attention: narrow and wide latents, one head, one position, equal sizes, scores far from 0."""
    return [
        latent(rng, (3, 5, 7, 4, 2, 6), "all sizes different", USUAL, gradients=True),
        latent(rng, (2, 6, 12, 5, 4, 3), "heads as wide as the model", USUAL, gradients=True),
        latent(rng, (4, 4, 4, 4, 2, 2), "equal sizes", USUAL),
        latent(rng, (1, 7, 6, 1, 3, 4), "a latent of one number", USUAL),
        latent(rng, (7, 4, 6, 3, 1, 5), "one head, many texts", ONE_HEAD),
        latent(rng, (3, 1, 8, 3, 2, 4), "one position", ONE_HEAD),
        far_latent(rng, (3, 5, 8, 4, 2, 4), "scores far from 0"),
        latent_below_fills(rng, (3, 5, 8, 4, 2, 4)),
    ]


def grammar(rng: Rng, length: int, symbols: int, vocabulary: int, start: int = 0) -> list:
    """Return tokens and rules with weights whose sum over all trees is about 1, however long the sentence is."""
    tokens = rng.integers(vocabulary, size=length)
    while True:
        binary = rng.uniform(0.1, 1, (symbols,) * 3) * (rng.random((symbols,) * 3) < 0.8)
        emission = rng.uniform(0.2, 1, (symbols, vocabulary)) * (rng.random((symbols, vocabulary)) < 0.9)
        total = _total(tokens, binary, emission, start)
        if total > 0:
            emission *= (rng.uniform(0.5, 2) / total) ** (1 / length)
            return [tokens, binary.astype(np.float32), emission.astype(np.float32), start]


def _total(tokens: np.ndarray, binary: np.ndarray, emission: np.ndarray, start: int) -> float:
    """Return what the rules' weights give a sentence, in double precision."""
    return float(inside(torch.tensor(tokens), torch.tensor(binary), torch.tensor(emission), start))


def inside_cases(rng: Rng) -> list[CaseInput]:
    """Draw sentences of one word to eight, other symbols to start from, and a sentence that has no tree."""
    tokens, binary, emission, _ = grammar(rng, 4, 3, 5)
    emission[:, tokens[1]] = 0
    return [
        CaseInput("one word", grammar(rng, 1, 3, 4), SHORT),
        CaseInput("two words", grammar(rng, 2, 4, 3), SHORT),
        CaseInput("three words", grammar(rng, 3, 3, 4), LONG),
        CaseInput("five words", grammar(rng, 5, 4, 3), LONG),
        CaseInput("eight words", grammar(rng, 8, 3, 5), LONG),
        CaseInput("equal sizes", grammar(rng, 4, 4, 4), LONG),
        CaseInput("one symbol", grammar(rng, 6, 1, 3), LONG),
        CaseInput("from symbol 2", grammar(rng, 4, 3, 5, 2), OTHER),
        CaseInput("one word from symbol 1", grammar(rng, 1, 3, 2, 1), OTHER),
        CaseInput("a word that no symbol becomes", [tokens, binary, emission, 0], NONE),
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
    points={TWO: 2, THREE: 1, BROKEN: 1, ONE_HEAD: 1},
    also=(SHAPE, UNCHANGED, REPEAT),
)

LATENT = Check(
    latent_attention,
    ("output", "latent"),
    latent_cases,
    points={
        "the output": Points(3, USUAL, part="output"),
        "the latent": Points(1, USUAL, part="latent"),
        ONE_HEAD: 1,
        FAR: 1,
    },
    may_call=("grouped_query_attention",),
    stars=1,
)

INSIDE = Check(
    inside,
    ("probability",),
    inside_cases,
    points={SHORT: 1, LONG: 3, OTHER: 1, NONE: 1},
    also=(SHAPE, UNCHANGED, REPEAT),
    shape="one number",
    stars=2,
)
