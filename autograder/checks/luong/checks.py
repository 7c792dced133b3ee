"""The checks of Luong's scores, of the attentional state, of local attention and of input feeding."""

from collections.abc import Callable

from autograder.checks import FAR, MASKED, NO_MASK, CaseInput, Check, Hunt, Points, Written
from autograder.checks.by_hand import by_hand
from autograder.checks.edits import known
from autograder.checks.luong import examples, hunt
from autograder.checks.luong.cases import (
    EDGES,
    SHORT,
    WHOLE,
    concat_arguments,
    dot_arguments,
    feeding_cases,
    general_arguments,
    local_cases,
    state_cases,
)
from autograder.checks.luong.starred_checks import UNKNOWN, WINDOWED
from autograder.checks.random_inputs import Rng
from solutions.luong.attention import (
    attentional_state,
    concat_score,
    dot_score,
    general_score,
    input_feeding,
    local_p_weights,
    scores_by_hand,
)

BY_HAND = by_hand(
    scores_by_hand,
    {"score": "the score of (a)", "weight": "the weight of (b)"},
    known(scores_by_hand),
)


def score_cases(arguments: Callable, widths: tuple[int, ...]) -> Callable[[Rng], list[CaseInput]]:
    """Return how the cases of a score are drawn: `widths` are all different, and there are as many as the score has."""

    def draw(rng: Rng) -> list[CaseInput]:
        wide, count = tuple(width + 2 for width in widths[::-1]), len(widths)
        alone = (3, 4, 7) if count == 3 else widths  # here the matrix of concat is square
        return [
            CaseInput("all sizes different", arguments(rng, (3, 4, 5, *widths)), "the scores", gradients=True),
            CaseInput("other sizes", arguments(rng, (4, 6, 3, *wide)), "the scores", gradients=True),
            CaseInput("equal sizes", arguments(rng, (5, 5, 5, *[5] * count)), "sizes that are equal", gradients=True),
            CaseInput("equal sizes but for the batch", arguments(rng, (2, 4, 4, *[4] * count)), "sizes that are equal"),
            CaseInput("one sentence", arguments(rng, (1, 3, 5, *alone)), "one sentence, one position"),
            CaseInput("one target position", arguments(rng, (4, 1, 5, *widths)), "one sentence, one position"),
            CaseInput("one source position", arguments(rng, (4, 5, 1, *widths)), "one sentence, one position"),
            CaseInput("large states", arguments(rng, (3, 4, 5, *widths), scale=20.0), "the scores", ["large states"]),
        ]

    return draw


def score_check(reference: Callable, cases: Callable, codes: tuple[str, ...]) -> Check:
    """Return the check of one of the three scores: they earn the same for the same."""
    return Check(
        reference,
        ("scores",),
        cases,
        points={"the scores": 3, "sizes that are equal": 1, "one sentence, one position": 1},
        mistakes=known(reference),
        examples=codes,
    )


DOT = score_check(dot_score, score_cases(dot_arguments, (6,)), examples.DOT)
GENERAL = score_check(general_score, score_cases(general_arguments, (6, 7)), examples.GENERAL)
CONCAT = score_check(concat_score, score_cases(concat_arguments, (6, 7, 8)), examples.CONCAT)

STATE = Check(
    attentional_state,
    ("state", "weights"),
    state_cases,
    points={
        "the weights without a mask": Points(2, NO_MASK, part="weights"),
        "the state without a mask": Points(2, NO_MASK, part="state"),
        "the weights with a mask": Points(1, MASKED, part="weights"),
        "the state with a mask": Points(1, MASKED, part="state"),
        FAR: 1,
    },
    exact=("weights",),
    mistakes=known(attentional_state),
    examples=examples.STATE,
    may_call=("general_score",),
)

