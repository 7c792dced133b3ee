"""What goes wrong in the search for weights that pool the same vector."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor


def _matrix(values: Tensor) -> Tensor:
    return torch.cat([values, torch.ones_like(values[:, :1])], dim=1).T


def _projected(direction: Tensor, values: Tensor) -> Tensor:
    A = _matrix(values)
    return direction - torch.linalg.pinv(A) @ (A @ direction)


def _first_to_fall(weights: Tensor, p: Tensor) -> Tensor:
    return (weights[p < 0] / -p[p < 0]).min()


@dataclass(frozen=True)
class Along:
    """adversarial_weights in parts, each of which can be put wrong."""

    project: Callable = _projected
    far: Callable = _first_to_fall
    vanished: Callable = torch.clone
    result: Callable = lambda weights, step, p: weights + step * p

    def __call__(self, weights, values, direction):
        if _projected(direction, values).norm() <= 1e-3 * direction.norm():
            return self.vanished(weights)
        p = self.project(direction, values)
        return self.result(weights, self.far(weights, p), p)


def not_projected(weights, values, direction):
    """These are weights moved along the direction itself. Project it first: the pooled vector has to stay."""
    return Along(project=lambda direction, values: direction)(weights, values, direction)


def sum_not_kept(weights, values, direction):
    """The pooled vector stays, and the weights do not add up to 1 any more: the row of ones is missing in A."""

    def project(direction, values):
        return direction - values @ (torch.linalg.pinv(values) @ direction)

    return Along(project=project)(weights, values, direction)


def vector_not_kept(weights, values, direction):
    """The weights add up to 1, and the pooled vector does not stay: the features of the values are missing in A."""
    return Along(project=lambda direction, values: direction - direction.mean())(weights, values, direction)


def other_part(weights, values, direction):
    """The other part of the direction was taken: A⁺A direction is what moves the pooled vector. Subtract it."""

    def project(direction, values):
        return direction - _projected(direction, values)

    return Along(project=project)(weights, values, direction)


def other_way(weights, values, direction):
    """The weights are moved away from the direction. Go along p, not along -p."""
    return Along(project=lambda direction, values: -_projected(direction, values))(weights, values, direction)


def half_way(weights, values, direction):
    """The weights go half as far as they can. Go on until one of them is 0."""
    return Along(far=lambda weights, p: _first_to_fall(weights, p) / 2)(weights, values, direction)


def one_step(weights, values, direction):
    """p itself is added, however long it is: weights may be negative, or could go further. The step t is the largest
    for which none is negative."""
    return Along(far=lambda weights, p: 1.0)(weights, values, direction)


def last_to_fall(weights, values, direction):
    """The step is too large: it ends where the last falling weight is 0, and the others are negative by then. Take the
    smallest quotient, not the largest."""
    return Along(far=lambda weights, p: (weights[p < 0] / -p[p < 0]).max())(weights, values, direction)


def rising_too(weights, values, direction):
    """The step looks at all weights, also at those that rise. Only a weight that falls can become negative."""
    return Along(far=lambda weights, p: (weights / p.abs()).min())(weights, values, direction)


def steepest(weights, values, direction):
    """The step ends where the weight that falls fastest is 0. A smaller weight may be there before it: take the
    smallest quotient of a weight and its fall."""
    return Along(far=lambda weights, p: weights[p.argmin()] / -p.min())(weights, values, direction)


def smallest_weight(weights, values, direction):
    """The step ends where the smallest of the falling weights is 0. A larger one may fall faster: take the smallest
    quotient of a weight and its fall."""

    def far(weights, p):
        least = weights.masked_fill(p >= 0, 2).argmin()
        return weights[least] / -p[least]

    return Along(far=far)(weights, values, direction)


def clamped(weights, values, direction):
    """Negative weights are set to 0, and the rest is divided by its sum: that moves the pooled vector. Stop earlier."""

    def cut(weights, step, p):
        kept = (weights + p).clamp(min=0)
        return kept / kept.sum()

    return Along(result=cut)(weights, values, direction)


def change_returned(weights, values, direction):
    """This is the change alone, t p. Return the new weights, α + t p."""
    return Along(result=lambda weights, step, p: step * p, vanished=torch.zeros_like)(weights, values, direction)


def projection_returned(weights, values, direction):
    """This is the projection p. Return the weights that lie along it, α + t p."""
    return Along(result=lambda weights, step, p: p, vanished=torch.zeros_like)(weights, values, direction)


def nothing_where_it_vanishes(weights, values, direction):
    """Where the projection vanishes, zeros come back. The weights cannot move there: return them as they are."""
    return Along(vanished=torch.zeros_like)(weights, values, direction)


def unchanged(weights, values, direction):
    """The weights come back as they were, everywhere. That is right only where the projection vanishes."""
    return weights.clone()


ALONG = (
    not_projected,
    sum_not_kept,
    vector_not_kept,
    other_part,
    other_way,
    half_way,
    one_step,
    last_to_fall,
    rising_too,
    steepest,
    smallest_weight,
    clamped,
    change_returned,
    projection_returned,
    nothing_where_it_vanishes,
    unchanged,
)
