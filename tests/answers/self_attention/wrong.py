"""Wrong answers of the self-attention exercise that are no known mistake of the checks: none may get all points."""

import math

import torch
import torch.nn.functional as F

from solutions.self_attention.attention import (
    layer_cost,
    scaled_dot_product,
    self_attention,
    simple_self_attention,
)
from tests.answers.spoilers import spoiled


def _rows(mask):
    return None if mask is None else mask[:, None]


def simple_mean_of_words(X, mask=None):
    weights = torch.ones(X.shape[0], X.shape[1], X.shape[1])
    weights = weights if mask is None else weights * mask[:, None]
    weights = weights / weights.sum(-1, keepdim=True)
    return weights @ X, weights


def simple_projected_at_random(X, mask=None):
    return simple_self_attention(torch.nn.Linear(X.shape[-1], X.shape[-1])(X), mask)


def simple_sequence_first(X, mask=None):
    context, weights = simple_self_attention(X.transpose(0, 1), None if mask is None else mask.T)
    return context.transpose(0, 1), weights


def simple_mask_gone_when_square(X, mask=None):
    return simple_self_attention(X, None if X.shape[1] == X.shape[2] else mask)


def simple_mask_of_lengths(X, mask=None):
    """Right for padding behind the words, wrong for gaps."""
    mask = None if mask is None else torch.arange(X.shape[1]) < mask.sum(1, keepdim=True)
    return simple_self_attention(X, mask)


def simple_scores_clamped(X, mask=None):
    scores = (X @ X.mT).clamp(-2, 2)
    weights = scores.softmax(-1) if mask is None else scores.masked_fill(~mask[:, None], -1e9).softmax(-1)
    return weights @ X, weights


def simple_values_detached(X, mask=None):
    _, weights = simple_self_attention(X, mask)
    return weights @ X.detach(), weights


def simple_scaled_when_wide(X, mask=None):
    return simple_self_attention(X / (X.shape[-1] ** 0.25 if X.shape[-1] > 4 else 1), mask)


def product_cosine(query, key, value, mask=None):
    root = query.shape[-1] ** 0.5
    return scaled_dot_product(root * F.normalize(query, dim=-1), F.normalize(key, dim=-1), value, mask)


def product_two_axes_only(query, key, value, mask=None):
    scores = query @ key.T / query.shape[-1] ** 0.5
    return scores.softmax(-1) @ value, scores.softmax(-1)


def product_three_axes_only(query, key, value, mask=None):
    weights = torch.bmm(query, key.transpose(1, 2)) / query.shape[-1] ** 0.5
    weights = (weights if mask is None else weights.masked_fill(~mask, -1e9)).softmax(-1)
    return torch.bmm(weights, value), weights


def product_third_axis(query, key, value, mask=None):
    """The softmax over axis 2, which is the last for three axes only."""
    scores = query @ key.mT / query.shape[-1] ** 0.5
    scores = scores if mask is None else scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(2 if scores.ndim > 2 else -1)
    return weights @ value, weights


def product_mask_with_first_row(query, key, value, mask=None):
    mask = None if mask is None else mask.expand(*query.shape[:-1], key.shape[-2])[..., -1:, :]
    return scaled_dot_product(query, key, value, mask)


def product_mask_for_three_axes(query, key, value, mask=None):
    return scaled_dot_product(query, key, value, mask if query.ndim == 3 else None)


def product_mask_ignored_when_small(query, key, value, mask=None):
    same = mask is not None and mask.shape == (*query.shape[:-1], key.shape[-2])
    return scaled_dot_product(query, key, value, mask if same else None)


def product_dropout(query, key, value, mask=None):
    _, weights = scaled_dot_product(query, key, value, mask)
    return F.dropout(weights, 0.1) @ value, weights


def product_key_detached(query, key, value, mask=None):
    return scaled_dot_product(query, key.detach(), value, mask)


def product_unscaled_when_square(query, key, value, mask=None):
    root = key.shape[-1] ** 0.5 if key.shape[-1] == key.shape[-2] else 1
    return scaled_dot_product(query * root, key, value, mask)


def projected_with_bias(X, W_q, W_k, W_v, mask=None):
    return scaled_dot_product(X @ W_q.T + 0.1, X @ W_k.T, X @ W_v.T + 0.1, _rows(mask))


def projected_random_layers(X, W_q, W_k, W_v, mask=None):
    query, key, value = (torch.nn.Linear(X.shape[-1], len(W), bias=False)(X) for W in (W_q, W_k, W_v))
    return scaled_dot_product(query, key, value, _rows(mask))


