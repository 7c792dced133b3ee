"""The checks of structured self-attention and of its penalty."""

from autograder.checks import DIFFERENTIABLE, FAR, MASKED, NO_MASK, Check, Points, Written
from autograder.checks.structured import examples, mistakes
from autograder.checks.structured.cases import attention_cases, penalty_cases
from solutions.structured.attention import penalization, structured_attention

PENALTY = Check(
    penalization,
    ("penalty",),
    penalty_cases,
    points={
        "several hops": 3,
        "sizes that are equal, numbers of any size": 1,
        "one sentence, one hop, one word": 1,
    },
    shape="one number for each sentence",
    mistakes=mistakes.PENALTY,
    examples=examples.PENALTY,
)

ATTENTION = Check(
    structured_attention,
    ("M", "A", "penalty"),
    attention_cases,
    points={
        "A without a mask": Points(2, NO_MASK, part="A"),
        "A with a mask": Points(2, (MASKED, "one hop"), part="A"),
        "M without a mask": Points(1, NO_MASK, part="M"),
        "M with a mask": Points(1, (MASKED, "one hop"), part="M"),
        "the penalty without a mask": Points(1, NO_MASK, part="penalty"),
        "the penalty with a mask": Points(1, (MASKED, "one hop"), part="penalty"),
        FAR: 1,
    },
    shape="the shapes of M, A and the penalty",
    mistakes=mistakes.ATTENTION,
    examples=examples.attention("structured_attention"),
    may_call=("penalization",),
)

REPAIRED = Check(
    structured_attention,
    ("M", "A", "penalty"),
    attention_cases,
    points={"several hops": Points(3, (NO_MASK, MASKED)), "one hop, as before": Points(1, "one hop"), FAR: 1},
    also=DIFFERENTIABLE,
    mistakes=(*mistakes.MASKING, *mistakes.SHAPED),
    examples=examples.attention("repaired_attention"),
    name="repaired_attention",
    may_call=("penalization", "structured_attention"),
)

CHECKS = [PENALTY, ATTENTION, REPAIRED]

READING = """\
(a) Matrix 2. Hops 1 and 2, for instance, have no word in common: where they meet, AAᵀ is nearly 0. In matrix 1 the
hops 3 and 4 look at the same words: AAᵀ has about .14 · .19 + .53 · .49 + .31 · .29 = .38 there, and the penalty
charges the square of that twice.

(b) Hardly. Hops 1, 3 and 4 are nearly the same row, so three rows of M are nearly the same vector. Two of them could
go; only hop 2 looks elsewhere, at the comma and at *although*.

(c) One cannot say so from the weights. The state at *although* has read the review in both directions: it knows that
*stale* came before it, and that what follows is about something else. A hop takes what the state holds, not the word
that stands there. And the penalty wants the hops at different words: not all of them can have *stale*."""

WRITTEN = {"two_matrices": Written(points=3, text=READING)}
