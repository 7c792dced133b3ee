"""The checks of additive attention."""

import numpy as np

from autograder.checks import Check, Drawn
from autograder.checks.draw import Rng, gaps, normal, padding
from autograder.checks.mistakes import bahdanau as mistakes
from autograder.kit.grading import Criterion
from solutions.bahdanau.attention import masked_softmax

PADDING, GAPS, EMPTY = "padding", "a mask with gaps", "a row with no True"
RANK, LARGE, BATCH = "more than two axes", "a score far from 0", "more than one sentence"


def softmax_cases(rng: Rng) -> list[Drawn]:
    """Draw scores and masks: every kind of mask, every number of axes, and scores where exp or a small fill fails."""
    holes = gaps(rng, 3, 5, 7)
    holes[tuple(rng.integers((3, 5)))] = False
    empty = padding(rng, 4, 6)
    empty[rng.integers(4)] = False
    low, high, wide = (normal(rng, 4, 7, scale=2) + shift for shift in (-800, 800, 0))
    wide_mask = gaps(rng, 4, 7)
    wide = wide * 20 + 60 * (wide_mask & (np.cumsum(wide_mask, axis=-1) == 1))
    return [
        Drawn("no mask", [normal(rng, 4, 6), None], gradients=True),
        Drawn("padded sentences", [normal(rng, 4, 6), padding(rng, 4, 6)], [PADDING], gradients=True),
        Drawn("other padded sentences", [normal(rng, 4, 6), padding(rng, 4, 6)], [PADDING]),
        Drawn("a mask with gaps", [normal(rng, 5, 8), gaps(rng, 5, 8)], [PADDING, GAPS], gradients=True),
        Drawn("as many sentences as positions", [normal(rng, 5, 5), gaps(rng, 5, 5)], [PADDING, GAPS]),
        Drawn("one sentence", [normal(rng, 1, 6), gaps(rng, 1, 6)], [PADDING, GAPS]),
        Drawn("three axes", [normal(rng, 3, 5, 7), gaps(rng, 3, 5, 7)], [PADDING, RANK], gradients=True),
        Drawn("four axes, no mask", [normal(rng, 2, 3, 4, 5), None], [RANK]),
        Drawn("a row with no True", [normal(rng, 4, 6), empty], [PADDING, EMPTY]),
        Drawn("three axes and a row with no True", [normal(rng, 3, 5, 7), holes], [PADDING, EMPTY, RANK]),
        Drawn("nearly equal scores", [normal(rng, 4, 7, scale=0.01), gaps(rng, 4, 7)], [PADDING]),
        Drawn("scores around -800", [low, gaps(rng, 4, 7)], [PADDING, LARGE]),
        Drawn("scores around 800", [high, gaps(rng, 4, 7)], [PADDING, LARGE]),
        Drawn("scores around 800, no mask", [high, None], [LARGE]),
        Drawn("scores of size 40 and more", [wide, wide_mask], [PADDING, LARGE]),
    ]


SOFTMAX = Check(
    reference=masked_softmax,
    outputs=("weights",),
    draw_cases=softmax_cases,
    criteria=[
        Criterion(
            "the shape of the weights", 1, "shape", ["no mask", "padded sentences", "three axes", "one sentence"]
        ),
        Criterion("no mask, any number of axes", 1, "values", ["no mask", "four axes, no mask"]),
        Criterion(
            "masked positions",
            3,
            "values",
            [
                "padded sentences",
                "other padded sentences",
                "a mask with gaps",
                "as many sentences as positions",
                "one sentence",
                "three axes",
                "nearly equal scores",
            ],
        ),
        Criterion("rows with no True", 1, "values", ["a row with no True", "three axes and a row with no True"]),
        Criterion(
            "scores far from 0",
            1,
            "values",
            [
                "scores around -800",
                "scores around 800",
                "scores around 800, no mask",
                "scores of size 40 and more",
            ],
        ),
        Criterion("gradients", 1, "gradients", ["no mask", "padded sentences", "a mask with gaps", "three axes"]),
        Criterion("the arguments stay as they are", 1, "unchanged", ["no mask", "padded sentences", "three axes"]),
        Criterion("the same answer twice", 1, "repeat", ["no mask", "padded sentences"]),
    ],
    mistakes=mistakes.SOFTMAX,
)

CHECKS = [SOFTMAX]
