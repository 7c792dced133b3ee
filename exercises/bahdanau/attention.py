"""Masked softmax and additive attention, a penalty on its coverage, and the way back: cases and checks."""

import numpy as np

from autograder.checks import (
    FAR,
    LARGE,
    LOW,
    MASKED,
    NO_MASK,
    PADDING,
    REPEAT,
    SHAPE,
    UNCHANGED,
    CaseInput,
    Check,
    Points,
    by_mask,
)
from autograder.checks.random_inputs import HALF, Rng, far_below, gaps, longest_first, normal, padding, places, weights
from autograder.kit.verdict.by_hand import without_autograd
from autograder.kit.verdict.cases import EXACT
from solutions.bahdanau.attention import (
    additive_attention,
    additive_attention_backward,
    coverage_penalty,
    masked_softmax,
)

SPECIAL = "with a mask, and something special"


def arguments(rng: Rng, sizes: tuple[int, ...], mask: np.ndarray | None) -> list:
    """Return query, keys, values, W_q, W_k, v and the mask for sizes B, S, q, k, d, h."""
    B, S, q, k, d, h = sizes
    inputs = [normal(rng, B, q), normal(rng, B, S, k), normal(rng, B, S, d)]
    weights = [normal(rng, h, q, scale=q**-0.5), normal(rng, h, k, scale=k**-0.5), normal(rng, h)]
    return [*inputs, *weights, mask]


def far_from_zero(rng: Rng) -> list:
    """Return arguments with all scores around -120: one unit is the same for every key, and v weighs it so."""
    query, keys, values, W_q, W_k, v, mask = arguments(rng, (4, 7, 5, 6, 8, 9), gaps(rng, 4, 7))
    query[:, 0] = 1
    W_q[0], W_k[0], v[0] = 0, 0, -120 / np.tanh(HALF)
    W_q[0, 0] = HALF
    return [query, keys, values, W_q, W_k, v, mask]


def far_units(rng: Rng) -> list:
    """Return arguments with projections around ±100 in one unit: tanh is ±1 there, and exp(200) no float32."""
    query, keys, values, W_q, W_k, v, mask = arguments(rng, (4, 7, 5, 6, 8, 9), gaps(rng, 4, 7))
    keys[..., 0] = rng.choice([-1, 1], size=keys.shape[:2])
    W_k[0] = 0
    W_k[0, 0] = 100
    return [query, keys, values, W_q, W_k, v, mask]


def weights_of_all_sizes(rng: Rng) -> list:
    """Return arguments whose scores are spread wide enough for weights below a thousandth."""
    query, keys, values, W_q, W_k, v, mask = arguments(rng, (3, 9, 4, 6, 7, 8), gaps(rng, 3, 9))
    return [query, keys, values, W_q, W_k, 2 * v, mask]


def padding_above(rng: Rng, mask: np.ndarray, gap: float) -> list:
    """Return arguments whose padding scores higher by about gap: one unit tells it from words, and v weighs it so."""
    query, keys, values, W_q, W_k, v, _ = arguments(rng, (*mask.shape, 5, 6, 8, 9), mask)
    keys[..., 0] = np.where(mask, -1, 1)
    W_q[0], W_k[0], v[0] = 0, 0, gap / 2 / np.tanh(HALF)
    W_k[0, 0] = HALF
    return [query, keys, values, W_q, W_k, v, mask]


def below_fills(rng: Rng, mask: np.ndarray) -> list:
    """Return arguments with scores as `far_below` has them: one unit hears where a key stands, and v weighs it so."""
    query, keys, values, W_q, W_k, v, _ = arguments(rng, (*mask.shape, 5, 6, 8, 9), mask)
    keys[..., 0] = 1 + places(mask) / 5
    W_q[0], W_k[0], v[0] = 0, 0, -200_000 / np.tanh(HALF)
    W_k[0, 0] = HALF
    return [query, keys, values, W_q, W_k, v, mask]


GAPS, EMPTY, RANK = "a mask with gaps", "a row with no True", "more than two axes"
ANY, PADDED, HOLES, NO_TRUE = (  # groups of cases
    "no mask, any number of axes",
    "padded sentences",
    "masks with gaps",
    "rows with no True",
)


def raised(rng: Rng, mask: np.ndarray, gap: float) -> np.ndarray:
    """Return scores that are higher by gap wherever the mask is False: exp(-gap) is what padding leaves for the rest.

    exp(-40) is far below an epsilon such as 1e-9, and far above the smallest float32: taking exp of all scores
    and dividing by what the mask leaves is right, adding an epsilon to the sum is not.
    """
    return normal(rng, *mask.shape) + np.float32(gap) * ~mask


