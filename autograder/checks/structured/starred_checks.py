"""The checks of the numbers worked out by hand, of how alike hops are, and of the starred tasks."""

from autograder.checks import FAR, MASKED, NO_MASK, REPEAT, SHAPE, UNCHANGED, Check, Points
from autograder.checks.by_hand import by_hand
from autograder.checks.edits import known
from autograder.checks.structured import examples
from autograder.checks.structured.starred_cases import (
    DIFFERENT,
    EQUAL,
    ONE,
    ROWS,
    backward_cases,
    overlap_cases,
    pruned_cases,
)
from autograder.kit.by_hand import without_autograd
from solutions.structured.attention import hop_overlap, penalty_backward, penalty_by_hand, pruned_output

BY_HAND = by_hand(
    penalty_by_hand,
    {"entry": "the entry of M in (a)", "penalty": "the penalty of (b)"},
    known(penalty_by_hand),
)

OVERLAP = Check(
    hop_overlap,
    ("overlap",),
    overlap_cases,
    points={NO_MASK: 1, MASKED: 2, ROWS: 1},
    shape="a number for each two hops of each sentence",
    mistakes=known(hop_overlap),
    examples=examples.OVERLAP,
)

PRUNED = Check(
    pruned_output,
    ("hidden",),
    pruned_cases,
    points={DIFFERENT: 2, EQUAL: 1, ONE: 1},
    shape="r·p + d·q units for each sentence",
    mistakes=known(pruned_output),
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
    exact=("d_scores",),
    mistakes=known(penalty_backward),
    examples=examples.BACKWARD,
    adapter=without_autograd,
    may_call=("penalization",),
    stars=2,
)
