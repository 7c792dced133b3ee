"""Right answers of the starred tasks: the coverage penalty, and additive attention backwards."""

import torch

from solutions.bahdanau.attention import masked_softmax


def coverage_loops(weights, mask, beta):
    penalties = []
    for b in range(len(weights)):
        total = weights.new_zeros(())
        for s in range(weights.shape[2]):
            if mask is None or mask[b, s]:
                total = total + weights[b, :, s].sum().clamp(max=1.0).log()
        penalties.append(beta * total)
    return torch.stack(penalties)


def coverage_tiny_epsilon(weights, mask, beta):
    covered = (weights.sum(1) + 1e-12).clamp(max=1)
    logs = covered.log()
    return beta * (logs if mask is None else logs.masked_fill(~mask, 0)).sum(1)


def coverage_in_place_on_a_copy(weights, mask, beta):
    covered = weights.sum(dim=1).clone()
    if mask is not None:
        covered[~mask] = 1
    covered = covered.clamp(max=1)
    return covered.log_().sum(-1) * beta


def coverage_pad(weights, mask, beta):
    # one row more, which gives padding all it needs
    more = torch.zeros_like(weights[:, :1]) if mask is None else 2.0 * (~mask)[:, None]
    return beta * torch.cat([weights, more], 1).double().sum(1).clamp(max=1).log().sum(-1)


def _forward(query, keys, W_q, W_k, v, mask):
    hidden = torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T)
    return hidden, masked_softmax(hidden @ v, mask)


def backward_loops(d_context, query, keys, values, W_q, W_k, v, mask=None):
    d_query, d_keys, d_values, d_v = (torch.zeros_like(x) for x in (query, keys, values, v))
    for b in range(len(query)):
        places = [s for s in range(keys.shape[1]) if mask is None or mask[b, s]]
        hidden = torch.stack([torch.tanh(W_q @ query[b] + W_k @ keys[b, s]) for s in places])
        weights = torch.softmax(hidden @ v, 0)
        context = sum(weight * values[b, s] for weight, s in zip(weights, places, strict=True))
        for weight, z, s in zip(weights, hidden, places, strict=True):
            d_score = weight * torch.dot(d_context[b], values[b, s] - context)
            inside = d_score * v * (1 - z * z)
            d_values[b, s] = weight * d_context[b]
            d_keys[b, s] = inside @ W_k
            d_query[b] += inside @ W_q
            d_v += d_score * z
    return d_query, d_keys, d_values, d_v


def backward_jacobian(d_context, query, keys, values, W_q, W_k, v, mask=None):
    hidden, weights = _forward(query, keys, W_q, W_k, v, mask)
    jacobian = torch.diag_embed(weights) - weights[:, :, None] * weights[:, None]
    d_scores = (jacobian @ (values @ d_context[:, :, None]))[..., 0]
    d_inside = d_scores[..., None] * v * torch.cosh(torch.atanh(hidden.clamp(-1 + 1e-7, 1 - 1e-7))).pow(-2)
    d_v = (d_scores[..., None] * hidden).flatten(0, 1).sum(0)
    return (d_inside @ W_q).sum(1), d_inside @ W_k, weights[..., None] * d_context[:, None], d_v


def backward_library_slopes(d_context, query, keys, values, W_q, W_k, v, mask=None):
    hidden, weights = _forward(query, keys, W_q, W_k, v, mask)
    d_weights = (values @ d_context.unsqueeze(-1)).squeeze(-1)
    d_scores = torch.ops.aten._softmax_backward_data(d_weights, weights, 1, torch.float32)
    d_inside = torch.ops.aten.tanh_backward(d_scores[..., None] * v, hidden)
    d_v = (d_scores[..., None] * hidden).sum((0, 1))
    return [d_inside.sum(1) @ W_q, d_inside @ W_k, weights[..., None] * d_context[:, None], d_v]


RIGHT = {"bahdanau.coverage_penalty": "coverage_", "bahdanau.additive_attention_backward": "backward_"}
