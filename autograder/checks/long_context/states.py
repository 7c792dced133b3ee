"""Attention with a state, linear, step by step, by the delta rule: cases and checks."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import CaseInput, Check, Points
from autograder.checks.random_inputs import Rng, normal
from solutions.long_context.attention import delta_step, linear_attention, linear_step

USUAL, LONG, ONE = "usual sizes", "a long text", "one position"  # groups of cases
PAST, FIRST, SMALL = "a state that holds something", "the first step", "one feature, or one text"
EMPTY, EDGES = "an empty state", "β of 0, of 1 and beyond"


def text(
    rng: Rng, sizes: Sequence[int], name: str, group: str, gradients: bool = False, scale: float = 1.5
) -> CaseInput:
    """Return a case of linear attention for sizes B, length, key_dim, value_dim."""
    B, length, width, value_dim = sizes
    arguments = [*(normal(rng, B, length, width, scale=scale) for _ in range(2)), normal(rng, B, length, value_dim)]
    return CaseInput(name, arguments, group, gradients=gradients)


def linear_cases(rng: Rng) -> list[CaseInput]:
    """Draw texts: more positions than features and fewer, equal sizes, a long one, one position."""
    return [
        text(rng, (3, 5, 4, 6), "all sizes different", USUAL, gradients=True),
        text(rng, (2, 9, 3, 4), "more positions than features", USUAL, gradients=True),
        text(rng, (4, 3, 7, 5), "fewer positions than features", USUAL),
        text(rng, (5, 5, 5, 5), "equal sizes", USUAL),
        text(rng, (1, 6, 4, 3), "one text", USUAL),
        text(rng, (3, 7, 1, 4), "one feature of a key", USUAL),
        text(rng, (2, 6, 5, 3), "large queries and keys", USUAL, scale=6.0),
        text(rng, (2, 80, 4, 3), "80 positions", LONG),
        text(rng, (4, 1, 5, 3), "one position", ONE),
    ]


def stepped(rng: Rng, sizes: Sequence[int], name: str, group: str, gradients: bool = False) -> CaseInput:
    """Return a case of one step for sizes B, key_dim, value_dim; before the first one, state and sum are zeros."""
    B, width, value_dim = sizes
    state, total = normal(rng, B, width, value_dim, scale=2), rng.uniform(1, 5, (B, width)).astype(np.float32)
    if group == FIRST:
        state[:], total[:] = 0, 0
    newest = [normal(rng, B, width, scale=1.5), normal(rng, B, width, scale=1.5), normal(rng, B, value_dim)]
    return CaseInput(name, [state, total, *newest], group, gradients=gradients)


def step_cases(rng: Rng) -> list[CaseInput]:
    """Draw steps: states of any shape that hold something, empty ones, one feature and one text."""
    small = stepped(rng, (4, 3, 5), "state and sum are zeros, features near 0", FIRST)
    for features in small.arguments[2:4]:
        features[:] = -2 - abs(features)  # a divisor far below 1
    return [
        stepped(rng, (3, 4, 6), "all sizes different", PAST, gradients=True),
        stepped(rng, (2, 7, 3), "more features of keys than of values", PAST, gradients=True),
        stepped(rng, (5, 5, 5), "equal sizes", PAST),
        stepped(rng, (4, 4, 3), "as many texts as features", PAST),
        stepped(rng, (3, 5, 4), "state and sum are zeros", FIRST),
        small,
        stepped(rng, (1, 4, 5), "one text", SMALL),
        stepped(rng, (3, 1, 4), "one feature of a key", SMALL),
        stepped(rng, (4, 3, 1), "one feature of a value", SMALL),
    ]


def written(
    rng: Rng, sizes: Sequence[int], name: str, group: str, beta: float | None = None, gradients: bool = False
) -> CaseInput:
    """Return a case of the delta rule for sizes B, key_dim, value_dim; each text has a β of its own, or this one."""
    B, width, value_dim = sizes
    state, betas = normal(rng, B, width, value_dim), rng.uniform(0.2, 0.9, B)
    if group == EMPTY:
        state[:] = 0
    if beta is not None:
        betas[:] = beta
    arguments = [state, normal(rng, B, width), normal(rng, B, value_dim), betas.astype(np.float32)]
    return CaseInput(name, arguments, group, gradients=gradients)


def delta_cases(rng: Rng) -> list[CaseInput]:
    """Draw states, keys of any length and of length 1, β between 0 and 1, at both ends and beyond."""
    unit = written(rng, (4, 5, 3), "keys of length 1, β = 1", EDGES, 1.0)
    key = unit.arguments[1]
    key /= np.linalg.norm(key, axis=-1, keepdims=True)
    return [
        written(rng, (3, 4, 6), "all sizes different", USUAL, gradients=True),
        written(rng, (2, 7, 3), "more features of keys than of values", USUAL, gradients=True),
        written(rng, (5, 5, 5), "equal sizes", USUAL),
        written(rng, (4, 4, 3), "as many texts as features", USUAL),
        written(rng, (1, 4, 5), "one text", SMALL),
        written(rng, (3, 1, 4), "one feature of a key", SMALL),
        written(rng, (4, 3, 1), "one feature of a value", SMALL),
        written(rng, (3, 5, 4), "the state is zeros", EMPTY),
        written(rng, (3, 4, 5), "β = 0", EDGES, 0.0),
        written(rng, (4, 3, 6), "β = 1", EDGES, 1.0),
        written(rng, (3, 5, 2), "β = 3", EDGES, 3.0),
        unit,
    ]


LINEAR = Check(
    linear_attention,
    ("context",),
    linear_cases,
    points={USUAL: 3, LONG: 1, ONE: 1},
)

STEP = Check(
    linear_step,
    ("output", "state", "total"),
    step_cases,
    points={
        "the output": Points(2, PAST, part="output"),
        "the state": Points(1, PAST, part="state"),
        "the sum of keys": Points(1, PAST, part="total"),
        FIRST: 1,
        SMALL: 1,
    },
)

DELTA = Check(
    delta_step,
    ("state",),
    delta_cases,
    points={USUAL: 2, EDGES: 1, EMPTY: 1, SMALL: 1},
    stars=1,
)
