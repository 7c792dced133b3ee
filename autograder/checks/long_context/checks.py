"""The checks of the functions for long texts, in the order of the notebook."""

from autograder.checks import FAR, MASKED, REPEAT, SHAPE, UNCHANGED, Check, Hunt, Points
from autograder.checks.by_hand import by_hand
from autograder.checks.edits import known
from autograder.checks.long_context import cases, examples, far_checks, hunt, part_adapters, state_checks
from autograder.checks.long_context.cases import (
    AXES,
    CACHE,
    CAUSAL,
    EMPTY,
    HIDDEN,
    MEMORY,
    ONE,
    RAGGED,
    SEVERAL,
    TWO,
)
from autograder.checks.long_context.hunt_cases import ALONE, WIDE, chunk_cases
from autograder.checks.long_context.hunt_cases import SEVERAL as IN_CHUNKS
from autograder.checks.long_context.written import WRITTEN
from solutions.long_context.attention import flash_backward, flash_forward, merge_softmax

__all__ = ["CHECKS", "WRITTEN"]

BY_HAND = by_hand(
    hunt.merge_by_hand,
    {"first": "the first part", "second": "the second part", "merged": "both together, and the context"},
    known(hunt.merge_by_hand),
)

MERGE = Check(
    merge_softmax,
    ("maximum", "sum", "weighted"),
    cases.merge_cases,
    points={
        "the maximum": Points(1, TWO, part="maximum"),
        "the sum": Points(2, TWO, part="sum"),
        "the weighted sum of values": Points(2, TWO, part="weighted"),
        AXES: 1,
        EMPTY: 2,
        FAR: 1,
    },
    shape="the shapes of the three",
    mistakes=known(merge_softmax),
    examples=examples.MERGE,
    adapter=part_adapters.of_two_parts,
)

FORWARD = Check(
    flash_forward,
    ("context", "logsumexp"),
    cases.forward_cases,
    points={
        ONE: 1,
        "the context": Points(2, SEVERAL, part="context"),
        "logsumexp": Points(2, SEVERAL, part="logsumexp"),
        RAGGED: 1,
        CAUSAL: 1,
        CACHE: 2,
        MASKED: 2,
        HIDDEN: 1,
        FAR: 1,
        "the memory": Points(3, MEMORY),
    },
    mistakes=known(flash_forward),
    examples=examples.FORWARD,
    may_call=("merge_softmax",),
)

BACKWARD = Check(
    flash_backward,
    ("query", "key", "value"),
    cases.backward_cases,
    points={
        ONE: 1,
        "∂ query": Points(2, SEVERAL, part="query"),
        "∂ key": Points(2, SEVERAL, part="key"),
        "∂ value": Points(1, SEVERAL, part="value"),
        RAGGED: 1,
        FAR: 1,
        "few weights at a time": Points(2, MEMORY),
    },
    also=(SHAPE, UNCHANGED, REPEAT),
    mistakes=known(flash_backward),
    examples=examples.BACKWARD,
    adapter=part_adapters.tiles_by_hand,
    stars=2,
)

# What students repair has no sinks, and its chunks change nothing: its right answer is that of their window.
PLAIN = Check(hunt.chunks, ("context",), chunk_cases, points={IN_CHUNKS: 1, ALONE: 1, WIDE: 1, FAR: 1})

HUNT = Hunt(
    PLAIN,
    hunt.broken_chunks,
    hunt.repaired_chunks,
    hunt.failing_input,
    hunt.diagnosis,
    points={"the context": Points(3, IN_CHUNKS), "where it was right before": Points(1, (ALONE, WIDE)), FAR: 1},
    ranges={"window": (1, None), "chunk": (1, None)},
    mistakes=known(hunt.chunks, "repaired_chunks"),
    examples=examples.CHUNKS,
    own="sliding_window",
    through=hunt.through,
)

CHECKS = [
    *(BY_HAND, MERGE, FORWARD, far_checks.ALIBI, far_checks.WINDOWED),
    *(state_checks.LINEAR, state_checks.STEP, far_checks.CACHE),
    *(*HUNT.checks(), state_checks.DELTA, BACKWARD),
]
