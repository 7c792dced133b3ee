"""Cross-entropy over a large vocabulary, without ever holding the scores of all positions at once."""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

ROWS = {"cpu": 256, "cuda": 8192}  # positions at a time: their scores should stay in the cache


def linear_cross_entropy(
    features: Float[Tensor, "real width"],
    weight: Float[Tensor, "vocabulary width"],
    targets: Int[Tensor, " real"],
    smoothing: float = 0.0,
) -> Float[Tensor, ""]:
    """Return cross_entropy(features @ weight.T, targets, label_smoothing=smoothing), computed block by block.

    Loss and gradients are found together, so that a block's scores are written once and thrown away. With scores
    z = W h the smoothed loss is log Σ exp z - (1 - ε) z_target - ε mean(z): only the first term needs all scores,
    and its gradient is the softmax; mean(z) is h times the mean row of W.
    """
    return _LinearCrossEntropy.apply(features, weight, targets, smoothing)


class _LinearCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, features: Tensor, weight: Tensor, targets: Tensor, smoothing: float) -> Tensor:
        kind = features.device.type
        dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else features.dtype
        wanted = any(ctx.needs_input_grad[:2])
        with torch.autocast(kind, enabled=False):
            loss, *gradients = _blocks(features.to(dtype), weight, targets, smoothing, ROWS.get(kind, 512), wanted)
        if wanted:
            to_features, to_weight = gradients
            ctx.save_for_backward(to_features.to(features.dtype), to_weight.to(weight.dtype))
        return loss

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, Tensor, None, None]:
        to_features, to_weight = ctx.saved_tensors
        return outer[0].to(to_features.dtype) * to_features, outer[0].to(to_weight.dtype) * to_weight, None, None


def _blocks(
    features: Tensor, weight: Tensor, targets: Tensor, smoothing: float, rows: int, wanted: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the loss and its gradients with respect to the features and the weight (empty unless `wanted`).

    `targets` and `smoothing` are those of `linear_cross_entropy`; scores are computed for `rows` positions at a time.
    """
    exact = torch.promote_types(weight.dtype, torch.float32)
    cast = weight.to(features.dtype)
    total = torch.zeros((), dtype=exact, device=features.device)
    to_features = torch.empty_like(features if wanted else features[:0], dtype=exact)
    to_weight = torch.zeros_like(weight if wanted else weight[:0], dtype=exact)
    for start in range(0, len(features), rows):
        block = slice(start, start + rows)
        h, right = features[block], targets[block, None]
        scores = functional.linear(h, cast)
        p = scores.softmax(dim=-1)
        log_sum = scores.amax(dim=-1).to(exact) - p.amax(dim=-1).to(exact).log()  # p = exp z / Σ exp z at the largest z
        total += log_sum.sum() - (1 - smoothing) * scores.gather(1, right).to(exact).sum()
        if wanted:
            to_features[block] = functional.linear(p, cast.T)
            to_weight += functional.linear(p.T, h.T)
    mean_row, h = weight.to(exact).mean(dim=0), features.to(exact)
    total -= smoothing * (h.sum(dim=0) @ mean_row)
    if wanted:
        to_features -= (1 - smoothing) * weight[targets] + smoothing * mean_row
        to_weight.index_add_(0, targets, h, alpha=smoothing - 1)
        to_weight -= smoothing / len(weight) * h.sum(dim=0)
    count = len(features)
    return total / count, to_features / count, to_weight / count
