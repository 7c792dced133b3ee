"""Weights as reasons: positions left out one by one, weights that pool the same vector: cases and checks."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import MASKED, NO_MASK, PADDING, REPEAT, SHAPE, UNCHANGED, CaseInput, Check, Points, by_hand
from autograder.checks.random_inputs import Rng, normal
from autograder.kit.verdict.cases import EXACT
from solutions.pooling.attention import adversarial_weights, leave_one_out, pooled_by_hand

ALL = "a position with all the weight"
FREE, TIGHT = "weights that can move", "weights that cannot move"
LENGTHS = "directions of other lengths"


def real(rng: Rng, batch: int, longest: int, holes: bool) -> np.ndarray:
    """Return a mask each row of which has two positions or more, and padding; with holes, anywhere."""
    mask = np.zeros((batch, longest), bool)
    for row, count in zip(mask, rng.integers(2, longest, size=batch), strict=True):
        row[rng.choice(longest, count, replace=False) if holes else slice(count)] = True
    return mask


def spread(rng: Rng, shape: Sequence[int], mask: np.ndarray | None = None) -> np.ndarray:
    """Return weights that add up to 1 over the real positions, none of them near 0 or 1."""
    grown = rng.uniform(0.1, 1, size=shape) * (1 if mask is None else mask)
    return (grown / grown.sum(axis=-1, keepdims=True)).astype(np.float32)


def left_out(rng: Rng, sizes: tuple[int, int, int], mask: np.ndarray | None) -> list:
    """Return values, weights and the mask for sizes B, S, d."""
    return [normal(rng, *sizes), spread(rng, sizes[:2], mask), mask]


def heavy(rng: Rng, sizes: tuple[int, int, int], weight: float) -> list:
    """Return values and weights of which one in each row is this large; the others share the rest."""
    values, weights, _ = left_out(rng, sizes, None)
    place = np.arange(sizes[0]), rng.integers(sizes[1], size=sizes[0])
    weights[place] = 0
    weights *= (1 - weight) / weights.sum(axis=-1, keepdims=True)
    weights[place] = weight
    return [values, weights, None]


def without_weight(rng: Rng, sizes: tuple[int, int, int]) -> list:
    """Return arguments in which a real word of each row has no weight at all."""
    values, weights, _ = left_out(rng, sizes, None)
    weights[np.arange(sizes[0]), rng.integers(sizes[1], size=sizes[0])] = 0
    return [values, weights / weights.sum(axis=-1, keepdims=True), None]


def leave_cases(rng: Rng) -> list[CaseInput]:
    """Draw sentences: whole, padded, with holes, with a word that has all the weight or none."""

    def masked(sizes: tuple[int, int, int], holes: bool) -> list:
        return left_out(rng, sizes, real(rng, *sizes[:2], holes=holes))

    single = np.eye(6, dtype=bool)[rng.permutation(6)[:4]]
    return [
        CaseInput("no mask", left_out(rng, (3, 5, 4), None), NO_MASK),
        CaseInput("more features than positions", left_out(rng, (2, 4, 7), None), NO_MASK),
        CaseInput("equal sizes, no mask", left_out(rng, (5, 5, 5), None), NO_MASK),
        CaseInput("two positions", left_out(rng, (4, 2, 3), None), NO_MASK),
        CaseInput("one feature", left_out(rng, (3, 4, 1), None), NO_MASK),
        CaseInput("weights of .98", heavy(rng, (4, 6, 3), 0.98), NO_MASK),
        CaseInput("a word without weight", without_weight(rng, (3, 5, 4)), NO_MASK),
        CaseInput("padded sentences", masked((4, 7, 5), holes=False), MASKED),
        CaseInput("other padded sentences", masked((4, 7, 5), holes=False), MASKED),
        CaseInput("a mask with gaps", masked((5, 6, 3), holes=True), MASKED),
        CaseInput("equal sizes", masked((5, 5, 5), holes=True), MASKED),
        CaseInput("one sentence", masked((1, 6, 4), holes=True), MASKED),
        CaseInput("nothing masked", left_out(rng, (3, 4, 6), np.ones((3, 4), bool)), MASKED),
        CaseInput("one position", left_out(rng, (3, 1, 4), None), ALL),
        CaseInput("all the weight on one word", heavy(rng, (4, 5, 3), 1.0), ALL),
        CaseInput("one word, and padding", left_out(rng, (4, 6, 3), single), ALL, [PADDING]),
    ]


def is_clear(weights: np.ndarray, values: np.ndarray, direction: np.ndarray) -> bool:
    """Return whether rounding decides nothing: some routines, as lstsq, round differently from call to call.

    The matrix is well conditioned. Where weights can move, a clear part of the direction is left, and the first weight
    to reach 0 falls fast and is there well before the second.
    """
    rows = np.vstack([values.T, np.ones(len(values))]).astype(np.float64)
    sizes = np.linalg.svd(rows, compute_uv=False)
    if len(values) <= len(rows):
        return sizes[0] < 8 * sizes[-1]
    free = direction - np.linalg.pinv(rows) @ (rows @ direction)
    length = np.linalg.norm(free)
    falls = np.flatnonzero(free < 0)
    times = weights[falls] / -free[falls]
    first, second = np.partition(np.append(times, [np.inf, np.inf]), 1)[:2]
    fast = -free[falls[times.argmin()]] > 0.2 * length
    return bool(fast and second > 1.2 * first and sizes[0] < 4 * sizes[-1] and length > 0.5 * np.linalg.norm(direction))


def along(rng: Rng, length: int, features: int) -> list[np.ndarray]:
    """Return weights, values and a direction."""
    while True:
        drawn = [spread(rng, [length]), normal(rng, length, features), normal(rng, length)]
        if is_clear(*drawn):
            return drawn


def scaled(rng: Rng, length: int, features: int, factor: float) -> list[np.ndarray]:
    """Return arguments whose direction is so many times as long."""
    weights, values, direction = along(rng, length, features)
    return [weights, values, direction * np.float32(factor)]


def mostly_lost(rng: Rng, length: int, features: int, times: float = 3) -> list[np.ndarray]:
    """Return arguments of whose direction little is left: `times` as much would move the pooled vector."""
    weights, values, direction = along(rng, length, features)
    rows = np.vstack([values.T, np.ones(length)]).astype(np.float64)
    lost = np.linalg.pinv(rows) @ (rows @ direction)
    free = direction - lost
    lost *= times * np.linalg.norm(free) / np.linalg.norm(lost)
    return [weights, values, (free + lost).astype(np.float32)]


def towards(rng: Rng, length: int, features: int) -> list[np.ndarray]:
    """Return arguments whose direction is one position: as much weight there as can be had."""
    while True:
        weights, values, _ = along(rng, length, features)
        direction = np.eye(length, dtype=np.float32)[rng.integers(length)]
        if is_clear(weights, values, direction):
            return [weights, values, direction]


def adversarial_cases(rng: Rng) -> list[CaseInput]:
    """Draw texts longer than their values are wide, where weights can move, and shorter ones, where they cannot."""
    return [
        CaseInput("six words, two features", along(rng, 6, 2), FREE),
        CaseInput("eight words, three features", along(rng, 8, 3), FREE),
        CaseInput("eight other words", along(rng, 8, 3), FREE),
        CaseInput("five words, one feature", along(rng, 5, 1), FREE),
        CaseInput("one more word than the matrix has rows", along(rng, 6, 4), FREE),
        CaseInput("towards one word", towards(rng, 9, 4), FREE),
        CaseInput("a long text", along(rng, 40, 3), FREE),
        CaseInput("a short direction", scaled(rng, 7, 3, 1e-5), LENGTHS),
        CaseInput("a long direction", scaled(rng, 7, 2, 1e3), LENGTHS),
        CaseInput("a direction most of which is lost", mostly_lost(rng, 7, 3), LENGTHS),
        CaseInput("as many words as features", along(rng, 4, 4), TIGHT, tolerance=EXACT),
        CaseInput("as many words as the matrix has rows", along(rng, 5, 4), TIGHT, tolerance=EXACT),
        CaseInput("few words", along(rng, 3, 7), TIGHT, tolerance=EXACT),
        CaseInput("few words, a long direction", scaled(rng, 3, 6, 1e5), TIGHT, tolerance=EXACT),
        CaseInput("one word", along(rng, 1, 3), TIGHT, tolerance=EXACT),
        CaseInput("a direction of which a twelfth is left", mostly_lost(rng, 7, 3, 12), LENGTHS),
    ]


BY_HAND = by_hand(
    pooled_by_hand,
    {"h": "h* of (a)", "document": "the document of (b)"},
)

LEAVE = Check(
    leave_one_out,
    ("vectors",),
    leave_cases,
    points={NO_MASK: 1, MASKED: 2, ALL: 1},
    also=(SHAPE, UNCHANGED, REPEAT),
    stars=1,
)

ALONG = Check(
    adversarial_weights,
    ("weights",),
    adversarial_cases,
    points={
        FREE: 3,
        LENGTHS: 1,
        # Together, or anyone who returns the weights as they are would have the point.
        "weights that cannot move, beside those that can": Points(1, (TIGHT, FREE)),
    },
    also=(SHAPE, UNCHANGED, REPEAT),
    stars=2,
)
