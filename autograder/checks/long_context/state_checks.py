"""The checks of attention with a state: linear, step by step, by the delta rule."""

from autograder.checks import Check, Points
from autograder.checks.edits import known
from autograder.checks.long_context import state_cases, state_examples
from autograder.checks.long_context.state_cases import EDGES, EMPTY, FIRST, LONG, ONE, PAST, SMALL, USUAL
from solutions.long_context.attention import delta_step, linear_attention, linear_step

LINEAR = Check(
    linear_attention,
    ("context",),
    state_cases.linear_cases,
    points={USUAL: 3, LONG: 1, ONE: 1},
    mistakes=known(linear_attention),
    examples=state_examples.LINEAR,
)

STEP = Check(
    linear_step,
    ("output", "state", "total"),
    state_cases.step_cases,
    points={
        "the output": Points(2, PAST, part="output"),
        "the state": Points(1, PAST, part="state"),
        "the sum of keys": Points(1, PAST, part="total"),
        FIRST: 1,
        SMALL: 1,
    },
    mistakes=known(linear_step),
    examples=state_examples.STEP,
)

DELTA = Check(
    delta_step,
    ("state",),
    state_cases.delta_cases,
    points={USUAL: 2, EDGES: 1, EMPTY: 1, SMALL: 1},
    mistakes=known(delta_step),
    examples=state_examples.DELTA,
    stars=1,
)

CHECKS = [LINEAR, STEP, DELTA]
