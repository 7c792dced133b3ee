"""Right answers by hand, in the bug hunt, and for a stack of layers with pre-norm."""

import torch
import torch.nn.functional as F


def _norm(x, gamma, beta, eps):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)


def _layers(params):
    return [dict(zip(params, layer, strict=True)) for layer in zip(*params.values(), strict=True)]


def _attended(z, layer, heads, mask):
    q, k, v = (
        (torch.einsum("bsd,ed->bse", z, layer[f"W_{n}"]) + layer[f"b_{n}"]).unflatten(-1, (heads, -1)) for n in "qkv"
    )
    scores = torch.einsum("bthc,bshc->bhts", q, k) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = torch.where(mask[:, None, None], scores, torch.tensor(-1e9))
    context = torch.einsum("bhts,bshc->bthc", scores.softmax(-1), v).flatten(2)
    return torch.einsum("btd,ed->bte", context, layer["W_o"]) + layer["b_o"]


def stack_recursive(x, params, gamma, beta, heads, mask=None, eps=1e-5):
    first, *rest = _layers(params)
    x = x + _attended(_norm(x, first["gamma_1"], first["beta_1"], eps), first, heads, mask)
    inner = torch.relu(_norm(x, first["gamma_2"], first["beta_2"], eps) @ first["W_1"].T + first["b_1"])
    x = x + (inner @ first["W_2"].T + first["b_2"])
    if not rest:
        return _norm(x, gamma, beta, eps)
    others = {name: weight[1:] for name, weight in params.items()}
    return stack_recursive(x, others, gamma, beta, heads, mask, eps)


def stack_in_place_on_a_copy(x, params, gamma, beta, heads, mask=None, eps=1e-5):
    total = x.clone()
    for layer in _layers(params):
        total += _attended(_norm(total.clone(), layer["gamma_1"], layer["beta_1"], eps), layer, heads, mask)
        inner = torch.relu(_norm(total.clone(), layer["gamma_2"], layer["beta_2"], eps) @ layer["W_1"].T + layer["b_1"])
        total += inner @ layer["W_2"].T + layer["b_2"]
    return _norm(total, gamma, beta, eps)


RIGHT = {"transformer.pre_norm_stack": "stack_"}
