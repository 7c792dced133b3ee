"""The checks of the numbers worked out by hand, of positions left out, and of weights that pool the same vector."""

from autograder.checks import MASKED, NO_MASK, REPEAT, SHAPE, UNCHANGED, Check, Points
from autograder.checks.by_hand import by_hand
from autograder.checks.edits import known
from autograder.checks.pooling import examples
from autograder.checks.pooling.starred_cases import ALL, FREE, LENGTHS, TIGHT, adversarial_cases, leave_cases
from solutions.pooling.attention import adversarial_weights, leave_one_out, pooled_by_hand

BY_HAND = by_hand(
    pooled_by_hand,
    {"h": "h* of (a)", "document": "the document of (b)"},
    known(pooled_by_hand),
)

LEAVE = Check(
    leave_one_out,
    ("vectors",),
    leave_cases,
    points={NO_MASK: 1, MASKED: 2, ALL: 1},
    also=(SHAPE, UNCHANGED, REPEAT),
    mistakes=known(leave_one_out),
    examples=examples.LEAVE,
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
    mistakes=known(adversarial_weights),
    examples=examples.ALONG,
    stars=2,
)
