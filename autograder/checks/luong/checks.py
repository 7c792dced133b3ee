"""The checks of Luong's scores, of the attentional state, of local attention and of input feeding."""

from collections.abc import Callable

from autograder.checks import CaseInput, Check, by_hand
from autograder.checks.luong.attention import FEEDING, LOCAL, STATE, concat_arguments, dot_arguments, general_arguments
from autograder.checks.luong.hunt import HUNT
from autograder.checks.luong.starred import UNKNOWN, WINDOWED
from autograder.checks.random_inputs import Rng
from solutions.luong.attention import concat_score, dot_score, general_score, scores_by_hand

BY_HAND = by_hand(scores_by_hand, {"score": "the score of (a)", "weight": "the weight of (b)"})


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


def score_check(reference: Callable, cases: Callable) -> Check:
    """Return the check of one of the three scores: they earn the same for the same."""
    return Check(
        reference,
        ("scores",),
        cases,
        points={"the scores": 3, "sizes that are equal": 1, "one sentence, one position": 1},
    )


DOT = score_check(dot_score, score_cases(dot_arguments, (6,)))
GENERAL = score_check(general_score, score_cases(general_arguments, (6, 7)))
CONCAT = score_check(concat_score, score_cases(concat_arguments, (6, 7, 8)))
CHECKS = [BY_HAND, DOT, GENERAL, CONCAT, STATE, LOCAL, FEEDING, *HUNT.checks(), UNKNOWN, WINDOWED]
