"""The checks of structured self-attention and of its penalty."""

from autograder.checks import FAR, MASKED, NO_MASK, Check, Hunt, Points, Written
from autograder.checks.edits import known
from autograder.checks.structured import examples, hunt
from autograder.checks.structured.cases import attention_cases, penalty_cases
from autograder.checks.structured.starred_checks import BACKWARD, BY_HAND, OVERLAP, PRUNED
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
    mistakes=known(penalization),
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
    exact=("A",),
    mistakes=known(structured_attention),
    examples=examples.attention("structured_attention"),
    may_call=("penalization",),
)

HUNT = Hunt(
    ATTENTION,
    hunt.broken_attention,
    hunt.repaired_attention,
    hunt.failing_input,
    hunt.diagnosis,
    points={"several hops": Points(4, (NO_MASK, MASKED)), "one hop, as before": Points(1, "one hop"), FAR: 1},
    mistakes=known(structured_attention, "repaired_attention"),
    examples=examples.attention("repaired_attention"),
)

CHECKS = [BY_HAND, PENALTY, ATTENTION, OVERLAP, *HUNT.checks(), PRUNED, BACKWARD]

READING = """\
(a) Matrix 2. Hops 1 and 2, for instance, have no word in common: where they meet, AAᵀ is nearly 0. In matrix 1 the
hops 3 and 4 look at the same words: AAᵀ has about .14 · .19 + .53 · .49 + .31 · .29 = .38 there, and the penalty
charges the square of that twice. (Hops 3 and 4 of matrix 2 share .32 all the same: the penalty makes it dear and does
not forbid it.)

(b) Hardly. Hops 1, 3 and 4 are nearly the same row, so three rows of M are nearly the same vector. Two of them could
go; only hop 2 looks elsewhere, at the comma and at *although*.

(c) One cannot say so from the weights. The state at *although* has read the review in both directions: it knows that
*stale* came before it, and that what follows is about something else. A hop takes what the state holds, not the word
that stands there. And the penalty wants the hops at different words: not all of them can have *stale*."""

DIAGONAL = """\
(1 point) With the diagonal: both rows have the square of length ½, so ½ - 1 = -½ stands twice on the diagonal, and
nothing beside it: P = 2 · ¼ = ½. Without it: the two hops have no word in common, P' = 0.

(2 points) P' = 0 says that a_i · a_j = 0 for i ≠ j. Weights are never negative, so no word may have weight in two hops;
each hop may spread over as many words of its own as it likes. P = 0 also asks a_i · a_i = 1. Since all weights are at
most 1, Σ a² ≤ Σ a = 1, and the two are equal only where every weight is 0 or 1: each hop has one word, and all of them
different ones. (1 point for each, half of it without the reason.)

(1 point) Neither. Each hop has weight somewhere, and needs a word that no other hop touches: with more hops than words
two of them share one. (Half of the point for an example, or for a reason that holds for P alone, such as "A Aᵀ
has rank n at most, so it is not I"; that r rows other than 0 and orthogonal need r dimensions holds for both.)

(1 point) The penalty knows nothing of the labels. The larger λ, the more of the loss is gained by hops that are narrow
and apart, wherever they are: the words that decide may stand side by side and be needed by several hops, or be two
words that one hop has to weigh together, such as *not good*. The accuracy falls, though the hops look tidy. (Half of
the point for "it gets worse" without saying why.)"""

WRITTEN = {
    "two_matrices": Written(
        points=3,
        text=READING,
        rubric={
            "(a) matrix 2, with a reason from the rows: hops that share no word": 1,
            "(a) half: matrix 2 without a reason": 0.5,
            "(b) hardly: hops 1, 3 and 4 are nearly the same row": 1,
            "(c) not from the weights: the state has read the whole review": 1,
            "(c) half: no, without a reason": 0.5,
        },
    ),
    "without_the_diagonal": Written(
        points=5,
        text=DIAGONAL,
        rubric={
            "P = ½ with the diagonal, P' = 0 without it": 1,
            "P' = 0: no word has weight in two hops, since weights are never negative": 1,
            "P' = 0, half: without the reason": 0.5,
            "P = 0: each hop has one word, since Σ a² = Σ a only for weights of 0 and 1": 1,
            "P = 0, half: without the reason": 0.5,
            "More hops than words: two hops share a word, so neither can be 0": 1,
            "More hops than words, half: an example, or a reason for P alone": 0.5,
            "A large λ: the penalty does not know the labels, so the accuracy falls": 1,
            "A large λ, half: it gets worse, without saying why": 0.5,
        },
    ),
}
