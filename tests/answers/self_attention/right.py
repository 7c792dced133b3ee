"""Right answers of the self-attention exercise, in the styles that a class hands in."""

import math

import numpy as np
import torch
import torch.nn.functional as F


def _soft(scores, mask):
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -1e9).softmax(-1)


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


def simple_padding_asks_nobody(X, mask=None):
    """Rows of padding are set to 0: nothing asks for them."""
    X = X.double()
    weights = _soft(torch.einsum("bid,bjd->bij", X, X), _rows(mask))
    context = torch.einsum("bij,bjd->bid", weights, X)
    return (context, weights) if mask is None else (context * mask[..., None], weights * mask[..., None])


def simple_both_sides_masked(X, mask=None):
    """The rows of padding become uniform: nothing asks for them."""
    both = None if mask is None else mask[:, :, None] & mask[:, None, :]
    weights = _soft(X @ X.mT, both)
    return [weights @ X, weights]


def simple_by_torch(X, mask=None):
    """Torch's own product, told not to scale; a second call with the identity as values gives the weights."""
    masked = None if mask is None else mask[:, None]
    identity = torch.eye(X.shape[1]).expand(len(X), -1, -1)
    context = F.scaled_dot_product_attention(X, X, X, masked, scale=1.0)
    return context, F.scaled_dot_product_attention(X, X, identity, masked, scale=1.0)


def product_both_scaled(query, key, value, mask=None):
    fourth = query.shape[-1] ** 0.25
    weights = _soft((query / fourth) @ (key / fourth).mT, mask)
    return weights @ value, weights


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


def product_by_torch(query, key, value, mask=None):
    identity = torch.eye(key.shape[-2]).expand(*key.shape[:-1], -1)
    output = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    return output, F.scaled_dot_product_attention(query, key, identity, attn_mask=mask)


def _rows(mask):
    return None if mask is None else mask[:, None]


def projected_values_last(X, W_q, W_k, W_v, mask=None):
    """The words are summed, and projected then: the same, by the associative law."""
    weights = _soft((X @ W_q.T) @ (X @ W_k.T).mT / math.sqrt(W_k.shape[0]), _rows(mask))
    return weights @ X @ W_v.T, weights


def projected_padding_asks_nobody(X, W_q, W_k, W_v, mask=None):
    context, weights = product_flattened(X @ W_q.T, X @ W_k.T, X @ W_v.T, _rows(mask))
    return (context, weights) if mask is None else (context * mask[..., None], weights * mask[..., None])


def projected_both_sides_masked(X, W_q, W_k, W_v, mask=None):
    both = None if mask is None else mask[:, :, None] & mask[:, None, :]
    return product_row_by_row(X @ W_q.T, X @ W_k.T, X @ W_v.T, both)


def cost_dictionary(kind, n, d, k, r):
    return {
        "self_attention": (n * n * d, 1, 1),
        "recurrent": (n * d * d, n, n),
        "convolution": (k * n * d * d, 1, math.log(n, k)),
        "restricted": (r * n * d, 1, n / r),
    }[kind]


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


RIGHT = {
    "self_attention.simple_self_attention": "simple_",
    "self_attention.scaled_dot_product": "product_",
    "self_attention.self_attention": "projected_",
    "self_attention.layer_cost": "cost_",
}
