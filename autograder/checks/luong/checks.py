"""The checks of Luong's scores, of the attentional state, of local attention and of input feeding."""

from collections.abc import Callable

from autograder.checks import DIFFERENTIABLE, Check, Drawn, Written
from autograder.checks.luong import examples, feeding_mistakes, local_mistakes, score_mistakes
from autograder.checks.luong.cases import (
    concat_arguments,
    dot_arguments,
    feeding_cases,
    general_arguments,
    local_cases,
    state_cases,
)
from autograder.checks.random_inputs import Rng
from autograder.kit.cases import Criterion
from solutions.luong.attention import (
    attentional_state,
    concat_score,
    dot_score,
    general_score,
    input_feeding,
    local_p_weights,
)


def score_cases(arguments: Callable, widths: tuple[int, ...]) -> Callable[[Rng], list[Drawn]]:
    """Return how the cases of a score are drawn: `widths` are all different, and there are as many as the score has."""

    def draw(rng: Rng) -> list[Drawn]:
        wide, count = tuple(width + 2 for width in widths[::-1]), len(widths)
        alone = (3, 4, 7) if count == 3 else widths  # here the matrix of concat is square
        return [
            Drawn("all sizes different", arguments(rng, (3, 4, 5, *widths)), gradients=True),
            Drawn("other sizes", arguments(rng, (4, 6, 3, *wide)), gradients=True),
            Drawn("equal sizes", arguments(rng, (5, 5, 5, *[5] * count)), gradients=True),
            Drawn("equal sizes but for the batch", arguments(rng, (2, 4, 4, *[4] * count))),
            Drawn("one sentence", arguments(rng, (1, 3, 5, *alone))),
            Drawn("one target position", arguments(rng, (4, 1, 5, *widths))),
            Drawn("one source position", arguments(rng, (4, 5, 1, *widths))),
            Drawn("large states", arguments(rng, (3, 4, 5, *widths), scale=20.0), ["large states"]),
        ]

    return draw


def score_check(reference: Callable, cases: Callable, mistakes: tuple[Callable, ...], codes: tuple[str, ...]) -> Check:
    """Return the check of one of the three scores: they earn the same for the same."""
    single = ["one sentence", "one target position", "one source position"]
    return Check(
        reference=reference,
        outputs=("scores",),
        draw_cases=cases,
        criteria=[
            Criterion("the shape of the scores", 1, "shape"),
            Criterion("the scores", 3, "values", ["all sizes different", "other sizes", "large states"]),
            Criterion("sizes that are equal", 1, "values", ["equal sizes", "equal sizes but for the batch"]),
            Criterion("one sentence, one position", 1, "values", single),
            *DIFFERENTIABLE,
        ],
        mistakes=mistakes,
        codes=codes,
    )


DOT = score_check(dot_score, score_cases(dot_arguments, (6,)), score_mistakes.DOT, examples.DOT)
GENERAL = score_check(general_score, score_cases(general_arguments, (6, 7)), score_mistakes.GENERAL, examples.GENERAL)
CONCAT = score_check(concat_score, score_cases(concat_arguments, (6, 7, 8)), score_mistakes.CONCAT, examples.CONCAT)

NO_MASK = ["no mask", "equal sizes, no mask", "one position"]
MASKED = ["padded sentences", "other padded sentences", "a mask with gaps", "equal sizes", "one sentence"]
FAR = ["scores around -120", "padding that scores higher"]
SOUND = [Criterion("scores far from 0", 1, "values", FAR), *DIFFERENTIABLE]

STATE = Check(
    reference=attentional_state,
    outputs=("state", "weights"),
    draw_cases=state_cases,
    criteria=[
        Criterion("the shapes of state and weights", 1, "shape"),
        Criterion("the weights without a mask", 2, "values", NO_MASK, part="weights"),
        Criterion("the state without a mask", 2, "values", NO_MASK, part="state"),
        Criterion("the weights with a mask", 1, "values", MASKED, part="weights"),
        Criterion("the state with a mask", 1, "values", MASKED, part="state"),
        *SOUND,
    ],
    mistakes=score_mistakes.STATE,
    parts=score_mistakes.State,
    codes=examples.STATE,
    may_call=("general_score",),
)

