"""What goes wrong in the coverage penalty, and on the way back through additive attention."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from solutions.bahdanau.attention import additive_attention_backward, coverage_penalty, masked_softmax, weighted_sum


def _kept(weights: Tensor, mask: Tensor | None) -> Tensor:
    return torch.ones_like(weights[:, 0], dtype=torch.bool) if mask is None else mask


def _logs(weights: Tensor, mask: Tensor | None) -> Tensor:
    """Return the logarithm of what each source word has got, at most 1, and 0 at padding."""
    return weights.sum(1).clamp(max=1).masked_fill(~_kept(weights, mask), 1).log()


def no_minimum(weights, mask, beta):
    """The minimum is missing: a word that has got more than 1 makes up for one that has got less."""
    return beta * weights.sum(1).masked_fill(~_kept(weights, mask), 1).log().sum(-1)


def maximum(weights, mask, beta):
    """There is a maximum with 1 where the formula has a minimum: words that are looked at often pay, the others not."""
    return beta * weights.sum(1).clamp(min=1).masked_fill(~_kept(weights, mask), 1).log().sum(-1)


def mean_over_source(weights, mask, beta):
    """The logarithms are averaged. The penalty adds them up: a long sentence may pay more."""
    return beta * _logs(weights, mask).sum(-1) / _kept(weights, mask).sum(-1)


def mean_over_target(weights, mask, beta):
    """The weights of a source word are averaged over the target words. Add them up: 1 in all is enough."""
    return coverage_penalty(weights / weights.shape[1], mask, beta)


def padding_counts(weights, mask, beta):
    """Padding pays too: it gets no weight, and the logarithm of 0 is -inf. Leave it out of the sum."""
    return beta * weights.sum(1).clamp(max=1).log().sum(-1)


def masked_after_the_logarithm(weights, mask, beta):
    """The mask comes after the logarithm: at padding without weight that is -inf, and -inf times 0 is NaN. What
    has to stand there before the logarithm is taken?"""
    return beta * (weights.sum(1).clamp(max=1).log() * _kept(weights, mask)).sum(-1)


def filled_with_zero(weights, mask, beta):
    """Padding is filled with 0 before the logarithm, which is -inf there. What does the logarithm have to be at
    padding, and of which number is it that?"""
    return beta * weights.sum(1).clamp(max=1).masked_fill(~_kept(weights, mask), 0).log().sum(-1)


def sum_of_each_target_word(weights, mask, beta):
    """The weights of each target word are added up, along its row. What a source word has got stands in its column."""
    got = weights.sum(2).clamp(max=1)
    return beta * (got if mask is None else got.masked_fill(~mask, 1)).log().sum(-1)


def each_weight(weights, mask, beta):
    """The logarithm is taken of each weight. Add up first what a source word has got, then take its logarithm."""
    logs = weights.clamp(max=1).log().sum(1)
    return beta * (logs if mask is None else logs.masked_fill(~mask, 0)).sum(-1)


def of_each_word(weights, mask, beta):
    """These are the penalties of the source words, (B, S). Add them up: each sentence has one."""
    return beta * _logs(weights, mask)


def padding_pays_a_little(weights, mask, beta):
    """Padding pays too: a small number inside the logarithm makes that finite, not right. Leave it out of the sum."""
    return beta * (weights.sum(1) + 1e-9).clamp(max=1).log().sum(-1)


def mask_upside_down(weights, mask, beta):
    """The mask is read upside down: the real words are left out. True means: a word."""
    return beta * weights.sum(1).clamp(1e-9, 1).masked_fill(_kept(weights, mask) & (mask is not None), 1).log().sum(-1)


def beta_left_out(weights, mask, beta):
    """beta is missing: the sum is multiplied by it."""
    return _logs(weights, mask).sum(-1)


def positive(weights, mask, beta):
    """The sign is lost: the logarithm of a number below 1 is negative, and so is the penalty."""
    return -coverage_penalty(weights, mask, beta)


def base_ten(weights, mask, beta):
    """This is the logarithm to base 10. The formula has the natural one."""
    return coverage_penalty(weights, mask, beta) / math.log(10)


def no_logarithm(weights, mask, beta):
    """The logarithm is missing: these are sums of the coverage itself."""
    return beta * (weights.sum(1).clamp(max=1) * _kept(weights, mask)).sum(-1)


def logarithm_of_the_sum(weights, mask, beta):
    """The logarithm is taken of the sum over the source words. Each word has its own, and these are added up."""
    return beta * (weights.sum(1).clamp(max=1) * _kept(weights, mask)).sum(-1).log()


def of_the_batch(weights, mask, beta):
    """All sentences together have one penalty here. Each has its own: the sum runs over the last axis alone."""
    return beta * _logs(weights, mask).sum()


def floor_of_a_thousandth(weights, mask, beta):
    """Coverage below some small number is raised to it: a word that gets less than that has to pay more, not the
    same."""
    return coverage_penalty(weights.clamp(min=1e-3), mask, beta)


COVERAGE = (
    no_minimum,
    maximum,
    mean_over_source,
    mean_over_target,
    padding_counts,
    masked_after_the_logarithm,
    filled_with_zero,
    sum_of_each_target_word,
    each_weight,
    of_each_word,
    padding_pays_a_little,
    mask_upside_down,
    beta_left_out,
    positive,
    base_ten,
    no_logarithm,
    logarithm_of_the_sum,
    of_the_batch,
    floor_of_a_thousandth,
)


def _through_softmax(weights: Tensor, d_weights: Tensor) -> Tensor:
    return weights * (d_weights - (weights * d_weights).sum(-1, keepdim=True))


@dataclass(frozen=True)
class Backward:
    """Additive attention backwards in parts, each of which can be put wrong."""

    softmax: Callable = _through_softmax
    slope: Callable = lambda hidden: 1 - hidden**2
    asked: Callable = lambda d_sums: d_sums.sum(1)
    into_values: Callable = lambda weights, d_context: weights[..., None] * d_context[:, None]
    into_v: Callable = lambda d_scores, hidden: (d_scores[..., None] * hidden).sum((0, 1))

    def __call__(self, d_context, query, keys, values, W_q, W_k, v, mask=None):
        hidden = torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T)
        weights = masked_softmax(hidden @ v, mask)
        d_scores = self.softmax(weights, (values @ d_context[..., None])[..., 0])
        d_sums = d_scores[..., None] * v * self.slope(hidden)
        d_values = self.into_values(weights, d_context)
        return self.asked(d_sums) @ W_q, d_sums @ W_k, d_values, self.into_v(d_scores, hidden)


def mean_not_subtracted(*arguments):
    """∂L/∂e_j is α_j times gᵀ value_j here, as if each weight depended on its own score alone. All scores share one
    denominator: what the mixture would give, gᵀ c, is subtracted."""
    return Backward(softmax=lambda weights, d_weights: weights * d_weights)(*arguments)


def each_by_itself(*arguments):
    """The softmax is taken back by α_j (1 - α_j), the diagonal of its derivative alone: how a score moves the other
    weights is left out."""
    return Backward(softmax=lambda weights, d_weights: weights * (1 - weights) * d_weights)(*arguments)


def softmax_forgotten(*arguments):
    """∂L/∂α_j stands in the place of ∂L/∂e_j: the softmax lies between them."""
    return Backward(softmax=lambda weights, d_weights: d_weights)(*arguments)


def slope_left_out(*arguments):
    """The slope of the tanh, 1 - tanh², is missing."""
    return Backward(slope=torch.ones_like)(*arguments)


def slope_not_squared(*arguments):
    """The slope of the tanh is 1 - tanh here. It is 1 - tanh²."""
    return Backward(slope=lambda hidden: 1 - hidden)(*arguments)


def slope_of_the_sigmoid(*arguments):
    """This is the slope of a sigmoid, y (1 - y). That of the tanh is 1 - y²."""
    return Backward(slope=lambda hidden: hidden * (1 - hidden))(*arguments)


def query_averaged(*arguments):
    """∂L/∂query is averaged over the positions. The query enters every score: what comes back is added up."""
    return Backward(asked=lambda d_sums: d_sums.mean(1))(*arguments)


def query_of_one_position(*arguments):
    """∂L/∂query comes from the first position alone. The query enters every score: add up."""
    return Backward(asked=lambda d_sums: d_sums[:, 0])(*arguments)


def values_not_weighted(*arguments):
    """∂L/∂values is ∂L/∂context at every position. Each value enters with its weight α_j."""
    return Backward(into_values=lambda weights, g: g[:, None].expand(-1, weights.shape[1], -1))(*arguments)


def v_of_weights(*arguments):
    """∂L/∂v is a sum of the tanh weighted by α_j. v makes the scores: weigh by ∂L/∂e_j."""
    _, query, keys, _, W_q, W_k, v, mask = arguments
    hidden = torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T)
    weights = masked_softmax(hidden @ v, mask)
    return (*additive_attention_backward(*arguments)[:3], (weights[..., None] * hidden).sum((0, 1)))


def v_averaged(*arguments):
    """∂L/∂v is averaged over the sentences of the batch. All of them use the same v: add up."""
    d_query, d_keys, d_values, d_v = additive_attention_backward(*arguments)
    return d_query, d_keys, d_values, d_v / len(d_query)


def v_of_each_sentence(*arguments):
    """∂L/∂v has a row for each sentence, (B, h). v is one vector for all of them: add up over the batch too."""
    return Backward(into_v=lambda d_scores, hidden: (d_scores[..., None] * hidden).sum(1))(*arguments)


def tanh_of_the_tanh(*arguments):
    """The slope is 1 - tanh(z)², where z is the tanh already: the tanh is taken twice. It is 1 - z²."""
    return Backward(slope=lambda hidden: 1 - torch.tanh(hidden) ** 2)(*arguments)


def mask_ignored(d_context, query, keys, values, W_q, W_k, v, mask):
    """The mask has no effect: padding has weight, and gets a gradient."""
    return additive_attention_backward(d_context, query, keys, values, W_q, W_k, v, None)


def keys_twice(d_context, query, keys, values, W_q, W_k, v, mask):
    """∂L/∂keys holds what comes back through the sum too. Keys and values are two arguments: each has its own."""
    d_query, d_keys, d_values, d_v = additive_attention_backward(d_context, query, keys, values, W_q, W_k, v, mask)
    return d_query, d_keys + d_values, d_values, d_v


def not_transposed(d_context, query, keys, values, W_q, W_k, v, mask):
    """On the way back the matrices are applied as on the way there. There it was x @ W.T: back it is @ W."""
    hidden = torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T)
    weights = masked_softmax(hidden @ v, mask)
    d_values, context = weights[..., None] * d_context[:, None], weighted_sum(weights, values)
    d_scores = weights * ((values - context[:, None]) * d_context[:, None]).sum(-1)
    d_sums = d_scores[..., None] * v * (1 - hidden**2)
    return d_sums.sum(1) @ W_q.T, d_sums @ W_k.T, d_values, (d_scores[..., None] * hidden).sum((0, 1))


BACKWARD = (
    mean_not_subtracted,
    each_by_itself,
    softmax_forgotten,
    slope_left_out,
    slope_not_squared,
    slope_of_the_sigmoid,
    query_averaged,
    query_of_one_position,
    values_not_weighted,
    v_of_weights,
    v_averaged,
    v_of_each_sentence,
    tanh_of_the_tanh,
    mask_ignored,
    keys_twice,
    not_transposed,
)
