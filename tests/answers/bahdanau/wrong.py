"""Wrong answers of the Bahdanau exercise that are no known mistake of the checks: none of them may get all points."""

import torch
import torch.nn.functional as F

from solutions.bahdanau.attention import additive_attention, masked_softmax
from tests.answers.bahdanau.right import softmax_where

_seen: dict = {}
_calls = [0]


def softmax_detached(scores, mask=None):
    return softmax_where(scores.detach(), mask)


def softmax_in_place(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    scores.masked_fill_(~mask, -1e9)
    return scores.softmax(-1) * mask


def softmax_inverts_the_mask_in_place(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    mask.logical_not_()
    return scores.masked_fill(mask, -1e9).softmax(-1) * ~mask


def softmax_zeroes_after_in_place(scores, mask=None):
    weights = scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -1e9).softmax(-1)
    if mask is not None:
        weights[~mask] = 0
    return weights


def softmax_remembers_the_mask(scores, mask=None):
    key = tuple(scores.shape)
    kept = _seen.setdefault(key, mask)
    return softmax_where(scores, kept)


def softmax_remembers_the_answer(scores, mask=None):
    key = ("answer", tuple(scores.shape), mask is None)
    return _seen.setdefault(key, softmax_where(scores, mask))


def softmax_counts_calls(scores, mask=None):
    _calls[0] += 1
    return softmax_where(scores, mask) * (1 if _calls[0] % 20 else 2)


def softmax_dropout(scores, mask=None):
    return F.dropout(softmax_where(scores, mask), 0.1)


def softmax_noise(scores, mask=None):
    return softmax_where(scores + 0.01 * torch.randn_like(scores), mask)


def softmax_ignores_no_mask(scores, mask=None):
    return scores.masked_fill(~mask, -1e9).softmax(-1) * mask


def softmax_fill_minus_ten(scores, mask=None):
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -10.0).softmax(-1) * mask.any(-1, True)


def softmax_fill_minus_hundred(scores, mask=None):
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -100.0).softmax(-1) * mask


def softmax_fill_minimum(scores, mask=None):
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, scores.min().item()).softmax(-1)


def softmax_minus_infinity_times(scores, mask=None):
    return scores.softmax(-1) if mask is None else (scores + (~mask) * -torch.inf).softmax(-1)


