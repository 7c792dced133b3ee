"""The checks of the starred tasks: the coverage penalty, and additive attention backwards."""

from autograder.checks import FAR, MASKED, NO_MASK, REPEAT, SHAPE, UNCHANGED, Check, Points
from autograder.checks.bahdanau import examples
from autograder.checks.bahdanau.starred_cases import LEFT, SMALL, backward_cases, coverage_cases
from autograder.checks.edits import known
from autograder.kit.by_hand import without_autograd
from solutions.bahdanau.attention import additive_attention_backward, coverage_penalty

COVERAGE = Check(
    coverage_penalty,
    ("penalty",),
    coverage_cases,
    points={NO_MASK: 1, MASKED: 1, LEFT: 1, SMALL: 1},
    mistakes=known(coverage_penalty),
    examples=examples.COVERAGE,
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
    mistakes=known(additive_attention_backward),
    examples=examples.BACKWARD,
    adapter=without_autograd,
    may_call=("masked_softmax",),
    stars=2,
)
