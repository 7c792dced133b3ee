"""The checks of the numbers worked out by hand, of how alike hops are, and of the starred tasks."""

from autograder.checks import FAR, MASKED, NO_MASK, REPEAT, SHAPE, UNCHANGED, Check, Drawn, Points
from autograder.checks.random_inputs import Rng
from autograder.checks.structured import examples, overlap_mistakes, starred_mistakes
from autograder.checks.structured.starred_cases import (
    DIFFERENT,
    EQUAL,
    ONE,
    ROWS,
    backward_cases,
    overlap_cases,
    pruned_cases,
)
from solutions.structured.attention import hop_overlap, penalty_backward, penalty_by_hand, pruned_output

TWO_DECIMALS = 0.01


def numbers(rng: Rng) -> list[Drawn]:
    """Return the one case of a function without arguments."""
    return [Drawn("your numbers", [], tolerance=TWO_DECIMALS)]


BY_HAND = Check(
    penalty_by_hand,
    ("entry", "penalty"),
    numbers,
    points={
        "the entry of M in (a)": Points(1, "your numbers", part="entry"),
        "the penalty of (b)": Points(1, "your numbers", part="penalty"),
    },
    also=(),
    mistakes=overlap_mistakes.BY_HAND,
)

OVERLAP = Check(
    hop_overlap,
    ("overlap",),
    overlap_cases,
    points={NO_MASK: 1, MASKED: 2, ROWS: 1},
    shape="a number for each two hops of each sentence",
    mistakes=overlap_mistakes.OVERLAP,
    examples=examples.OVERLAP,
)

PRUNED = Check(
    pruned_output,
    ("hidden",),
    pruned_cases,
    points={DIFFERENT: 2, EQUAL: 1, ONE: 1},
    shape="r·p + d·q units for each sentence",
    mistakes=starred_mistakes.PRUNED,
    examples=examples.PRUNED,
    stars=1,
)

BACKWARD = Check(
    penalty_backward,
    ("d_scores",),
    backward_cases,
    points={"∂L/∂scores without a mask": Points(3, NO_MASK), "∂L/∂scores with a mask": Points(3, MASKED), FAR: 1},
    also=(SHAPE, UNCHANGED, REPEAT),
    shape="the shape of ∂L/∂scores",
    mistakes=starred_mistakes.BACKWARD,
    examples=examples.BACKWARD,
    parts=starred_mistakes.Backward,
    may_call=("penalization",),
    stars=2,
)
