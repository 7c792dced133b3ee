"""What is drawn and printed of a model: its scores with their intervals, and its attention as a matrix."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from jaxtyping import Float
from torch import Tensor

Weights: TypeAlias = Float[Tensor, "target source"] | Float[np.ndarray, "target source"]


@dataclass(frozen=True)
class Score:
    """A corpus score, its 95 % bootstrap interval over sentences, how it was computed, and over how many sentences."""

    name: str
    value: float
    low: float
    high: float
    signature: str
    count: int

    def __str__(self) -> str:
        return f"{self.name} {self.value:.3g} [{self.low:.3g}, {self.high:.3g}], {self.count} sentences"


@dataclass(frozen=True)
class LengthScore:
    """The score of the sentences that have first to last words, both included."""

    first: int
    last: int
    score: Score


def as_matrix(weights: Weights) -> Float[np.ndarray, "target source"]:
    """Return the weights as an array of float64, wherever and in whatever precision they were computed."""
    if isinstance(weights, Tensor):
        weights = weights.detach().double().cpu().numpy()
    return np.asarray(weights, dtype=float)