LOCAL = Check(
    local_p_weights,
    ("weights", "p"),
    local_cases,
    points={
        "p without padding": Points(1, WHOLE, part="p"),
        "p in padded sentences": Points(1, (SHORT, EDGES), part="p"),
        "the weights without padding": Points(2, WHOLE, part="weights"),
        "the weights in padded sentences": Points(2, SHORT, part="weights"),
        "windows of every width": Points(2, EDGES, part="weights"),
        FAR: 1,
    },
    exact=("weights",),
    mistakes=known(local_p_weights),
    examples=examples.local("local_p_weights"),
    may_call=("general_score",),
)

HUNT = Hunt(
    LOCAL,
    hunt.broken_weights,
    hunt.repaired_weights,
    hunt.failing_input,
    hunt.diagnosis,
    points={"weights and p": Points(4, (WHOLE, SHORT, EDGES)), FAR: 1},
    ranges={"lengths": (1, "source"), "D": (0.5, 100)},
    mistakes=known(local_p_weights, "repaired_weights"),
    examples=examples.local("repaired_weights"),
)

FEEDING = Check(
    input_feeding,
    ("states", "weights"),
    feeding_cases,
    points={
        "a single step": Points(2, "one step"),
        "a single source position": Points(1, "one position"),
        "several steps": Points(3, NO_MASK),
        "several steps with a mask": Points(2, MASKED),
        FAR: 1,
    },
    exact=("weights",),
    mistakes=known(input_feeding),
    examples=examples.FEEDING,
    may_call=("dot_score", "attentional_state"),
)

CHECKS = [BY_HAND, DOT, GENERAL, CONCAT, STATE, LOCAL, FEEDING, *HUNT.checks(), UNKNOWN, WINDOWED]

ORDER = """\
(a) In Bahdanau's model the state *before* the step asks, $s_{i-1}$; what it finds goes into the step that makes $s_i$.
In Luong's the step comes first, and the new state $h_t$ asks.

(b) Without input feeding nothing that attention finds goes back into the network. All states $h_1 \\dots h_T$ can be
computed first, in one call, and then all of them look at once; each context is joined with its $h_t$ into
$\\tilde h_t$, from which the word is predicted. With input feeding, step $t$ needs $\\tilde h_{t-1}$: the steps have to
wait for each other. Bahdanau's context enters the next state, so he has to wait as well. (Half of the point for one of
the two models.)

(c) After the step the state $h_t$ knows which word was said last; it does not know where the decoder looked when it was
said. That is what $\\tilde h_{t-1}$ adds: a step can avoid what has been translated already, and go on from there."""

SCORES = """\
(a) *1 point.* None, $n^2$, and $n \\cdot 2n + n = 2n^2 + n$. (Half of the point for two of the three.)

(b) *1 point.* It is the general score with a diagonal matrix, $W_a = \\operatorname{diag}(r)$, that is
$\\sum_i r_i\\, h_t(i)\\, h_s(i)$: number $i$ of one state meets only number $i$ of the other. A full $W_a$ lets each
number of the target state meet every number of the source state, and the two states may even have different widths.
(Half of the point for the diagonal alone, or for the missing pairs alone.)

(c) *1 point.* Dot and general scores double, being linear in the source states, so that the weights become sharper. The
concat score does not double: the tanh stays between -1 and 1, and no score goes beyond the sum of the $|v_a|$. (Half of
the point for the doubling alone.)"""

WRITTEN = {
    "who_asks": Written(
        points=3,
        text=ORDER,
        rubric={
            "(a) Bahdanau: the state before the step; Luong: the new state": 1,
            "(b) why Luong's steps can all be computed first, and Bahdanau's (or input feeding) have to wait": 1,
            "(b) half: one of the two models": 0.5,
            "(c) input feeding tells the step where the decoder looked before": 1,
        },
    ),
    "what_scores_can_ask": Written(
        points=3,
        text=SCORES,
        rubric={
            "(a) all three counts: 0, n², 2n² + n": 1,
            "(a) half: two of the three": 0.5,
            "(b) a diagonal matrix: number i meets only number i, a full one lets all meet": 1,
            "(b) half: the diagonal alone, or the missing pairs alone": 0.5,
            "(c) dot and general double, and the weights sharpen; concat is bounded by its tanh": 1,
            "(c) half: the doubling alone": 0.5,
        },
    ),
}