WHOLE = ["no padding", "no padding, another window", "one position"]
SHORT = ["padded sentences", "other padded sentences", "more padded sentences", "equal sizes", "one sentence"]
EDGES = ["a narrow window", "a window wider than the sentences", "positions at the window's edge", "D = 2.5"]

LOCAL = Check(
    reference=local_p_weights,
    outputs=("weights", "p"),
    draw_cases=local_cases,
    criteria=[
        Criterion("the shapes of weights and p", 1, "shape"),
        Criterion("p without padding", 1, "values", WHOLE, part="p"),
        Criterion("p in padded sentences", 1, "values", [*SHORT, *EDGES], part="p"),
        Criterion("the weights without padding", 2, "values", WHOLE, part="weights"),
        Criterion("the weights in padded sentences", 2, "values", SHORT, part="weights"),
        Criterion("windows of every width", 2, "values", EDGES, part="weights"),
        *SOUND,
    ],
    mistakes=local_mistakes.LOCAL,
    parts=local_mistakes.Local,
    codes=examples.local("local_p_weights"),
    may_call=("general_score",),
)

REPAIRED = Check(
    reference=local_p_weights,
    name="repaired_weights",
    outputs=("weights", "p"),
    draw_cases=local_cases,
    criteria=[
        Criterion("gradients for what predicts p", 3, "gradients"),
        Criterion("p", 1, "values", [*WHOLE, *SHORT, *EDGES], part="p"),
        Criterion("the weights", 1, "values", [*WHOLE, *SHORT, *EDGES], part="weights"),
        Criterion("scores far from 0", 1, "values", FAR),
        *DIFFERENTIABLE[1:],
    ],
    mistakes=tuple(mistake for mistake in local_mistakes.LOCAL if mistake is not local_mistakes.results_swapped),
    parts=local_mistakes.Local,
    codes=examples.local("repaired_weights"),
    may_call=("general_score", "local_p_weights"),
)

STEPS = [name for name in NO_MASK if name != "one position"]
MASKED_STEPS = MASKED

FEEDING = Check(
    reference=input_feeding,
    outputs=("states", "weights"),
    draw_cases=feeding_cases,
    criteria=[
        Criterion("the shapes of states and weights", 1, "shape"),
        Criterion("a single step", 2, "values", ["one step"]),
        Criterion("a single source position", 1, "values", ["one position"]),
        Criterion("several steps", 3, "values", STEPS),
        Criterion("several steps with a mask", 2, "values", MASKED_STEPS),
        *SOUND,
    ],
    mistakes=feeding_mistakes.FEEDING,
    parts=feeding_mistakes.Decoder,
    codes=examples.FEEDING,
    may_call=("dot_score", "attentional_state"),
)

CHECKS = [DOT, GENERAL, CONCAT, STATE, LOCAL, FEEDING, REPAIRED]

ORDER = """\
(a) In Bahdanau's model the state *before* the step asks, $s_{i-1}$; what it finds goes into the step that makes $s_i$.
In Luong's the step comes first, and the new state $h_t$ asks.

(b) Without input feeding nothing that attention finds goes back into the network. All states $h_1 \\dots h_T$ can be
computed first, in one call, and then all of them look at once. With input feeding, step $t$ needs $\\tilde h_{t-1}$:
the steps have to wait for each other. Bahdanau's context enters the next state, so he has to wait as well.

(c) After the step the state $h_t$ knows which word was said last; it does not know where the decoder looked when it was
said. That is what $\\tilde h_{t-1}$ adds: a step can avoid what has been translated already, and go on from there."""

WRITTEN = {"who_asks": Written(points=3, text=ORDER)}
