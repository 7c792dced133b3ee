"""The check of weighted_mean."""

from answers.averages import weighted_mean

from autograder.checks import SHAPE, CaseInput, Check
from autograder.checks.random_inputs import Rng, normal
from autograder.kit.calls.adapters import in_numpy


def cases(rng: Rng) -> list[CaseInput]:
    return [
        CaseInput("rows", [normal(rng, 4, 6), abs(normal(rng, 6))]),
        CaseInput("one row", [normal(rng, 1, 5), abs(normal(rng, 5))], "special sizes"),
        CaseInput("one column", [normal(rng, 3, 1), abs(normal(rng, 1))], "special sizes"),
    ]


def not_divided(numbers, weights):
    """The weights need not add up to 1: divide by their sum."""
    return numbers @ weights


CHECKS = [
    Check(
        weighted_mean,
        outputs=("means",),
        cases=cases,
        points={"rows": 3, "special sizes": 1},
        also=(SHAPE,),
        mistakes=(not_divided,),
        examples=("weighted_mean(np.array([[1., 3.]], np.float32), np.array([1., 3.], np.float32))",),
        adapter=in_numpy,
    )
]
