"""Structured self-attention and its penalty: cases and checks."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import FAR, MASKED, NO_MASK, CaseInput, Check, Points
from autograder.checks.random_inputs import Rng, gaps, longest_first, normal, padding, weights
from solutions.structured.attention import penalization, structured_attention

PADDING, LARGE, HOPS = "padding", "a score far from 0", "more than one hop"
HALF = 0.5  # tanh, ReLU and sigmoid of it are of one size: anyone who takes the wrong one is no less exact, so is named


def penalty_cases(rng: Rng) -> list[CaseInput]:
    """Draw weights of hops: all sizes different, all equal, one sentence, one hop, one word, any numbers."""
    padded = weights(rng, 4, 3, 6) * padding(rng, 4, 6)[:, None]
    return [
        CaseInput("fewer hops than words", [weights(rng, 3, 4, 6)], "several hops", [HOPS], gradients=True),
        CaseInput("more hops than words", [weights(rng, 4, 5, 3)], "several hops", [HOPS], gradients=True),
        CaseInput(
            "equal sizes", [weights(rng, 4, 4, 4)], "sizes that are equal, numbers of any size", [HOPS], gradients=True
        ),
        CaseInput("one sentence", [weights(rng, 1, 3, 5)], "one sentence, one hop, one word", [HOPS]),
        CaseInput("one hop", [weights(rng, 3, 1, 5)], "one sentence, one hop, one word"),
        CaseInput("one word", [weights(rng, 3, 4, 1)], "one sentence, one hop, one word", [HOPS]),
        CaseInput("padded sentences", [padded.astype(np.float32)], "several hops", [PADDING, HOPS]),
        CaseInput(
            "any numbers", [normal(rng, 5, 3, 4)], "sizes that are equal, numbers of any size", [HOPS], gradients=True
        ),
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
    above = gaps(rng, 4, 7)
    far = arguments(rng, (4, 7, 5, 6, 3), gaps(rng, 4, 7))
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
        CaseInput("scores around -120", with_one_unit(far, 1, -120), FAR, [PADDING, LARGE, HOPS]),
        CaseInput(
            "padding that scores higher",
            with_one_unit(arguments(rng, (4, 7, 5, 6, 3), above), np.where(above, 1, 3), 60),
            FAR,
            [PADDING, LARGE, HOPS],
        ),
    ]


PENALTY = Check(
    penalization,
    ("penalty",),
    penalty_cases,
    points={
        "several hops": 3,
        "sizes that are equal, numbers of any size": 1,
        "one sentence, one hop, one word": 1,
    },
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
