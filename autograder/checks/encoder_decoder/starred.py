"""The checks of the starred tasks: the nucleus of a distribution, and the gradients of a GRU's step."""

import numpy as np

from autograder.checks import REPEAT, SHAPE, UNCHANGED, CaseInput, Check, Points
from autograder.checks.encoder_decoder.training import step_arguments
from autograder.checks.random_inputs import Rng, normal, softmax
from autograder.kit.by_hand import without_autograd
from solutions.encoder_decoder.attention import gru_step_backward, nucleus

NEAR = 2e-3  # no sum is so near to p, and no two words at the edge of a nucleus so near to each other
ONE, ROWS, ENDS, LARGE = "one row", "several rows", "p near 0, and p = 1", "logits far from 0"  # groups of cases
PARTS = ("d_x", "d_h", "d_W", "d_R", "d_b", "d_c")
DIFFERENT, EQUAL = "sizes that differ", "sizes that are equal, or 1"  # groups of the cases of a step's gradients


def nucleus_arguments(rng: Rng, rows: int, vocabulary: int, p: float, level: float = 0.0) -> list:
    """Return logits and p, drawn until the rows' nuclei are clear, and of several sizes where there are several."""
    while True:
        logits = normal(rng, rows, vocabulary, scale=1.3) + np.float32(level)
        ranked = np.sort(softmax(logits), axis=-1)[:, ::-1]
        sums = ranked.cumsum(axis=-1)
        sizes = 1 + (sums[:, :-1] < p).sum(axis=-1)
        edge = np.take_along_axis(ranked, sizes[:, None] - 1, 1)[:, 0]
        following = np.take_along_axis(ranked, np.minimum(sizes, vocabulary - 1)[:, None], 1)[:, 0]
        clear = np.abs(sums[:, :-1] - p).min() > NEAR and ((edge - following > NEAR) | (sizes == vocabulary)).all()
        several = rows < 3 or not 0.1 < p < 1 or len(set(sizes.tolist()) | {int(sizes[0])}) > 1
        if clear and several and ranked.min() > 1e-4:
            return [logits, p]


def nucleus_cases(rng: Rng) -> list[CaseInput]:
    """Draw rows whose nuclei have different sizes; p near 0 and p = 1; logits far from 0."""
    return [
        CaseInput("one row", nucleus_arguments(rng, 1, 7, 0.7), ONE),
        CaseInput("another row", nucleus_arguments(rng, 1, 9, 0.5), ONE),
        CaseInput("several rows", nucleus_arguments(rng, 4, 7, 0.75), ROWS),
        CaseInput("more rows", nucleus_arguments(rng, 6, 8, 0.6), ROWS),
        CaseInput("rows and words of one number", nucleus_arguments(rng, 6, 6, 0.8), ROWS),
        CaseInput("two words", nucleus_arguments(rng, 3, 2, 0.7), ROWS),
        CaseInput("p = 0.9", nucleus_arguments(rng, 5, 9, 0.9), ROWS),
        CaseInput("p near 0", nucleus_arguments(rng, 4, 6, 0.01), ENDS),
        CaseInput("p = 1", nucleus_arguments(rng, 3, 5, 1.0), ENDS),
        CaseInput("logits around 800", nucleus_arguments(rng, 4, 8, 0.7, level=800.0), LARGE),
        CaseInput("logits around -800", nucleus_arguments(rng, 4, 6, 0.6, level=-800.0), LARGE),
    ]


NUCLEUS = Check(
    nucleus,
    ("distribution",),
    nucleus_cases,
    points={ONE: 1, ROWS: 2, ENDS: 1, LARGE: 1},
    also=(SHAPE, UNCHANGED, REPEAT),
    stars=1,
)


def backward_arguments(rng: Rng, batch: int, width: int, units: int) -> list:
    """Return the gradient of the new state, and the arguments of the step."""
    return [normal(rng, batch, units), *step_arguments(rng, batch, width, units)]


def backward_cases(rng: Rng) -> list[CaseInput]:
    """Draw steps and what comes back to their new state."""
    return [
        CaseInput("all sizes different", backward_arguments(rng, 4, 5, 3), DIFFERENT),
        CaseInput("other sizes", backward_arguments(rng, 3, 2, 6), DIFFERENT),
        CaseInput("equal sizes", backward_arguments(rng, 5, 5, 5), EQUAL),
        CaseInput("one sentence", backward_arguments(rng, 1, 4, 3), EQUAL),
        CaseInput("one unit", backward_arguments(rng, 4, 3, 1), EQUAL),
    ]


BACKWARD = Check(
    gru_step_backward,
    PARTS,
    backward_cases,
    points={
        "the gradient of x": Points(1, DIFFERENT, part="d_x"),
        "the gradient of h": Points(2, DIFFERENT, part="d_h"),
        "the gradient of W": Points(1, DIFFERENT, part="d_W"),
        "the gradient of R": Points(2, DIFFERENT, part="d_R"),
        "the gradient of b": Points(1, DIFFERENT, part="d_b"),
        "the gradient of c": Points(1, DIFFERENT, part="d_c"),
        EQUAL: 1,
    },
    also=(SHAPE, UNCHANGED, REPEAT),
    shape="the shapes of the six gradients",
    adapter=without_autograd,
    stars=2,
)
