"""The loss of an adversary: a model that predicts as a trained one does, and attends elsewhere.

After Wiegreffe and Pinter (2019), section 4. They minimise TVD(ŷ, ŷ_base) - λ KL(α ‖ α_base), without the labels. Ours
keeps the cross-entropy with the labels, and takes the Jensen-Shannon divergence, which Jain and Wallace (2019) use to
compare weights: it has an upper bound, so that the loss has a lower one.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from lab.kinds import classification
from lab.kinds.runs import Named, Solution
from lab.train.checkpoints import CheckpointError

SMALLEST = 1e-9  # what stands for a weight of 0 in a logarithm


def total_variation(p: Float[Tensor, "*batch n"], q: Float[Tensor, "*batch n"]) -> Float[Tensor, "*batch"]:
    """Return the distance of two distributions: ½ Σ |p - q|, from 0 to 1."""
    return (p - q).abs().sum(dim=-1) / 2


def kl_divergence(p: Float[Tensor, "*batch n"], q: Float[Tensor, "*batch n"]) -> Float[Tensor, "*batch"]:
    """Return KL(p ‖ q) = Σ p ln(p/q) in nats; where p is 0, nothing is added."""
    return (p * (p.clamp(min=SMALLEST).log() - q.clamp(min=SMALLEST).log())).sum(dim=-1)


def jensen_shannon(p: Float[Tensor, "*batch n"], q: Float[Tensor, "*batch n"]) -> Float[Tensor, "*batch"]:
    """Return ½ KL(p ‖ m) + ½ KL(q ‖ m) with m = (p + q)/2: from 0 to ln 2 nats."""
    middle = (p + q) / 2
    return (kl_divergence(p, middle) + kl_divergence(q, middle)) / 2


def departure(
    scores: Float[Tensor, "batch labels"],
    weights: Float[Tensor, "batch source"],
    base_scores: Float[Tensor, "batch labels"],
    base_weights: Float[Tensor, "batch source"],
    strength: float,
) -> Float[Tensor, " batch"]:
    """Return each sentence's term beside the cross-entropy: TVD(ŷ, ŷ_base) - λ JSD(α, α_base)."""
    with torch.autocast(scores.device.type, enabled=False):
        labels, base_labels = scores.float().softmax(dim=-1), base_scores.float().softmax(dim=-1)
        apart = jensen_shannon(weights.float(), base_weights.float())
        return total_variation(labels, base_labels) - strength * apart


def base_of(run: Named, base: str, solution: Solution) -> Any:
    """Return the model of the run called `base`, of the same seed as `run`; `pooling-relations` is the pinned model."""
    chapter, _, variant = base.partition("-")
    if chapter == solution.name:
        from lab.kinds.pinned import pinned  # a kit has no pinned models, and learns without an adversary

        return pinned(solution, variant).model
    folder = run.folder.parent.parent / base / run.folder.name
    if not (folder / "best.pt").exists():
        variant = base.removeprefix(f"{run.task}-{run.recipe}").removeprefix("-")
        raise CheckpointError(
            f"This run departs from {base}, seed {run.seed}, which is not trained. Train it with: "
            f"python -m solutions.{solution.name} train --corpus {run.task} --recipe {run.recipe} --seed {run.seed}"
            + (f" --variant {variant}" if variant else "")
        )
    return classification.restore(solution, folder).model
