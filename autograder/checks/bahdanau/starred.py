"""The coverage penalty, and additive attention backwards: cases and checks."""

import numpy as np

from autograder.checks import FAR, LARGE, MASKED, NO_MASK, PADDING, REPEAT, SHAPE, UNCHANGED, CaseInput, Check, Points
from autograder.checks.bahdanau.attention import arguments, far_from_zero, far_units, padding_above
from autograder.checks.random_inputs import Rng, gaps, longest_first, normal, padding, weights
from autograder.kit.by_hand import without_autograd
from solutions.bahdanau.attention import additive_attention_backward, coverage_penalty

LEFT, SMALL = "weights that padding still has", "words that are hardly looked at"


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
        CaseInput("weight at padding", [weights(rng, 4, 5, 6), holes, 0.5], LEFT, [PADDING]),
        CaseInput("nearly no weight", [hardly, None, 0.25], SMALL),
    ]
    least = weights(rng, 3, 2, 5)
    least[:, :, 1] = rng.uniform(2e-5, 4e-5, size=(3, 2))
    return [*drawn, CaseInput("next to no weight", [least, None, 0.25], SMALL)]


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
    ]


COVERAGE = Check(
    coverage_penalty,
    ("penalty",),
    coverage_cases,
    points={NO_MASK: 1, MASKED: 1, LEFT: 1, SMALL: 1},
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
