"""Wrong answers that got all points once, found by somebody who had not seen the checks."""

import torch

from solutions.bahdanau.attention import masked_softmax


def second_axis_of_three_without_mask(scores, mask=None):
    if mask is None:
        return scores.softmax(1 if scores.ndim == 3 else -1)
    return masked_softmax(scores, mask)


def crashes_on_one_axis_without_mask(scores, mask=None):
    return scores.softmax(max(scores.ndim - 1, 1)) if mask is None else masked_softmax(scores, mask)


def global_maximum_without_mask(scores, mask=None):
    if mask is not None:
        return masked_softmax(scores, mask)
    grown = (scores - scores.max()).exp()
    return grown / grown.sum(-1, keepdim=True)


def first_axis_when_nothing_is_masked(scores, mask=None):
    return scores.softmax(0) if mask is not None and mask.all() else masked_softmax(scores, mask)


def _attend(scores, values, mask):
    weights = masked_softmax(scores, mask)
    return torch.einsum("bs,bsd->bd", weights, values), weights


def tanh_by_its_formula(query, keys, values, W_q, W_k, v, mask=None):
    """inf / inf from 45 on."""
    x = (query @ W_q.T)[:, None] + keys @ W_k.T
    return _attend((((2 * x).exp() - 1) / ((2 * x).exp() + 1)) @ v, values, mask)


def no_maximum_without_mask(query, keys, values, W_q, W_k, v, mask=None):
    scores = torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T) @ v
    if mask is not None:
        return _attend(scores, values, mask)
    weights = scores.exp() / scores.exp().sum(-1, keepdim=True)
    return torch.einsum("bs,bsd->bd", weights, values), weights


def mask_ignored_when_the_first_row_is_full(query, keys, values, W_q, W_k, v, mask=None):
    scores = torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T) @ v
    return _attend(scores, values, None if mask is None or mask[0].all() else mask)


SOFTMAX = [
    second_axis_of_three_without_mask,
    crashes_on_one_axis_without_mask,
    global_maximum_without_mask,
    first_axis_when_nothing_is_masked,
]
ADDITIVE = [tanh_by_its_formula, no_maximum_without_mask, mask_ignored_when_the_first_row_is_full]
