"""Structured self-attention: its hops and their penalty, pruning, and the way back: cases and checks."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import CaseInput, Check, Points, by_hand, by_mask
from autograder.checks.points import FAR, LARGE, LOW, MASKED, NO_MASK, PADDING, REPEAT, SHAPE, UNCHANGED
from autograder.checks.random_inputs import HALF, Rng, gaps, longest_first, normal, padding, places, weights
from autograder.kit.verdict.by_hand import without_autograd
from solutions.structured.attention import (
    hop_overlap,
    penalization,
    penalty_backward,
    penalty_by_hand,
    pruned_output,
    structured_attention,
)

HOPS = "more than one hop"
SEVERAL, ANY = "several hops", "sizes that are equal, numbers of any size"  # groups of the cases of the penalty
ONE = "one sentence, one hop, one word"


def penalty_cases(rng: Rng) -> list[CaseInput]:
    """Draw weights of hops: all sizes different, all equal, one sentence, one hop, one word, any numbers."""
    padded = weights(rng, 4, 3, 6) * padding(rng, 4, 6)[:, None]
    return [
        CaseInput("fewer hops than words", [weights(rng, 3, 4, 6)], SEVERAL, [HOPS], gradients=True),
        CaseInput("more hops than words", [weights(rng, 4, 5, 3)], SEVERAL, [HOPS], gradients=True),
        CaseInput("equal sizes", [weights(rng, 4, 4, 4)], ANY, [HOPS], gradients=True),
        CaseInput("one sentence", [weights(rng, 1, 3, 5)], ONE, [HOPS]),
        CaseInput("one hop", [weights(rng, 3, 1, 5)], ONE),
        CaseInput("one word", [weights(rng, 3, 4, 1)], ONE, [HOPS]),
        CaseInput("padded sentences", [padded.astype(np.float32)], SEVERAL, [PADDING, HOPS]),
        CaseInput("any numbers", [normal(rng, 5, 3, 4)], ANY, [HOPS], gradients=True),
    ]


def arguments(rng: Rng, sizes: Sequence[int], mask: np.ndarray | None) -> list:
    """Return H, W_s1, W_s2 and the mask for sizes B, S, d, a, r."""
    B, S, d, a, r = sizes
    return [normal(rng, B, S, d), normal(rng, a, d, scale=d**-0.5), normal(rng, r, a), mask]


def with_one_unit(given: list, feature: np.ndarray | float, weight: float) -> list:
    """Return arguments in which one hidden unit tells the words apart by this feature, and all hops weigh it so."""
    H, W_s1, W_s2, mask = given
    H[..., 0], W_s1[0], W_s2[:, 0] = feature, 0, weight / np.tanh(HALF)
    W_s1[0, 0] = HALF
    return [H, W_s1, W_s2, mask]


def read(
    rng: Rng, name: str, sizes: Sequence[int], mask: np.ndarray | None, group: str = "", gradients: bool = False
) -> CaseInput:
    """Return a case for sizes B, S, d, a, r."""
    features = [PADDING] * (mask is not None) + [HOPS] * (sizes[-1] > 1)
    return CaseInput(name, arguments(rng, sizes, mask), group, features, gradients)


def attention_cases(rng: Rng) -> list[CaseInput]:
    """Draw sentences as matrices: all sizes different, all sizes equal, one sentence, one hop, one word."""
    above, many, special = gaps(rng, 4, 7), (4, 7, 5, 6, 3), [PADDING, LARGE, HOPS]
    far, where = arguments(rng, many, gaps(rng, 4, 7)), np.where(above, 1, 3)
    return [
        read(rng, "no mask", (3, 5, 4, 6, 2), None, NO_MASK, True),
        read(rng, "padded sentences", (4, 6, 5, 3, 7), padding(rng, 4, 6), MASKED, True),
        read(rng, "other padded sentences", (4, 6, 7, 5, 3), longest_first(rng, 4, 6), MASKED),
        read(rng, "a mask with gaps", (5, 6, 3, 7, 4), gaps(rng, 5, 6), MASKED, True),
        read(rng, "equal sizes", (5,) * 5, gaps(rng, 5, 5), MASKED, True),
        read(rng, "equal sizes, no mask", (4,) * 5, None, NO_MASK),
        read(rng, "one sentence", (1, 6, 5, 4, 3), gaps(rng, 1, 6), MASKED),
        read(rng, "one hop", (3, 5, 4, 6, 1), gaps(rng, 3, 5)),
        read(rng, "one word", (3, 1, 4, 5, 2), None, NO_MASK),
        CaseInput("scores around -120", with_one_unit(far, 1, -120), FAR, special),
        CaseInput("padding that scores higher", with_one_unit(arguments(rng, many, above), where, 60), FAR, special),
        CaseInput(LOW, with_one_unit(arguments(rng, many, above), 1 + places(above) / 5, -200_000), FAR, special),
    ]


PENALTY = Check(
    penalization,
    ("penalty",),
    penalty_cases,
    points={SEVERAL: 3, ANY: 1, ONE: 1},
    shape="one number for each sentence",
)

ATTENTION = Check(
    structured_attention,
    ("M", "A", "penalty"),
    attention_cases,
    points={
        **by_mask(("A", "A", 2, 2), masked=(MASKED, "one hop")),
        **by_mask(("M", "M", 1, 1), masked=(MASKED, "one hop")),
        **by_mask(("the penalty", "penalty", 1, 1), masked=(MASKED, "one hop")),
        FAR: 1,
    },
    shape="the shapes of M, A and the penalty",
    exact=("A",),
    may_call=("penalization",),
)


ROWS = "rows that do not add up to 1, one of something"
DIFFERENT, EQUAL, ONE_OF = "sizes that differ", "sizes that are equal", "one sentence, hop, feature or unit"


def even(rng: Rng, *sizes: int) -> np.ndarray:
    """Return weights none of which is tiny: the slope of a short row's length would be rounding and little else."""
    return rng.uniform(0.1, 0.5, size=sizes).astype(np.float32)


