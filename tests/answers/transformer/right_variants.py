"""Right answers by hand, in the bug hunt, and for a stack of layers with pre-norm."""

import math

import torch
import torch.nn.functional as F


def hand_two_decimals():
    return [2, 7], [-0.58, -0.58, -0.58, 1.73]


def hand_tensors():
    return torch.tensor([2.0, 7.0]), torch.tensor([-1.0, -1.0, -1.0, 3.0]) / math.sqrt(3)


def input_random():
    torch.manual_seed(0)
    return [torch.randn(3, 5, 6), *(torch.randn(6, 6) for _ in "qkvo"), 3]


def input_of_four():
    x = torch.tensor([[[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 3.0, 0.0]]])
    return x, *[torch.eye(4)] * 4, torch.tensor(2)


def diagnosis_capital():
    return [6, "C"]


def repair_of_the_queries(x, W_q, W_k, W_v, W_o, heads):
    batch, length, width = x.shape
    q = (x @ W_q.T * heads**0.5).view(batch, length, heads, -1).transpose(1, 2)
    k = (x @ W_k.T).view(batch, length, heads, -1).transpose(1, 2)
    v = (x @ W_v.T).view(batch, length, heads, -1).transpose(1, 2)
    scores = torch.einsum("bhtc,bhsc->bhts", q, k) / width**0.5
    weights = scores.softmax(dim=-1)
    context = torch.einsum("bhts,bhsc->bthc", weights, v)
    out = context.reshape(batch, length, width) @ W_o.T
    return out, weights


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


def stack_in_double(x, params, gamma, beta, heads, mask=None, eps=1e-5):
    double = {name: weight.double() for name, weight in params.items()}
    return stack_recursive(x.double(), double, gamma.double(), beta.double(), heads, mask, eps).float()


def stack_in_place_on_a_copy(x, params, gamma, beta, heads, mask=None, eps=1e-5):
    total = x.clone()
    for layer in _layers(params):
        total += _attended(_norm(total.clone(), layer["gamma_1"], layer["beta_1"], eps), layer, heads, mask)
        inner = torch.relu(_norm(total.clone(), layer["gamma_2"], layer["beta_2"], eps) @ layer["W_1"].T + layer["b_1"])
        total += inner @ layer["W_2"].T + layer["b_2"]
    return _norm(total, gamma, beta, eps)


RIGHT = {
    "transformer.heads_by_hand": "hand_",
    "transformer.failing_input": "input_",
    "transformer.diagnosis": "diagnosis_",
    "transformer.repaired_heads": "repair_",
    "transformer.pre_norm_stack": "stack_",
}