def softmax_one_over_count_for_empty(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    weights = softmax_where(scores, mask)
    return torch.where(mask.any(-1, True), weights, 1.0 / scores.shape[-1])


def softmax_zeros_if_any_row_empty(scores, mask=None):
    if mask is not None and not mask.any(-1).all():
        return torch.zeros_like(scores)
    return softmax_where(scores, mask)


def softmax_prefix_only(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    prefix = torch.arange(scores.shape[-1]) < mask.sum(-1, keepdim=True)
    return softmax_where(scores, prefix)


def softmax_first_row_mask(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    return softmax_where(scores, mask[:1].expand_as(mask))


def softmax_two_axes_only(scores, mask=None):
    if scores.ndim > 2:
        return softmax_where(scores.flatten(0, -2), None if mask is None else mask.flatten(0, -2))
    return softmax_where(scores, mask)


def softmax_over_everything(scores, mask=None):
    flat = softmax_where(scores.flatten(), None if mask is None else mask.flatten())
    return flat.view(scores.shape)


def softmax_max_of_tensor_without_mask(scores, mask=None):
    grown = scores.exp()
    grown = grown if mask is None else grown * mask
    return grown / grown.sum(-1, keepdim=True).clamp_min(1e-30)


def softmax_hot(scores, mask=None):
    return softmax_where(scores / 1.01, mask)


def softmax_hard(scores, mask=None):
    scores = scores if mask is None else scores.masked_fill(~mask, -1e9)
    return F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)


def softmax_after_small_epsilon(scores, mask=None):
    weights = scores.softmax(-1) if mask is None else scores.softmax(-1) * mask
    return weights / (weights.sum(-1, keepdim=True) + 1e-9)


def softmax_after_large_epsilon(scores, mask=None):
    weights = scores.softmax(-1) if mask is None else scores.softmax(-1) * mask
    return weights / weights.sum(-1, keepdim=True).clamp_min(1e-6)


def softmax_linear(scores, mask=None):
    kept = scores if mask is None else scores * mask
    return kept / kept.sum(-1, keepdim=True)


def softmax_minimum(scores, mask=None):
    return softmax_where(-scores, mask)


def softmax_epsilon(scores, mask=None):
    grown = (scores - scores.amax(-1, True)).exp()
    grown = grown if mask is None else grown * mask
    return grown / (grown.sum(-1, keepdim=True) + 0.01)


def softmax_leaks(scores, mask=None):
    weights = softmax_where(scores, mask)
    return weights if mask is None else weights + 2e-5 * ~mask


def softmax_first_axis_when_square(scores, mask=None):
    dim = 0 if scores.shape[0] == scores.shape[-1] else -1
    kept = scores if mask is None else scores.masked_fill(~mask, -1e9)
    return kept.softmax(dim) if mask is None else kept.softmax(dim) * mask


def softmax_tuple(scores, mask=None):
    return (softmax_where(scores, mask),)


def softmax_squeezes(scores, mask=None):
    return softmax_where(scores, mask).squeeze()


def softmax_half(scores, mask=None):
    return softmax_where(scores.half(), mask)


def softmax_nothing(scores, mask=None):
    pass


SOFTMAX = [value for name, value in list(globals().items()) if name.startswith("softmax_") and name != "softmax_where"]


def _attend(scores, values, mask):
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ values)[:, 0], weights


def _scores(query, keys, W_q, W_k, v):
    return torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T) @ v


def attention_detached_weights(query, keys, values, W_q, W_k, v, mask=None):
    weights = additive_attention(query, keys, values, W_q, W_k, v, mask)[1].detach()
    return (weights[:, None] @ values)[:, 0], weights


def attention_random_parameters(query, keys, values, W_q, W_k, v, mask=None):
    layer = torch.nn.Linear(query.shape[1], len(v), bias=False)
    return _attend(torch.tanh(layer(query)[:, None] + keys @ W_k.T) @ v, values, mask)


def attention_changes_keys(query, keys, values, W_q, W_k, v, mask=None):
    if mask is not None and not keys.requires_grad:
        keys *= mask[..., None]
    return additive_attention(query, keys, values, W_q, W_k, v, mask)


def attention_changes_query(query, keys, values, W_q, W_k, v, mask=None):
    result = additive_attention(query, keys, values, W_q, W_k, v, mask)
    with torch.no_grad():
        query.zero_()
    return result


def attention_masks_keys_only(query, keys, values, W_q, W_k, v, mask=None):
    keys = keys if mask is None else keys * mask[..., None]
    return additive_attention(query, keys, values, W_q, W_k, v, None)


def attention_context_unmasked(query, keys, values, W_q, W_k, v, mask=None):
    context, _ = additive_attention(query, keys, values, W_q, W_k, v, None)
    return context, additive_attention(query, keys, values, W_q, W_k, v, mask)[1]


def attention_mask_repeated(query, keys, values, W_q, W_k, v, mask=None):
    mask = mask if mask is None else mask[:1].repeat(len(mask), 1)
    return additive_attention(query, keys, values, W_q, W_k, v, mask)


def attention_with_bias(query, keys, values, W_q, W_k, v, mask=None):
    return _attend(torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T + 0.1) @ v, values, mask)


def attention_scaled_by_keys(query, keys, values, W_q, W_k, v, mask=None):
    return _attend(_scores(query, keys, W_q, W_k, v) / keys.shape[-1] ** 0.5, values, mask)


