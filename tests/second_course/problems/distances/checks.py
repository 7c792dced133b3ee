"""The check of distances."""

from answers.distances import distances

from autograder.checks import SHAPE, CaseInput, Check
from autograder.checks.random_inputs import Rng, normal
from autograder.kit.calls.adapters import in_numpy


def cases(rng: Rng) -> list[CaseInput]:
    return [
        CaseInput("points", [normal(rng, 5, 3)]),
        CaseInput("one axis", [normal(rng, 4, 1)], "special sizes"),
        CaseInput("one point", [normal(rng, 1, 2)], "special sizes"),
    ]


def squared(points):
    """These are the squares: the root is missing."""
    return ((points[:, None] - points[None]) ** 2).sum(-1)


CHECKS = [
    Check(
        distances,
        outputs=("distances",),
        cases=cases,
        points={"points": 2, "special sizes": 1},
        also=(SHAPE,),
        mistakes=(squared,),
        examples=("distances(np.array([[0., 0.], [3., 4.]], np.float32))",),
        adapter=in_numpy,
    )
]
