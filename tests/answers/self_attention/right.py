"""Right answers of the self-attention exercise, in the styles that a class hands in."""

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def _soft(scores, mask):
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -1e9).softmax(-1)


def simple_matmul(X, mask=None):
    scores = X @ X.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask.unsqueeze(1), float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ X, weights


def simple_einsum(X, mask=None):
    scores = torch.einsum("bid,bjd->bij", X, X)
    weights = _soft(scores, None if mask is None else mask[:, None, :])
    return torch.einsum("bij,bjd->bid", weights, X), weights


def simple_bmm(X, mask=None):
    scores = torch.bmm(X, X.permute(0, 2, 1))
    if mask is not None:
        scores = scores + (1 - mask.float()).unsqueeze(1) * -1e9
    weights = F.softmax(scores, dim=2)
    return torch.bmm(weights, X), weights


def simple_broadcast(X, mask=None):
    scores = (X.unsqueeze(2) * X.unsqueeze(1)).sum(-1)
    weights = _soft(scores, None if mask is None else mask.unsqueeze(1).expand_as(scores))
    return (weights.unsqueeze(-1) * X.unsqueeze(1)).sum(2), weights


def simple_loops(X, mask=None):
    contexts, rows = [], []
    for b in range(X.shape[0]):
        for i in range(X.shape[1]):
            scores = torch.stack([X[b, i] @ X[b, j] for j in range(X.shape[1])])
            if mask is not None:
                scores = scores.masked_fill(~mask[b], -math.inf)
            weights = scores.softmax(0)
            rows.append(weights)
            contexts.append(sum(weights[j] * X[b, j] for j in range(X.shape[1])))
    return torch.stack(contexts).view(X.shape), torch.stack(rows).view(X.shape[0], X.shape[1], X.shape[1])


def simple_batch_loop(X, mask=None):
    results = []
    for b, words in enumerate(X):
        scores = words @ words.T
        if mask is not None:
            scores = torch.where(mask[b], scores, torch.tensor(-1e30))
        weights = scores.softmax(1)
        results.append((weights @ words, weights))
    contexts, weights = zip(*results, strict=True)
    return torch.stack(contexts), torch.stack(weights)


def simple_padding_asks_nobody(X, mask=None):
    """Rows of padding are set to 0: nothing asks for them."""
    context, weights = simple_einsum(X, mask)
    if mask is None:
        return context, weights
    return context * mask[..., None], weights * mask[..., None]


def simple_both_sides_masked(X, mask=None):
    """The rows of padding become uniform: nothing asks for them."""
    both = None if mask is None else mask[:, :, None] & mask[:, None, :]
    weights = _soft(X @ X.mT, both)
    return weights @ X, weights


def simple_exp_and_divide(X, mask=None):
    scores = X @ X.mT
    keep = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask[:, None].expand_as(scores)
    top = scores.masked_fill(~keep, -1e30).amax(-1, keepdim=True)
    grown = torch.exp((scores - top).clamp(max=0)).masked_fill(~keep, 0.0)
    weights = grown / grown.sum(-1, keepdim=True)
    return weights @ X, weights


def simple_keys_first(X, mask=None):
    """The softmax over axis 1 of the transposed scores, and back."""
    scores = X @ X.mT
    if mask is not None:
        scores = scores.masked_fill(~mask[:, :, None], torch.finfo(scores.dtype).min)
    columns = scores.softmax(1)
    return columns.mT @ X, columns.mT


def simple_in_double(X, mask=None):
    return simple_einsum(X.double(), mask)


def simple_as_a_list(X, mask=None):
    return list(simple_bmm(X, mask))


def simple_by_torch(X, mask=None):
    """Torch's own product, told not to scale; a second call with the identity as values gives the weights."""
    masked = None if mask is None else mask[:, None]
    identity = torch.eye(X.shape[1]).expand(len(X), -1, -1)
    context = F.scaled_dot_product_attention(X, X, X, masked, scale=1.0)
    return context, F.scaled_dot_product_attention(X, X, identity, masked, scale=1.0)


def product_matmul(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(key.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == False, -1e9)  # noqa: E712 — as many tutorials have it
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights


def product_query_scaled(query, key, value, mask=None):
    scores = (query * key.shape[-1] ** -0.5) @ key.mT
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    weights = scores.softmax(-1)
    return weights @ value, weights


def product_key_scaled(query, key, value, mask=None):
    weights = _soft(query @ (key / key.shape[-1] ** 0.5).transpose(-1, -2), mask)
    return weights @ value, weights


def product_both_scaled(query, key, value, mask=None):
    fourth = query.shape[-1] ** 0.25
    weights = _soft((query / fourth) @ (key / fourth).mT, mask)
    return weights @ value, weights


def product_einsum(query, key, value, mask=None):
    scores = torch.einsum("...tk,...sk->...ts", query, key) / np.sqrt(query.shape[-1])
    weights = _soft(scores, mask)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights


def product_additive_mask(query, key, value, mask=None):
    bias = 0.0 if mask is None else torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)
    weights = (query @ key.mT / query.shape[-1] ** 0.5 + bias).softmax(dim=-1)
    return weights @ value, weights


