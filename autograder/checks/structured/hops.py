"""Structured self-attention and its penalty: cases and checks."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import FAR, LARGE, MASKED, NO_MASK, PADDING, CaseInput, Check, Points
from autograder.checks.random_inputs import Rng, gaps, longest_first, normal, padding, weights
from solutions.structured.attention import penalization, structured_attention

HOPS = "more than one hop"
SEVERAL, ANY = "several hops", "sizes that are equal, numbers of any size"  # groups of the cases of the penalty
ONE = "one sentence, one hop, one word"
HALF = 0.5  # tanh, ReLU and sigmoid of it are of one size: anyone who takes the wrong one is no less exact, so is named


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
        "A without a mask": Points(2, NO_MASK, part="A"),
        "A with a mask": Points(2, (MASKED, "one hop"), part="A"),
        "M without a mask": Points(1, NO_MASK, part="M"),
        "M with a mask": Points(1, (MASKED, "one hop"), part="M"),
        "the penalty without a mask": Points(1, NO_MASK, part="penalty"),
        "the penalty with a mask": Points(1, (MASKED, "one hop"), part="penalty"),
        FAR: 1,
    },
    shape="the shapes of M, A and the penalty",
    exact=("A",),
    may_call=("penalization",),
)
