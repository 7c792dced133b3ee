"""The checks of structured self-attention and of its penalty."""

from autograder.checks import DIFFERENTIABLE, Check, Written
from autograder.checks.structured import examples, mistakes
from autograder.checks.structured.cases import attention_cases, penalty_cases
from autograder.kit.cases import Criterion
from solutions.structured.attention import penalization, structured_attention

PENALTY = Check(
    reference=penalization,
    outputs=("penalty",),
    draw_cases=penalty_cases,
    criteria=[
        Criterion("one number for each sentence", 1, "shape"),
        Criterion("several hops", 3, "values", ["fewer hops than words", "more hops than words", "padded sentences"]),
        Criterion("sizes that are equal, numbers of any size", 1, "values", ["equal sizes", "any numbers"]),
        Criterion("one sentence, one hop, one word", 1, "values", ["one sentence", "one hop", "one word"]),
        *DIFFERENTIABLE,
    ],
    mistakes=mistakes.PENALTY,
    codes=examples.PENALTY,
)

NO_MASK = ["no mask", "equal sizes, no mask", "one word"]
MASKED = ["padded sentences", "other padded sentences", "a mask with gaps", "equal sizes", "one sentence", "one hop"]
FAR = ["scores around -120", "padding that scores higher"]
SOUND = [Criterion("scores far from 0", 1, "values", FAR), *DIFFERENTIABLE]

ATTENTION = Check(
    reference=structured_attention,
    outputs=("M", "A", "penalty"),
    draw_cases=attention_cases,
    criteria=[
        Criterion("the shapes of M, A and the penalty", 1, "shape"),
        Criterion("A without a mask", 2, "values", NO_MASK, part="A"),
        Criterion("A with a mask", 2, "values", MASKED, part="A"),
        Criterion("M without a mask", 1, "values", NO_MASK, part="M"),
        Criterion("M with a mask", 1, "values", MASKED, part="M"),
        Criterion("the penalty without a mask", 1, "values", NO_MASK, part="penalty"),
        Criterion("the penalty with a mask", 1, "values", MASKED, part="penalty"),
        *SOUND,
    ],
    mistakes=mistakes.ATTENTION,
    codes=examples.attention("structured_attention"),
    may_call=("penalization",),
)

SEVERAL = [name for name in [*NO_MASK, *MASKED] if name != "one hop"]

REPAIRED = Check(
    reference=structured_attention,
    name="repaired_attention",
    outputs=("M", "A", "penalty"),
    draw_cases=attention_cases,
    criteria=[
        Criterion("several hops", 3, "values", SEVERAL),
        Criterion("one hop, as before", 1, "values", ["one hop"]),
        *SOUND,
    ],
    mistakes=(*mistakes.MASKING, *mistakes.SHAPED),
    codes=examples.attention("repaired_attention"),
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
