"""Random arguments for the checks of variants: heads without biases, and a stack of layers with pre-norm."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import FAR, MASKED, NO_MASK, CaseInput
from autograder.checks.random_inputs import Rng, gaps, normal, padding
from autograder.checks.transformer.cases import HEADS, LARGE, PADDING, TINY, layer_params

SEVERAL, ALONE = "several heads", "one head, one position"  # groups of cases
LAYERS, DEPTH = "several layers", "more than one layer"


def plain_arguments(rng: Rng, sizes: Sequence[int], scale: float = 1.0) -> list:
    """Return x, W_q, W_k, W_v, W_o and heads for sizes B, T, d, h."""
    B, T, d, h = sizes
    return [normal(rng, B, T, d, scale=scale), *(normal(rng, d, d, scale=d**-0.5) for _ in "qkvo"), h]


def plain_cases(rng: Rng) -> list[CaseInput]:
    """Draw heads without biases: one head, one position, equal sizes, scores of every size."""
    return [
        CaseInput("all sizes different", plain_arguments(rng, (3, 5, 6, 2)), SEVERAL, [HEADS], gradients=True),
        CaseInput("one sentence", plain_arguments(rng, (1, 4, 12, 6), scale=2.0), SEVERAL, [HEADS], gradients=True),
        CaseInput("equal sizes", plain_arguments(rng, (4, 4, 4, 4), scale=2.0), SEVERAL, [HEADS]),
        CaseInput("one head", plain_arguments(rng, (2, 5, 3, 1)), ALONE),
        CaseInput("one position", plain_arguments(rng, (5, 1, 8, 2)), ALONE, [HEADS]),
        CaseInput("scores far from 0", plain_arguments(rng, (2, 3, 8, 4), scale=12.0), FAR, [HEADS, LARGE]),
    ]


def stack_case(
    rng: Rng, name: str, sizes: Sequence[int], mask: np.ndarray | None, eps: float = TINY, **more
) -> CaseInput:
    """Return a case of the stack for sizes L, B, S, d, h, f; what comes out at padding is not compared."""
    L, B, S, d, h, f = sizes
    layers = [layer_params(rng, d, f, 2) for _ in range(L)]
    params = {key: np.stack([layer[key] for layer in layers]) for key in layers[0]}
    sign = rng.choice([-1, 1], size=d)
    gamma, beta = (sign * rng.uniform(0.5, 1.5, d)).astype(np.float32), normal(rng, d)
    features = [word for word, there in ((PADDING, mask is not None), (HEADS, h > 1), (DEPTH, L > 1)) if there]
    arguments = [normal(rng, B, S, d, scale=2.0) + np.float32(0.5), params, gamma, beta, h, mask, eps]
    return CaseInput(name, arguments, features=features, compared=mask, **more)


def stack_cases(rng: Rng) -> list[CaseInput]:
    """Draw stacks of one, two and three layers: with and without a mask, a large ε, equal sizes, one position."""
    return [
        stack_case(rng, "one layer", (1, 3, 4, 6, 2, 7), None, gradients=True),
        stack_case(rng, "two layers", (2, 3, 5, 8, 4, 6), None, group=NO_MASK, gradients=True),
        stack_case(rng, "three layers", (3, 2, 4, 6, 3, 5), None, group=NO_MASK),
        stack_case(rng, "padded sentences", (2, 4, 5, 6, 2, 7), padding(rng, 4, 5), group=MASKED, gradients=True),
        stack_case(rng, "a mask with holes", (3, 3, 6, 4, 2, 5), gaps(rng, 3, 6), group=MASKED),
        stack_case(rng, "equal sizes", (2, 5, 5, 5, 5, 5), gaps(rng, 5, 5), group=MASKED),
        stack_case(rng, "eps = 0.5", (2, 3, 5, 4, 2, 6), gaps(rng, 3, 5), 0.5),
        stack_case(rng, "one head", (2, 2, 4, 6, 1, 5), gaps(rng, 2, 4), group=MASKED),
        stack_case(rng, "one sentence, one position", (2, 1, 1, 6, 2, 4), None, group=NO_MASK),
    ]