def product_broadcast(query, key, value, mask=None):
    scores = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1) / math.sqrt(query.shape[-1])
    weights = _soft(scores, mask)
    return (weights.unsqueeze(-1) * value.unsqueeze(-3)).sum(-2), weights


def product_row_by_row(query, key, value, mask=None):
    mask = None if mask is None else mask.expand(*query.shape[:-1], key.shape[-2])
    outputs, rows = [], []
    for t in range(query.shape[-2]):
        scores = (query[..., t : t + 1, :] * key).sum(-1) / query.shape[-1] ** 0.5
        weights = _soft(scores, None if mask is None else mask[..., t, :])
        rows.append(weights)
        outputs.append((weights[..., None] * value).sum(-2))
    return torch.stack(outputs, dim=-2), torch.stack(rows, dim=-2)


def product_flattened(query, key, value, mask=None):
    *batch, T, k = query.shape
    S, v = value.shape[-2:]
    scores = torch.bmm(query.reshape(-1, T, k), key.reshape(-1, S, k).transpose(1, 2)) / math.sqrt(k)
    if mask is not None:
        scores = scores.masked_fill(~mask.expand(*batch, T, S).reshape(-1, T, S), -1e9)
    weights = scores.softmax(-1)
    return torch.bmm(weights, value.reshape(-1, S, v)).view(*batch, T, v), weights.view(*batch, T, S)


def product_exp_and_divide(query, key, value, mask=None):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    keep = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    grown = (scores - scores.masked_fill(~keep, -1e30).amax(-1, keepdim=True)).clamp(max=0).exp() * keep
    weights = grown / grown.sum(-1, keepdim=True)
    return weights @ value, weights


def product_log_softmax(query, key, value, mask=None):
    scores = query @ key.mT / query.shape[-1] ** 0.5
    scores = scores if mask is None else scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
    weights = F.log_softmax(scores, -1).exp()
    return weights @ value, weights


def product_by_torch(query, key, value, mask=None):
    identity = torch.eye(key.shape[-2]).expand(*key.shape[:-1], -1)
    output = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    return output, F.scaled_dot_product_attention(query, key, identity, attn_mask=mask)


def product_with_dropout_off(query, key, value, mask=None, dropout=0.0):
    output, weights = product_matmul(query, key, value, mask)
    return F.dropout(output, dropout, training=False), weights


def product_in_double(query, key, value, mask=None):
    return product_matmul(query.double(), key.double(), value.double(), mask)


def _rows(mask):
    return None if mask is None else mask[:, None]


def projected_matmul(X, W_q, W_k, W_v, mask=None):
    return product_matmul(X @ W_q.T, X @ W_k.T, X @ W_v.T, _rows(mask))


def projected_linear(X, W_q, W_k, W_v, mask=None):
    query, key, value = F.linear(X, W_q), F.linear(X, W_k), F.linear(X, W_v)
    weights = _soft(query @ key.mT / query.shape[-1] ** 0.5, _rows(mask))
    return weights @ value, weights


def projected_einsum(X, W_q, W_k, W_v, mask=None):
    scores = torch.einsum("bid,kd,ke,bje->bij", X, W_q, W_k, X) / len(W_q) ** 0.5
    weights = _soft(scores, _rows(mask))
    return torch.einsum("bij,bjd,vd->biv", weights, X, W_v), weights


def projected_in_one(X, W_q, W_k, W_v, mask=None):
    k, v = len(W_q), len(W_v)
    query, key, value = (X @ torch.cat([W_q, W_k, W_v]).T).split([k, k, v], dim=-1)
    return product_query_scaled(query, key, value, _rows(mask))


def projected_values_last(X, W_q, W_k, W_v, mask=None):
    """The words are summed, and projected then: the same, by the associative law."""
    weights = _soft((X @ W_q.T) @ (X @ W_k.T).mT / math.sqrt(W_k.shape[0]), _rows(mask))
    return weights @ X @ W_v.T, weights


def projected_one_matrix(X, W_q, W_k, W_v, mask=None):
    """W_qᵀ W_k is one matrix between two words: Luong's general score, scaled."""
    weights = _soft(X @ (W_q.T @ W_k) @ X.mT / len(W_q) ** 0.5, _rows(mask))
    return weights @ (X @ W_v.T), weights


