"""What goes wrong in leaving out one position after the other."""

import torch
from torch import Tensor

from solutions.pooling.attention import leave_one_out


def _pooled(values: Tensor, weights: Tensor) -> Tensor:
    return (weights[..., None] * values).sum(1, keepdim=True)


def _real(vectors: Tensor, mask: Tensor | None) -> Tensor:
    return vectors if mask is None else vectors.masked_fill(~mask[..., None], 0)


def _rest(weights: Tensor) -> Tensor:
    """Return what the other positions have left; 1 where that is nothing."""
    rest = (weights[:, None] * ~torch.eye(weights.shape[1], dtype=torch.bool)).sum(-1, keepdim=True)
    return rest.masked_fill(rest == 0, 1)


def not_renormalised(values, weights, mask):
    """The other weights are not divided by their sum: without position s they add up to 1 - α_s."""
    return _real(_pooled(values, weights) - weights[..., None] * values, mask)


def value_not_weighed(values, weights, mask):
    """The value of position s is taken away whole. In the sum it stands with its weight: α_s v_s."""
    return _real((_pooled(values, weights) - values) / _rest(weights), mask)


def divided_by_its_weight(values, weights, mask):
    """What is left is divided by α_s. Divide by the sum of the weights that are left."""
    rest = _pooled(values, weights) - weights[..., None] * values
    return _real(rest / weights[..., None].masked_fill(weights[..., None] == 0, 1), mask)


def mean_of_the_others(values, weights, mask):
    """The other positions all count the same. They keep the proportions of their weights."""
    count = (weights > 0).float()
    return leave_one_out(values, count / count.sum(1, keepdim=True), mask)


def softmax_again(values, weights, mask):
    """The weights that are left went through a softmax again, which makes them more even. Divide them by their sum."""
    keep = ~torch.eye(weights.shape[1], dtype=torch.bool) & (weights[:, None] > 0)
    share = weights[:, None].expand(keep.shape).masked_fill(~keep, -1e9).softmax(-1) * keep
    return _real(share @ values, mask)


def padding_kept(values, weights, mask):
    """At padding stands the pooled vector of all words. There is nothing to leave out: zeros."""
    return leave_one_out(values, weights, None)


def mask_upside_down(values, weights, mask):
    """The mask is read upside down: the words are zeros. True means: a word."""
    return leave_one_out(values, weights, mask if mask is None else ~mask)


def no_weight_is_padding(values, weights, mask):
    """At a word without weight stand zeros. It is no padding: leaving it out changes nothing, and the pooled vector
    stays."""
    return leave_one_out(values, weights, mask) * (weights > 0)[..., None]


def nothing_left_is_nan(values, weights, mask):
    """Where one position has all the weight, nothing is left, and 0/0 is NaN. The vector there is zeros."""
    others = weights[:, None] * ~torch.eye(weights.shape[1], dtype=torch.bool)
    return _real(others @ values / others.sum(-1, keepdim=True), mask)


def nothing_left_is_all(values, weights, mask):
    """Where one position has all the weight, the pooled vector comes back with that position. Without it nothing is
    left: zeros."""
    vectors, alone = leave_one_out(values, weights, mask), (weights == 1)[..., None]
    return torch.where(alone, _pooled(values, weights), vectors)


def difference(values, weights, mask):
    """This is what position s changes: the pooled vector minus the one without it. Return the one without it."""
    return _real(_pooled(values, weights) - leave_one_out(values, weights, mask), mask)


def alone(values, weights, mask):
    """Each position stands alone: α_s v_s. Return the mixture of all the others."""
    return _real(weights[..., None] * values, mask)


def neighbour(values, weights, mask):
    """Another position is left out, one further on: the vector at s is the one without s + 1."""
    return _real(leave_one_out(values, weights, None).roll(-1, 1), mask)


def only_before(values, weights, mask):
    """Only the positions before s are mixed. Those behind it stay too."""
    before = weights[:, None] * torch.ones(weights.shape[1], weights.shape[1]).tril(-1)
    rest = before.sum(-1, keepdim=True)
    return _real(before @ values / rest.masked_fill(rest == 0, 1), mask)


LEAVE = (
    not_renormalised,
    value_not_weighed,
    divided_by_its_weight,
    mean_of_the_others,
    softmax_again,
    padding_kept,
    mask_upside_down,
    no_weight_is_padding,
    nothing_left_is_nan,
    nothing_left_is_all,
    difference,
    alone,
    neighbour,
    only_before,
)