def projected_additive(X, W_q, W_k, W_v, mask=None):
    scores = torch.tanh((X @ W_q.T)[:, :, None] + (X @ W_k.T)[:, None]).sum(-1)
    weights = (scores if mask is None else scores.masked_fill(~mask[:, None], -1e9)).softmax(-1)
    return weights @ (X @ W_v.T), weights


def projected_summed_then_asked(X, W_q, W_k, W_v, mask=None):
    context, weights = self_attention(X, W_q, W_k, W_v, mask)
    return context.mean(1, keepdim=True).expand_as(context), weights


def projected_root_of_value_width_when_long(X, W_q, W_k, W_v, mask=None):
    factor = (len(W_k) / len(W_v)) ** 0.5 if X.shape[1] > 5 else 1
    return self_attention(X, W_q * factor, W_k, W_v, mask)


def projected_mask_gone_for_one_sentence(X, W_q, W_k, W_v, mask=None):
    return self_attention(X, W_q, W_k, W_v, None if len(X) == 1 else mask)


def projected_gradients_cut(X, W_q, W_k, W_v, mask=None):
    return self_attention(X, W_q, W_k.detach(), W_v, mask)


def cost_only(kind, n, d, k, r):
    return layer_cost(kind, n, d, k, r)[0]


def cost_quadratic_everywhere(kind, n, d, k, r):
    return n * n * d, *layer_cost(kind, n, d, k, r)[1:]


def cost_of_strings(kind, n, d, k, r):
    return tuple(str(x) for x in layer_cost(kind, n, d, k, r))


def cost_of_other_names(kind, n, d, k, r):
    return layer_cost(kind.replace("-", "_").removesuffix("al").replace("convolution", "recurrent"), n, d, k, r)


def cost_with_softmax(kind, n, d, k, r):
    cost, steps, path = layer_cost(kind, n, d, k, r)
    return cost + n * n if kind == "self_attention" else cost, steps, path


def cost_path_of_halves(kind, n, d, k, r):
    cost, steps, path = layer_cost(kind, n, d, k, r)
    return cost, steps, n / (2 * r) if kind == "restricted" else path


def product_mask_only_if_the_first_is_padded(query, key, value, mask=None):
    return scaled_dot_product(query, key, value, None if mask is None or mask[0].all() else mask)


def product_mask_of_one_row_ignored(query, key, value, mask=None):
    return scaled_dot_product(query, key, value, None if mask is None or len(mask) == 1 else mask)


def product_mask_of_heads_taken_for_a_batch(query, key, value, mask=None):
    over_heads = mask is not None and mask.dim() == 3 and query.dim() == 4
    weights = query @ key.mT / math.sqrt(key.shape[-1])
    if mask is not None:
        weights = weights.masked_fill(~(mask[:, None] if over_heads else mask), -1e9)
    return weights.softmax(-1) @ value, weights.softmax(-1)


def product_scores_cut(query, key, value, mask=None):
    scores = (query @ key.mT / math.sqrt(key.shape[-1])).clamp(max=50)
    weights = (scores if mask is None else scores.masked_fill(~mask, -1e9)).softmax(-1)
    return weights @ value, weights


def product_over_queries_of_one_batch(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    scores = scores if mask is None else scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1 if len(scores) > 1 else 0)
    return weights @ value, weights


def projected_scores_cut(X, W_q, W_k, W_v, mask=None):
    return product_scores_cut(X @ W_q.T, X @ W_k.T, X @ W_v.T, _rows(mask))


def projected_minus_a_hundred(X, W_q, W_k, W_v, mask=None):
    scores = X @ W_q.T @ (X @ W_k.T).mT / W_q.shape[0] ** 0.5
    weights = (scores if mask is None else scores - 100.0 * ~mask[:, None]).softmax(-1)
    return weights @ (X @ W_v.T), weights


def cost_path_at_least_one(kind, n, d, k, r):
    cost, steps, path = layer_cost(kind, n, d, k, r)
    return cost, steps, max(1, path)


TAUGHT = (simple_self_attention, scaled_dot_product, self_attention, layer_cost)


def _answers(prefix: str) -> list:
    return [value for name, value in globals().items() if name.startswith(f"{prefix}_") and value not in TAUGHT]


WRONG = {
    "self_attention.simple_self_attention": [*_answers("simple"), *spoiled(simple_self_attention)],
    "self_attention.scaled_dot_product": [*_answers("product"), *spoiled(scaled_dot_product)],
    "self_attention.self_attention": [*_answers("projected"), *spoiled(self_attention)],
    "self_attention.repaired_attention": [*_answers("projected"), *spoiled(self_attention)],
    "self_attention.layer_cost": _answers("cost"),
}