def of_all_sizes(rng: Rng, rows: int, positions: int) -> np.ndarray:
    """Return scores whose weights have all sizes: one well above many others, some of these hardly above nothing."""
    scores = rng.uniform(-9, -3.5, size=(rows, positions))
    scores[np.arange(rows), rng.integers(positions, size=rows)] = 0.5
    return scores.astype(np.float32)


def far_apart(rng: Rng, mask: np.ndarray) -> np.ndarray:
    """Return rows of scores hundreds apart, in each of which one score to be attended to is far above the rest."""
    scores = normal(rng, *mask.shape) + (300 * rng.permutation(len(mask)) - 600)[:, None].astype(np.float32)
    scores[np.arange(len(mask)), mask.argmax(axis=1)] += 150
    return scores.astype(np.float32)


def softmax_cases(rng: Rng) -> list[CaseInput]:
    """Draw scores and masks: every kind of mask, every number of axes, and scores where exp or a small fill fails."""
    holes = gaps(rng, 3, 5, 7)
    holes[tuple(rng.integers((3, 5)))] = False
    empty = padding(rng, 4, 6)
    empty[rng.integers(4)] = False
    low, high = (normal(rng, 4, 7, scale=2) + np.float32(shift) for shift in (-800, 800))
    wide, wide_mask = normal(rng, 4, 7, scale=40), gaps(rng, 4, 7)
    # The largest score may be attended to: anyone who takes exp first and drops masked ones later is right as well.
    wide[np.arange(4), wide_mask.argmax(axis=1)] = np.abs(wide).max(axis=1) + rng.random(4, np.float32)
    above, apart, many = gaps(rng, 4, 7), gaps(rng, 4, 7), gaps(rng, 4, 29)
    one = rng.permutation([True, True, False])[:, None]

    def plain(name: str, *sizes: int) -> CaseInput:
        return CaseInput(name, [normal(rng, *sizes), None], ANY, [RANK] * (len(sizes) > 2), gradients=name == "no mask")

    return [
        plain("no mask", 4, 6),
        CaseInput("padded sentences", [normal(rng, 4, 6), padding(rng, 4, 6)], PADDED, [PADDING], gradients=True),
        CaseInput("other padded sentences", [normal(rng, 4, 6), longest_first(rng, 4, 6)], PADDED, [PADDING]),
        CaseInput("nothing masked", [normal(rng, 4, 6), np.ones((4, 6), bool)], PADDED),
        CaseInput("a mask with gaps", [normal(rng, 5, 8), gaps(rng, 5, 8)], HOLES, [PADDING, GAPS], gradients=True),
        CaseInput("as many sentences as positions", [normal(rng, 5, 5), gaps(rng, 5, 5)], HOLES, [PADDING, GAPS]),
        CaseInput("one sentence", [normal(rng, 1, 6), gaps(rng, 1, 6)], PADDED, [PADDING, GAPS], gradients=True),
        CaseInput("one axis", [normal(rng, 6), gaps(rng, 6)], PADDED, [PADDING, GAPS], gradients=True),
        plain("one axis, no mask", 6),  # who remembers the last mask of this size is found here
        CaseInput("three axes", [normal(rng, 3, 5, 7), gaps(rng, 3, 5, 7)], HOLES, [PADDING, RANK], gradients=True),
        plain("three axes, no mask", 3, 5, 7),
        CaseInput("four axes", [normal(rng, 2, 3, 4, 5), gaps(rng, 2, 3, 4, 5)], HOLES, [PADDING, RANK]),
        plain("four axes, no mask", 2, 3, 4, 5),
        plain("one position, no mask", 3, 1),
        CaseInput("a row with no True", [normal(rng, 4, 6), empty], NO_TRUE, [PADDING, EMPTY]),
        CaseInput("three axes and a row with no True", [normal(rng, 3, 5, 7), holes], NO_TRUE, [PADDING, EMPTY, RANK]),
        CaseInput("one position, rows with no True", [normal(rng, 3, 1), one], NO_TRUE, [PADDING, EMPTY]),
        CaseInput("no True at all", [normal(rng, 2, 5), np.zeros((2, 5), bool)], NO_TRUE, [PADDING, EMPTY]),
        CaseInput("nearly equal scores", [normal(rng, 4, 7, scale=0.01), gaps(rng, 4, 7)], HOLES, [PADDING]),
        CaseInput("weights of all sizes", [of_all_sizes(rng, 4, 29), many], HOLES, [PADDING], tolerance=EXACT),
        CaseInput("weights of all sizes, no mask", [of_all_sizes(rng, 3, 31), None], ANY, tolerance=EXACT),
        CaseInput("scores around -800", [low, gaps(rng, 4, 7)], FAR),
        CaseInput("scores around 800", [high, gaps(rng, 4, 7)], FAR),
        CaseInput("scores around 800, no mask", [high, None], FAR, [LARGE]),
        CaseInput("scores of size 40 and more", [wide, wide_mask], FAR),
        CaseInput("rows far apart", [far_apart(rng, apart), apart], FAR),
        CaseInput("rows far apart, no mask", [far_apart(rng, np.ones((4, 7), bool)), None], FAR, [LARGE]),
        CaseInput("padding that scores higher", [raised(rng, above, 40), above], FAR),
        CaseInput(LOW, [far_below(wide_mask), wide_mask], FAR),
    ]


