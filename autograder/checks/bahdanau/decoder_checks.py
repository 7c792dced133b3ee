"""The checks of the numbers worked out by hand, of a decoder step, of links and of the alignment error rate."""

from autograder.checks import FAR, MASKED, NO_MASK, REPEAT, UNCHANGED, Check, Points
from autograder.checks.bahdanau import adapters, examples
from autograder.checks.bahdanau.decoder_cases import (
    AMONG,
    BESIDE,
    BOUNDS,
    EQUAL,
    LARGEST,
    NOTHING,
    SPECIAL,
    THRESHOLD,
    link_cases,
    rate_cases,
    step_cases,
)
from autograder.checks.by_hand import by_hand
from autograder.checks.edits import known
from solutions.bahdanau.attention import alignment_error_rate, attention_by_hand, links_of, rnnsearch_step

BY_HAND = by_hand(
    attention_by_hand,
    {"context": "the context of (a)", "score": "the score of (b)"},
    known(attention_by_hand),
)

STEP = Check(
    rnnsearch_step,
    ("state", "context", "weights"),
    step_cases,
    points={
        "the context without a mask": Points(1, NO_MASK, part="context"),
        "the state without a mask": Points(2, NO_MASK, part="state"),
        "the weights": Points(1, (NO_MASK, MASKED, SPECIAL), part="weights"),
        "the context with a mask": Points(1, (MASKED, SPECIAL), part="context"),
        "the state with a mask": Points(1, (MASKED, SPECIAL), part="state"),
        FAR: 1,
    },
    exact=("weights",),
    mistakes=known(rnnsearch_step),
    examples=examples.STEP,
    adapter=adapters.with_tanh_cell,
    may_call=("masked_softmax", "additive_attention"),
)

LINKS = Check(
    links_of,
    ("links",),
    link_cases,
    points={LARGEST: 2, EQUAL: 1, THRESHOLD: 2, BOUNDS: 1},
    also=(UNCHANGED, REPEAT),
    mistakes=known(links_of),
    examples=examples.LINKS,
    adapter=adapters.sorted_links,
)

RATE = Check(
    alignment_error_rate,
    ("rate",),
    rate_cases,
    points={AMONG: 3, BESIDE: 1, NOTHING: 1},
    also=(UNCHANGED, REPEAT),
    mistakes=known(alignment_error_rate),
    examples=examples.RATE,
    adapter=adapters.given_sets,
)
