"""The checks of Luong's scores, of the attentional state, of local attention and of input feeding."""

from collections.abc import Callable

from autograder.checks import CaseInput, Check, by_hand
from autograder.checks.random_inputs import Rng
from exercises.luong.attention import FEEDING, LOCAL, STATE, score_arguments
from exercises.luong.hunt import HUNT
from exercises.luong.starred import UNKNOWN, WINDOWED
from solutions.luong.attention import concat_score, dot_score, general_score, scores_by_hand

BY_HAND = by_hand(scores_by_hand, {"score": "the score of (a)", "weight": "the weight of (b)"})


SCORES, EQUAL, ONE = "the scores", "sizes that are equal", "one sentence, one position"  # groups of cases


def score_cases(widths: tuple[int, ...]) -> Callable[[Rng], list[CaseInput]]:
    """Return the function that draws the cases of a score: `widths` are all different, as many as the score has."""

    def draw(rng: Rng) -> list[CaseInput]:
        wide, count = tuple(width + 2 for width in widths[::-1]), len(widths)
        alone = (3, 4, 7) if count == 3 else widths  # here the matrix of concat is square
        return [
            CaseInput("all sizes different", score_arguments(rng, (3, 4, 5, *widths)), SCORES, gradients=True),
            CaseInput("other sizes", score_arguments(rng, (4, 6, 3, *wide)), SCORES, gradients=True),
            CaseInput("equal sizes", score_arguments(rng, (5, 5, 5, *[5] * count)), EQUAL, gradients=True),
            CaseInput("equal sizes but for the batch", score_arguments(rng, (2, 4, 4, *[4] * count)), EQUAL),
            CaseInput("one sentence", score_arguments(rng, (1, 3, 5, *alone)), ONE),
            CaseInput("one target position", score_arguments(rng, (4, 1, 5, *widths)), ONE),
            CaseInput("one source position", score_arguments(rng, (4, 5, 1, *widths)), ONE),
            CaseInput("large states", score_arguments(rng, (3, 4, 5, *widths), 20.0), SCORES, ["large states"]),
        ]

    return draw


def score_check(reference: Callable, *widths: int) -> Check:
    """Return the check of one of the three scores: they earn the same for the same."""
    return Check(reference, ("scores",), score_cases(widths), points={SCORES: 3, EQUAL: 1, ONE: 1})


DOT = score_check(dot_score, 6)
GENERAL = score_check(general_score, 6, 7)
CONCAT = score_check(concat_score, 6, 7, 8)
CHECKS = [BY_HAND, DOT, GENERAL, CONCAT, STATE, LOCAL, FEEDING, *HUNT.checks(), UNKNOWN, WINDOWED]
