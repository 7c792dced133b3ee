"""What Att-BLSTM can pool with: its attention, and four ways to do without that the experiment compares with it.

Each has the arguments and the values of `attention_pool`: one vector for each sentence, and a weight for each position.
A sentence without any word gets zeros. Only `attention_pool` uses w.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax, weighted_sum
from solutions.pooling.attention import attention_pool

States = Float[Tensor, "batch source value_dim"]
Mask = Bool[Tensor, "batch source"]
Pooled = tuple[Float[Tensor, "batch value_dim"], Float[Tensor, "batch source"]]


def last_states(forward: States, backward: States, mask: Mask) -> tuple[States, States]:
    """Return each direction's states with zeros everywhere but at its last one.

    The forward direction ends at the last real position, the backward direction at the first.
    """
    before, behind = mask.cumsum(dim=1), mask.flip(1).cumsum(dim=1).flip(1)  # real positions up to, and from here on
    last, first = mask & (behind == 1), mask & (before == 1)
    return forward * last[..., None], backward * first[..., None]


def equal_weights(H: States, mask: Mask) -> Float[Tensor, "batch source"]:
    """Return 1/n for each of the n real positions."""
    return masked_softmax(torch.zeros_like(H[..., 0]), mask)


def last_pool(H: States, w: Tensor, mask: Mask) -> Pooled:
    """Return the sum of the last states of both directions, if H holds nothing else: see `last_states`.

    The weights are ½ at the first and ½ at the last real position.
    """
    one = torch.ones_like(H[..., :1])
    last, first = last_states(one, one, mask)
    return H.sum(dim=1), (last + first)[..., 0] / 2


def mean_pool(H: States, w: Tensor, mask: Mask) -> Pooled:
    """Return the mean over the real positions."""
    weights = equal_weights(H, mask)
    return weighted_sum(weights, H), weights


def max_pool(H: States, w: Tensor, mask: Mask) -> Pooled:
    """Return the largest value of each feature over the real positions.

    The weight of a position is the share of the features that are largest there.
    """
    largest, where = H.masked_fill(~mask[..., None], -torch.inf).max(dim=1)
    not_empty = mask.any(dim=1, keepdim=True)
    counts = torch.zeros_like(H[..., 0]).scatter_add(1, where, torch.ones_like(largest))
    return largest.where(not_empty, 0), counts / H.shape[-1] * not_empty


def uniform_pool(H: States, w: Tensor, mask: Mask) -> Pooled:
    """Return the result of `attention_pool` with its weights frozen to 1/n: tanh of the mean."""
    mean, weights = mean_pool(H, w, mask)
    return torch.tanh(mean), weights


POOLS: dict[str, Callable[..., tuple[Tensor, Tensor]]] = {
    "attention": attention_pool,
    "last": last_pool,
    "mean": mean_pool,
    "max": max_pool,
    "uniform": uniform_pool,
}