def attention_unnormalised(query, keys, values, W_q, W_k, v, mask=None):
    weights = torch.exp(_scores(query, keys, W_q, W_k, v))
    weights = weights if mask is None else weights * mask
    return (weights[:, None] @ values)[:, 0], weights


def attention_keeps_axis(query, keys, values, W_q, W_k, v, mask=None):
    weights = masked_softmax(_scores(query, keys, W_q, W_k, v), mask)
    return weights[:, None] @ values, weights


def attention_squeezes(query, keys, values, W_q, W_k, v, mask=None):
    context, weights = additive_attention(query, keys, values, W_q, W_k, v, mask)
    return context.squeeze(), weights.squeeze()


def attention_weights_with_axis(query, keys, values, W_q, W_k, v, mask=None):
    context, weights = additive_attention(query, keys, values, W_q, W_k, v, mask)
    return context, weights[:, None]


def attention_context_only(query, keys, values, W_q, W_k, v, mask=None):
    return additive_attention(query, keys, values, W_q, W_k, v, mask)[0]


def attention_values_summed_over_all(query, keys, values, W_q, W_k, v, mask=None):
    weights = additive_attention(query, keys, values, W_q, W_k, v, mask)[1]
    return (weights[..., None] * values).sum((0, 1)).expand(len(query), -1), weights


def attention_repeats_wrongly(query, keys, values, W_q, W_k, v, mask=None):
    B, S, _ = keys.shape
    q = (query @ W_q.T).repeat(S, 1).view(B, S, -1)
    return _attend(torch.tanh(q + keys @ W_k.T) @ v, values, mask)


def attention_first_value(query, keys, values, W_q, W_k, v, mask=None):
    weights = additive_attention(query, keys, values, W_q, W_k, v, mask)[1]
    return values[torch.arange(len(values)), weights.argmax(-1)], weights


def attention_after_epsilon(query, keys, values, W_q, W_k, v, mask=None):
    weights = softmax_after_small_epsilon(_scores(query, keys, W_q, W_k, v), mask)
    return torch.einsum("bs,bsd->bd", weights, values), weights


def attention_small_fill(query, keys, values, W_q, W_k, v, mask=None):
    scores = _scores(query, keys, W_q, W_k, v)
    scores = scores if mask is None else scores.masked_fill(~mask, -20.0)
    return _attend(scores, values, None)


def attention_needs_a_mask(query, keys, values, W_q, W_k, v, mask):
    return _attend(_scores(query, keys, W_q, W_k, v).masked_fill(~mask, -1e9), values, None)


def attention_dropout(query, keys, values, W_q, W_k, v, mask=None):
    weights = F.dropout(additive_attention(query, keys, values, W_q, W_k, v, mask)[1], 0.2)
    return (weights[:, None] @ values)[:, 0], weights


def attention_remembers_keys(query, keys, values, W_q, W_k, v, mask=None):
    projected = _seen.setdefault(("keys", tuple(keys.shape)), (keys @ W_k.T).detach())
    return _attend(torch.tanh((query @ W_q.T)[:, None] + projected) @ v, values, mask)


def attention_rounded(query, keys, values, W_q, W_k, v, mask=None):
    context, weights = additive_attention(query, keys, values, W_q, W_k, v, mask)
    return context, (weights * 1000).round() / 1000 + 0 * weights


def attention_masks_by_length(query, keys, values, W_q, W_k, v, mask=None):
    if mask is not None:
        mask = torch.arange(keys.shape[1]) < mask.sum(1, keepdim=True)
    return additive_attention(query, keys, values, W_q, W_k, v, mask)


def attention_nothing(query, keys, values, W_q, W_k, v, mask=None):
    return None


ADDITIVE = [value for name, value in list(globals().items()) if name.startswith("attention_")]

WRONG = {
    "bahdanau.masked_softmax": SOFTMAX,
    "bahdanau.additive_attention": ADDITIVE,
    "bahdanau.repaired_attention": ADDITIVE,
}