SOFTMAX = Check(
    masked_softmax,
    ("weights",),
    softmax_cases,
    points={ANY: 1, PADDED: 2, HOLES: 1, NO_TRUE: 1, FAR: 1},
    exact=("weights",),
)


def additive_cases(rng: Rng) -> list[CaseInput]:
    """Draw attention of every shape: all sizes different, all sizes equal, one sentence, one position, one unit."""
    many, exact = (4, 7, 5, 6, 8, 9), {"gradients": True, "tolerance": EXACT}
    return [
        CaseInput("no mask", arguments(rng, (3, 5, 4, 6, 7, 8), None), NO_MASK, **exact),
        CaseInput("padded sentences", arguments(rng, many, padding(rng, 4, 7)), MASKED, **exact),
        CaseInput("other padded sentences", arguments(rng, many, longest_first(rng, 4, 7)), MASKED),
        CaseInput("nothing masked", arguments(rng, many, np.ones((4, 7), bool)), SPECIAL),
        CaseInput("a mask with gaps", arguments(rng, (5, 6, 7, 4, 3, 8), gaps(rng, 5, 6)), MASKED, gradients=True),
        CaseInput("equal sizes", arguments(rng, (5,) * 6, gaps(rng, 5, 5)), MASKED, gradients=True),
        # Anyone who remembers a mask of this size is found.
        CaseInput("equal sizes, no mask", arguments(rng, (5,) * 6, None), NO_MASK),
        CaseInput("one sentence", arguments(rng, (1, 6, 5, 4, 3, 7), gaps(rng, 1, 6)), MASKED, gradients=True),
        CaseInput("one position", arguments(rng, (3, 1, 4, 5, 6, 7), None), NO_MASK),
        CaseInput("one feature of everything", arguments(rng, (3, 4, 1, 1, 1, 1), gaps(rng, 3, 4)), SPECIAL, [PADDING]),
        CaseInput("weights of all sizes", weights_of_all_sizes(rng), SPECIAL, [PADDING], tolerance=EXACT),
        CaseInput("scores around -120", far_from_zero(rng), FAR),
        CaseInput("scores around -120, no mask", [*far_from_zero(rng)[:-1], None], FAR, [LARGE]),
        CaseInput("projections around 100", far_units(rng), FAR, [PADDING]),
        CaseInput("padding that scores higher", padding_above(rng, gaps(rng, 4, 7), 40), FAR),
        CaseInput(LOW, below_fills(rng, gaps(rng, 4, 7)), FAR),
    ]


ADDITIVE = Check(
    additive_attention,
    ("context", "weights"),
    additive_cases,
    points={
        **by_mask(("the weights", "weights", 2, 2), ("the context", "context", 1, 1), masked=(MASKED, SPECIAL)),
        FAR: 1,
    },
    exact=("weights",),
    may_call=("masked_softmax",),
)


LEFT_OVER, HARDLY = "weights that padding still has", "words that are hardly looked at"


