"""Checks of numbers that students work out on paper and type into a function without arguments."""

from collections.abc import Callable, Mapping

from autograder.checks.check import CaseInput, Check
from autograder.checks.points import Points

YOURS = "your numbers"  # the one case
TWO_DECIMALS = 0.006  # may be off, for two decimals that are rounded


def by_hand(reference: Callable, asked: Mapping[str, str]) -> Check:
    """Return the check of typed numbers, a point for each of `asked`: what is returned, and what students call it.

    It has no examples: a right function's numbers are the answer.
    """
    points = {title: Points(1, YOURS, part=output) for output, title in asked.items()}
    case = CaseInput(YOURS, [], tolerance=TWO_DECIMALS)
    return Check(reference, tuple(asked), lambda rng: [case], points=points, also=())
