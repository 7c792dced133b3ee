"""The similarity of a classifier's hops, and the spread of each one's weight, for each text."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lab import metrics
from lab.kinds.classification import TextWeights

DIGITS = 5  # of what is kept of each text


def hop_measures(weights: Sequence[TextWeights]) -> list[dict[str, Any]]:
    """Return for each text the entropy of each hop, in nats; with several hops, how alike two of them are on average.

    `cosine` is a_i · a_j / (‖a_i‖ ‖a_j‖), `overlap` the square of a_i · a_j, which is what ‖AAᵀ − I‖²_F adds up beside
    the diagonal; both are means over all pairs of different hops.
    """
    rows = []
    for text in weights:
        A = text.words.double()
        row: dict[str, Any] = {"entropy": rounded(entropy(A)), "length": A.shape[1]}
        if len(A) > 1 and A.shape[1]:
            row |= {"cosine": rounded(beside_diagonal(cosines(A))), "overlap": rounded(beside_diagonal((A @ A.T) ** 2))}
        rows.append(row)
    return rows


def entropy(A: Tensor) -> Tensor:
    """Return −Σ a ln a of each row; a weight of 0 adds nothing."""
    return -torch.xlogy(A, A).sum(dim=-1)


def cosines(A: Tensor) -> Tensor:
    """Return the cosine between each two rows."""
    unit = A / A.norm(dim=-1, keepdim=True).clamp(min=1e-12)
    return unit @ unit.T


def beside_diagonal(table: Tensor) -> Tensor:
    """Return the mean of a square table's entries beside its diagonal."""
    size = len(table)
    return (table.sum() - table.diagonal().sum()) / (size * (size - 1))


def rounded(values: Tensor) -> Any:
    """Return a number or a list of numbers, as it is kept; rounding leaves no minus before a zero."""
    return (values.mul(10**DIGITS).round() / 10**DIGITS + 0.0).tolist()


def hop_scores(measures: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the means over the texts: entropy, that of equal weights, and with several hops cosine and overlap."""
    texts = [row for row in measures if row["length"]]
    scores = {
        "entropy": mean("entropy of a hop", [float(np.mean(row["entropy"])) for row in texts]),
        "entropy_uniform": mean("entropy of equal weights", [float(np.log(row["length"])) for row in texts]),
    }
    for name in ("cosine", "overlap"):
        if texts and name in texts[0]:
            scores[name] = mean(f"{name} of two hops", [row[name] for row in texts])
    return {name: asdict(score) for name, score in scores.items()}


def mean(name: str, values: Any) -> metrics.Score:
    """Return the mean of one number a document, with its bootstrap interval."""
    return metrics.ratio(name, list(values), [1.0] * len(values), "mean over documents")