def overlap_cases(rng: Rng) -> list[CaseInput]:
    """Draw weights of hops, at padding too, and rows of any length."""
    padded = padding(rng, 4, 6)
    scaled = weights(rng, 3, 4, 5) * rng.uniform(0.2, 3, size=(3, 4, 1))
    left = weights(rng, 5, 3, 6) * rng.uniform(0.2, 3, size=(5, 3, 1))
    return [
        CaseInput("fewer hops than words", [weights(rng, 3, 4, 6), None], NO_MASK, [HOPS], gradients=True),
        CaseInput("more hops than words", [weights(rng, 4, 5, 3), None], NO_MASK, [HOPS], gradients=True),
        CaseInput("equal sizes", [weights(rng, 4, 4, 4), None], NO_MASK, [HOPS]),
        CaseInput("padded sentences", [(weights(rng, 4, 3, 6) * padded[:, None]).astype(np.float32), padded], MASKED),
        CaseInput("weight at padding", [even(rng, 4, 5, 6), longest_first(rng, 4, 6)], MASKED, gradients=True),
        CaseInput("a mask with gaps", [even(rng, 5, 3, 6), gaps(rng, 5, 6)], MASKED, gradients=True),
        CaseInput("equal sizes and a mask", [even(rng, 5, 5, 5), gaps(rng, 5, 5)], MASKED, gradients=True),
        CaseInput("nothing masked", [weights(rng, 3, 4, 5), np.ones((3, 5), bool)], MASKED, [HOPS]),
        CaseInput("rows that do not add up to 1", [scaled.astype(np.float32), None], ROWS, [HOPS]),
        CaseInput("such rows and a mask", [left.astype(np.float32), gaps(rng, 5, 6)], ROWS, [PADDING, HOPS]),
        CaseInput("one sentence", [even(rng, 1, 3, 5), gaps(rng, 1, 5)], ROWS, [PADDING, HOPS], gradients=True),
        CaseInput("one hop", [weights(rng, 3, 1, 5), None], ROWS),
        CaseInput("one word", [weights(rng, 3, 4, 1), None], ROWS, [HOPS]),
        CaseInput("rows that add up to a hundredth", [weights(rng, 4, 3, 5) * np.float32(0.01), None], ROWS, [HOPS]),
    ]


def layer(rng: Rng, sizes: Sequence[int]) -> list:
    """Return M, W_v and W_h for sizes B, r, d, p, q."""
    B, r, d, p, q = sizes
    return [normal(rng, B, r, d), normal(rng, r, p, d, scale=d**-0.5), normal(rng, d, q, r, scale=r**-0.5)]