def coverage_cases(rng: Rng) -> list[CaseInput]:
    """Draw weights under which some words get less than 1 in all, and some more."""

    def masked(sizes: tuple[int, int, int], mask: np.ndarray, beta: float) -> list:
        return [weights(rng, *sizes, mask=mask), mask, beta]

    hardly = weights(rng, 3, 4, 6)
    hardly[:, :, 2] = rng.uniform(5e-5, 3e-4, size=(3, 4))
    holes = gaps(rng, 4, 6)
    drawn = [
        CaseInput("no mask", [weights(rng, 3, 5, 4), None, 0.5], NO_MASK, gradients=True),
        CaseInput("more source words", [weights(rng, 4, 3, 8), None, 0.2], NO_MASK, gradients=True),
        CaseInput("one target word", [weights(rng, 3, 1, 5), None, 1.5], NO_MASK),
        CaseInput("one source word", [weights(rng, 3, 4, 1), None, 0.7], NO_MASK),
        CaseInput("equal sizes", [weights(rng, 5, 5, 5), None, 0.4], NO_MASK),
        CaseInput("padded sentences", masked((4, 5, 7), padding(rng, 4, 7), 0.3), MASKED, gradients=True),
        CaseInput("other padded sentences", masked((4, 3, 6), longest_first(rng, 4, 6), 0.8), MASKED),
        CaseInput("a mask with gaps", masked((5, 4, 6), gaps(rng, 5, 6), 1.2), MASKED, gradients=True),
        CaseInput("equal sizes and a mask", masked((5, 5, 5), gaps(rng, 5, 5), 0.6), MASKED),
        CaseInput("one sentence", masked((1, 2, 6), gaps(rng, 1, 6), 0.9), MASKED, gradients=True),
        CaseInput("nothing masked", masked((3, 4, 6), np.ones((3, 6), bool), 0.2), MASKED),
        CaseInput("weight at padding", [weights(rng, 4, 5, 6), holes, 0.5], LEFT_OVER, [PADDING]),
        CaseInput("nearly no weight", [hardly, None, 0.25], HARDLY),
    ]
    least = weights(rng, 3, 2, 5)
    least[:, :, 1] = rng.uniform(2e-5, 4e-5, size=(3, 2))
    return [*drawn, CaseInput("next to no weight", [least, None, 0.25], HARDLY)]


def backward_cases(rng: Rng) -> list[CaseInput]:
    """Draw additive attention of every shape, with what arrives at its context."""

    def drawn(given: list) -> list:
        return [normal(rng, *given[2][:, 0].shape), *given]

    many = (4, 7, 5, 6, 8, 9)
    return [
        CaseInput("no mask", drawn(arguments(rng, (3, 5, 4, 6, 7, 8), None)), NO_MASK),
        CaseInput("other sizes", drawn(arguments(rng, (5, 4, 7, 3, 6, 2), None)), NO_MASK),
        CaseInput("equal sizes, no mask", drawn(arguments(rng, (5,) * 6, None)), NO_MASK),
        CaseInput("one position", drawn(arguments(rng, (3, 1, 4, 5, 6, 7), None)), NO_MASK),
        CaseInput("padded sentences", drawn(arguments(rng, many, padding(rng, 4, 7))), MASKED),
        CaseInput("other padded sentences", drawn(arguments(rng, many, longest_first(rng, 4, 7))), MASKED),
        CaseInput("nothing masked", drawn(arguments(rng, many, np.ones((4, 7), bool))), MASKED),
        CaseInput("a mask with gaps", drawn(arguments(rng, (5, 6, 7, 4, 3, 8), gaps(rng, 5, 6))), MASKED),
        CaseInput("equal sizes", drawn(arguments(rng, (5,) * 6, gaps(rng, 5, 5))), MASKED),
        CaseInput("one sentence", drawn(arguments(rng, (1, 6, 5, 4, 3, 7), gaps(rng, 1, 6))), MASKED),
        CaseInput("one feature of everything", drawn(arguments(rng, (3, 4, 1, 1, 1, 1), gaps(rng, 3, 4))), MASKED),
        CaseInput("scores around -120", drawn(far_from_zero(rng)), FAR),
        CaseInput("scores around -120, no mask", drawn([*far_from_zero(rng)[:-1], None]), FAR, [LARGE]),
        CaseInput("projections around 100", drawn(far_units(rng)), FAR, [PADDING]),
        CaseInput("padding that scores higher", drawn(padding_above(rng, gaps(rng, 4, 7), 40)), FAR),
        CaseInput(LOW, drawn(below_fills(rng, gaps(rng, 4, 7))), FAR),
    ]


COVERAGE = Check(
    coverage_penalty,
    ("penalty",),
    coverage_cases,
    points={NO_MASK: 1, MASKED: 1, LEFT_OVER: 1, HARDLY: 1},
    stars=1,
)

BACKWARD = Check(
    additive_attention_backward,
    ("d_query", "d_keys", "d_values", "d_v"),
    backward_cases,
    points={
        "∂L/∂values without a mask": Points(1, NO_MASK, part="d_values"),
        "∂L/∂v without a mask": Points(1, NO_MASK, part="d_v"),
        "∂L/∂keys without a mask": Points(1, NO_MASK, part="d_keys"),
        "∂L/∂query without a mask": Points(1, NO_MASK, part="d_query"),
        "all of them with a mask": Points(2, MASKED),
        FAR: 1,
    },
    also=(SHAPE, UNCHANGED, REPEAT),
    exact=("d_keys", "d_values"),
    adapter=without_autograd,
    may_call=("masked_softmax",),
    stars=2,
)