def projected_module(X, W_q, W_k, W_v, mask=None):
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.Q = nn.Linear(W_q.shape[1], W_q.shape[0], bias=False)
            self.K = nn.Linear(W_k.shape[1], W_k.shape[0], bias=False)
            self.V = nn.Linear(W_v.shape[1], W_v.shape[0], bias=False)

        def forward(self, words):
            weights = _soft(self.Q(words) @ self.K(words).mT / self.Q.out_features**0.5, _rows(mask))
            return weights @ self.V(words), weights

    return torch.func.functional_call(Layer(), {"Q.weight": W_q, "K.weight": W_k, "V.weight": W_v}, (X,))


def projected_six_steps(X, W_q, W_k, W_v, mask=None):
    contexts, rows = [], []
    for b in range(len(X)):
        Q, K, V = (torch.stack([W @ word for word in X[b]]) for W in (W_q, W_k, W_v))
        for query in Q:
            scores = K @ query / math.sqrt(len(query))
            if mask is not None:
                scores = scores.masked_fill(~mask[b], -math.inf)
            weights = scores.exp() / scores.exp().sum() if scores.abs().max() < 50 else scores.softmax(0)
            rows.append(weights)
            contexts.append((weights[:, None] * V).sum(0))
    return torch.stack(contexts).view(*X.shape[:2], -1), torch.stack(rows).view(*X.shape[:2], -1)


def projected_bias_that_cancels(X, W_q, W_k, W_v, mask=None):
    """The same number for every key of a query: the softmax does not see it."""
    query, key = X @ W_q.T, X @ W_k.T + 0.25
    weights = _soft(query @ key.mT / query.shape[-1] ** 0.5, _rows(mask))
    return weights @ (X @ W_v.T), weights


def projected_padding_asks_nobody(X, W_q, W_k, W_v, mask=None):
    context, weights = projected_matmul(X, W_q, W_k, W_v, mask)
    return (context, weights) if mask is None else (context * mask[..., None], weights * mask[..., None])


def projected_both_sides_masked(X, W_q, W_k, W_v, mask=None):
    both = None if mask is None else mask[:, :, None] & mask[:, None, :]
    return product_matmul(X @ W_q.T, X @ W_k.T, X @ W_v.T, both)


def projected_padded_values_zeroed(X, W_q, W_k, W_v, mask=None):
    value = X @ W_v.T if mask is None else (X @ W_v.T) * mask[..., None]
    return product_additive_mask(X @ W_q.T, X @ W_k.T, value, _rows(mask))


def projected_in_double(X, W_q, W_k, W_v, mask=None):
    return projected_matmul(X.double(), W_q.double(), W_k.double(), W_v.double(), mask)


def projected_by_torch(X, W_q, W_k, W_v, mask=None):
    return product_by_torch(X @ W_q.T, X @ W_k.T, X @ W_v.T, _rows(mask))


def cost_branches(kind, n, d, k, r):
    if kind == "self_attention":
        return n**2 * d, 1, 1
    if kind == "recurrent":
        return n * d**2, n, n
    if kind == "convolution":
        return k * n * d**2, 1, math.log(n) / math.log(k)
    return r * n * d, 1, n / r


def cost_dictionary(kind, n, d, k, r):
    return {
        "self_attention": (n * n * d, 1, 1),
        "recurrent": (n * d * d, n, n),
        "convolution": (k * n * d * d, 1, math.log(n, k)),
        "restricted": (r * n * d, 1, n / r),
    }[kind]


def cost_floats(kind, n, d, k, r):
    return tuple(float(x) for x in cost_branches(kind, n, d, k, r))


def cost_list(kind, n, d, k, r):
    return list(cost_branches(kind, n, d, k, r))


def cost_tensors(kind, n, d, k, r):
    return tuple(torch.tensor(x) for x in cost_dictionary(kind, n, d, k, r))


def cost_numpy(kind, n, d, k, r):
    n, d = np.int64(n), np.int64(d)
    match kind:
        case "self_attention":
            return n * n * d, 1, 1
        case "recurrent":
            return n * d * d, n, n
        case "convolution":
            return k * n * d * d, 1, np.log(n) / np.log(k)
        case _:
            return r * n * d, 1, n / r


def cost_lambdas(kind, n, d, k, r):
    cost = {"self_attention": lambda: n * n * d, "recurrent": lambda: n * d * d, "restricted": lambda: r * n * d}
    steps = n if kind == "recurrent" else 1
    path = {"self_attention": 1, "recurrent": n, "convolution": math.log2(n) / math.log2(k), "restricted": n / r}
    return cost.get(kind, lambda: k * n * d * d)(), steps, path[kind]


def _styles(prefix):
    return [value for name, value in globals().items() if name.startswith(f"{prefix}_")]


RIGHT = {
    "self_attention.simple_self_attention": _styles("simple"),
    "self_attention.scaled_dot_product": _styles("product"),
    "self_attention.self_attention": _styles("projected"),
    "self_attention.repaired_attention": _styles("projected"),
    "self_attention.layer_cost": _styles("cost"),
}