def pruned_cases(rng: Rng) -> list[CaseInput]:
    """Draw pruned layers: all sizes different, some or all of them equal, one of something."""
    return [
        CaseInput("fewer hops than features", layer(rng, (3, 4, 6, 2, 5)), DIFFERENT, gradients=True),
        CaseInput("more hops than features", layer(rng, (4, 5, 3, 7, 2)), DIFFERENT, gradients=True),
        CaseInput("many units of a row", layer(rng, (2, 3, 4, 8, 5)), DIFFERENT),
        CaseInput("equal sizes", layer(rng, (4, 4, 4, 4, 4)), EQUAL, gradients=True),
        CaseInput("as many hops as features", layer(rng, (3, 5, 5, 2, 4)), EQUAL),
        CaseInput("square matrices", layer(rng, (2, 3, 5, 5, 3)), EQUAL),
        CaseInput("one sentence", layer(rng, (1, 3, 5, 2, 4)), ONE_OF, gradients=True),
        CaseInput("one hop", layer(rng, (3, 1, 4, 5, 2)), ONE_OF),
        CaseInput("one feature", layer(rng, (3, 4, 1, 2, 5)), ONE_OF),
        CaseInput("one unit of each", layer(rng, (9, 4, 5, 1, 1)), ONE_OF),
    ]


def backward_cases(rng: Rng) -> list[CaseInput]:
    """Draw scores of hops, with what arrives at the penalty of each sentence."""

    def drawn(sizes: tuple[int, int, int], mask: np.ndarray | None, scale: float = 1.5) -> list:
        return [normal(rng, sizes[0]), normal(rng, *sizes, scale=scale), mask]

    def moved(sizes: tuple[int, int, int], mask: np.ndarray | None, by: np.ndarray | float) -> list:
        outer, scores, _ = drawn(sizes, mask)
        return [outer, (scores + by).astype(np.float32), mask]

    low, high, above = gaps(rng, 4, 7), gaps(rng, 3, 6), gaps(rng, 4, 7)
    apart = np.array([-300, 0, 300])[:, None]
    return [
        CaseInput("fewer hops than words", drawn((3, 2, 5), None), NO_MASK, [HOPS]),
        CaseInput("more hops than words", drawn((4, 5, 3), None), NO_MASK, [HOPS]),
        CaseInput("equal sizes, no mask", drawn((4, 4, 4), None), NO_MASK, [HOPS]),
        CaseInput("one hop", drawn((3, 1, 5), None), NO_MASK),
        CaseInput("one word", drawn((3, 4, 1), None), NO_MASK, [HOPS]),
        CaseInput("narrow hops", drawn((3, 4, 6), None, 4.0), NO_MASK, [HOPS]),
        CaseInput("padded sentences", drawn((4, 3, 6), padding(rng, 4, 6)), MASKED),
        CaseInput("other padded sentences", drawn((4, 5, 6), longest_first(rng, 4, 6)), MASKED),
        CaseInput("a mask with gaps", drawn((5, 4, 6), gaps(rng, 5, 6)), MASKED),
        CaseInput("equal sizes", drawn((5, 5, 5), gaps(rng, 5, 5)), MASKED),
        CaseInput("one sentence", drawn((1, 3, 6), gaps(rng, 1, 6)), MASKED),
        CaseInput("nothing masked", drawn((3, 2, 6), np.ones((3, 6), bool)), MASKED, [HOPS]),
        CaseInput("scores around -800", moved((4, 3, 7), low, -800), FAR),
        CaseInput("scores around 800, no mask", moved((4, 3, 7), None, 800), FAR, [LARGE]),
        CaseInput("hops far apart", moved((3, 3, 6), high, apart), FAR),
        CaseInput("padding that scores higher", moved((4, 3, 7), above, 60 * ~above[:, None]), FAR),
    ]


BY_HAND = by_hand(
    penalty_by_hand,
    {"entry": "the entry of M in (a)", "penalty": "the penalty of (b)"},
)

OVERLAP = Check(
    hop_overlap,
    ("overlap",),
    overlap_cases,
    points={NO_MASK: 1, MASKED: 2, ROWS: 1},
    shape="a number for each two hops of each sentence",
)

PRUNED = Check(
    pruned_output,
    ("hidden",),
    pruned_cases,
    points={DIFFERENT: 2, EQUAL: 1, ONE_OF: 1},
    shape="r·p + d·q units for each sentence",
    stars=1,
)

BACKWARD = Check(
    penalty_backward,
    ("d_scores",),
    backward_cases,
    points={"∂L/∂scores without a mask": Points(3, NO_MASK), "∂L/∂scores with a mask": Points(3, MASKED), FAR: 1},
    also=(SHAPE, UNCHANGED, REPEAT),
    shape="the shape of ∂L/∂scores",
    exact=("d_scores",),
    adapter=without_autograd,
    may_call=("penalization",),
    stars=2,
)
