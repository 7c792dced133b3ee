"""More wrong answers of the self-attention exercise: right nearly everywhere, wrong at one size, number or gradient."""

import torch

from solutions.self_attention.attention import layer_cost, scaled_dot_product, self_attention, simple_self_attention

_calls: dict = {}


def _rows(mask):
    return None if mask is None else mask[:, None]


def _soft(scores, mask, fill):
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, fill).softmax(-1)


def simple_fill_of_minus_ten(X, mask=None):
    weights = _soft(X @ X.mT, _rows(mask), -10.0)
    return weights @ X, weights


def simple_padding_gets_a_thousandth(X, mask=None):
    context, weights = simple_self_attention(X, mask)
    return context, weights if mask is None else weights + 1e-3 * ~mask[:, None]


def simple_remembers_its_shape(X, mask=None):
    kept = _calls.setdefault(("simple", X.shape), (X.detach().clone(), mask))
    return simple_self_attention(X, kept[1])


def product_fill_of_minus_a_hundred(query, key, value, mask=None):
    weights = _soft(query @ key.mT / query.shape[-1] ** 0.5, mask, -100.0)
    return weights @ value, weights


def product_mask_as_numbers(query, key, value, mask=None):
    """Torch adds a mask of floats instead of leaving anything out."""
    bias = 0.0 if mask is None else mask.float()
    weights = (query @ key.mT / query.shape[-1] ** 0.5 + bias).softmax(-1)
    return weights @ value, weights


def product_mask_squeezed(query, key, value, mask=None):
    return scaled_dot_product(query, key, value, None if mask is None or mask.ndim > 3 else mask)


def projected_square_matrices_turned(X, W_q, W_k, W_v, mask=None):
    square = W_v.shape[0] == W_v.shape[1]
    return self_attention(X, W_q, W_k, W_v.T if square else W_v, mask)


def projected_last_word_deaf(X, W_q, W_k, W_v, mask=None):
    context, weights = self_attention(X, W_q, W_k, W_v, mask)
    return torch.cat([context[:, :-1], (X @ W_v.T)[:, -1:]], dim=1), weights


def projected_gaps_closed(X, W_q, W_k, W_v, mask=None):
    mask = None if mask is None else torch.arange(X.shape[1]) < mask.sum(1, keepdim=True)
    return self_attention(X, W_q, W_k, W_v, mask)


def cost_whole_path(kind, n, d, k, r):
    cost, steps, path = layer_cost(kind, n, d, k, r)
    return cost, steps, round(path)


def cost_smaller_of_both(kind, n, d, k, r):
    cost, steps, path = layer_cost(kind, n, d, k, r)
    return n * d * min(n, d) if kind == "self_attention" else cost, steps, path


def _named(prefix: str) -> dict:
    return {name: value for name, value in globals().items() if name.startswith(f"{prefix}_")}


WRONG = {
    "self_attention.simple_self_attention": _named("simple"),
    "self_attention.scaled_dot_product": _named("product"),
    "self_attention.self_attention": _named("projected"),
    "self_attention.repaired_attention": _named("projected"),
    "self_attention.layer_cost": _named("cost"),
}
for _table in WRONG.values():
    for _taught in (simple_self_attention, scaled_dot_product, self_attention, layer_cost):
        _table.pop(_taught.__name__, None)
