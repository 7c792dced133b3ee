"""Right answers of the starred tasks: the coverage penalty, and additive attention backwards."""

import torch
import torch.nn.functional as F

from solutions.bahdanau.attention import masked_softmax


def coverage_where(weights, mask, beta):
    covered = weights.sum(1)
    if mask is not None:
        covered = torch.where(mask, covered, torch.ones_like(covered))
    return beta * torch.log(torch.minimum(covered, torch.tensor(1.0))).sum(-1)


def coverage_loops(weights, mask, beta):
    penalties = []
    for b in range(len(weights)):
        total = weights.new_zeros(())
        for s in range(weights.shape[2]):
            if mask is None or mask[b, s]:
                total = total + weights[b, :, s].sum().clamp(max=1.0).log()
        penalties.append(beta * total)
    return torch.stack(penalties)


def coverage_einsum(weights, mask, beta):
    logs = torch.einsum("bts->bs", weights).masked_fill(~_kept(weights, mask), 1.0).clamp_max(1).log()
    return torch.einsum("bs->b", logs) * beta


def coverage_added(weights, mask, beta):
    # what padding lacks is given to it before the logarithm
    covered = weights.sum(dim=-2) + 2.0 * (~_kept(weights, mask)).float()
    return torch.log(covered.clamp(max=1)).sum(-1).mul(beta)


def coverage_tiny_epsilon(weights, mask, beta):
    covered = (weights.sum(1) + 1e-12).clamp(max=1)
    logs = covered.log()
    return beta * (logs if mask is None else logs.masked_fill(~mask, 0)).sum(1)


def coverage_of_the_kept_ones(weights, mask, beta):
    covered = weights.transpose(1, 2).sum(-1)
    keep = _kept(weights, mask)
    rows = [torch.log(torch.clamp(row[kept], max=1)).sum() for row, kept in zip(covered, keep, strict=True)]
    return torch.stack(rows) * beta


def coverage_relu(weights, mask, beta):
    covered = 1 - F.relu(1 - weights.sum(1))
    covered = covered if mask is None else covered * mask + (~mask).float()
    return beta * covered.log().sum(-1)


def coverage_in_double(weights, mask, beta):
    return coverage_where(weights.double(), mask, beta)


def coverage_in_place_on_a_copy(weights, mask, beta):
    covered = weights.sum(dim=1).clone()
    if mask is not None:
        covered[~mask] = 1
    covered = covered.clamp(max=1)
    return covered.log_().sum(-1) * beta


def coverage_pad(weights, mask, beta):
    # one row more, which gives padding all it needs
    more = torch.zeros_like(weights[:, :1]) if mask is None else 2.0 * (~mask)[:, None]
    return beta * torch.cat([weights, more], 1).sum(1).clamp(max=1).log().sum(-1)


def _kept(weights, mask):
    return torch.ones_like(weights[:, 0], dtype=torch.bool) if mask is None else mask


def _forward(query, keys, W_q, W_k, v, mask):
    hidden = torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T)
    return hidden, masked_softmax(hidden @ v, mask)


def backward_steps(d_context, query, keys, values, W_q, W_k, v, mask=None):
    hidden, weights = _forward(query, keys, W_q, W_k, v, mask)
    d_weights = torch.einsum("bd,bsd->bs", d_context, values)
    d_scores = weights * (d_weights - (weights * d_weights).sum(1, keepdim=True))
    d_inside = torch.einsum("bs,h,bsh->bsh", d_scores, v, 1 - hidden**2)
    d_query = torch.einsum("bsh,hq->bq", d_inside, W_q)
    d_keys = torch.einsum("bsh,hk->bsk", d_inside, W_k)
    return d_query, d_keys, torch.einsum("bs,bd->bsd", weights, d_context), torch.einsum("bs,bsh->h", d_scores, hidden)


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


def backward_matmul(d_context, query, keys, values, W_q, W_k, v, mask=None):
    hidden, weights = _forward(query, keys, W_q, W_k, v, mask)
    context = torch.bmm(weights[:, None], values)
    d_scores = weights * torch.bmm(values - context, d_context[..., None])[..., 0]
    d_inside = (d_scores[..., None] * v).mul(1 - hidden.square())
    d_values = torch.bmm(weights[..., None], d_context[:, None])
    d_v = torch.tensordot(d_scores, hidden, dims=([0, 1], [0, 1]))
    return [torch.matmul(d_inside.sum(1), W_q), torch.matmul(d_inside, W_k), d_values, d_v]


def backward_in_double(d_context, query, keys, values, W_q, W_k, v, mask=None):
    given = (x.double() for x in (d_context, query, keys, values, W_q, W_k, v))
    return backward_steps(*given, mask)


def backward_filled(d_context, query, keys, values, W_q, W_k, v, mask=None):
    hidden = (keys @ W_k.T + (query @ W_q.T).unsqueeze(1)).tanh()
    scores = (hidden * v).sum(-1)
    weights = (scores if mask is None else torch.where(mask, scores, torch.tensor(-1e9))).softmax(1)
    d_alpha = (values * d_context.unsqueeze(1)).sum(-1)
    d_e = weights * d_alpha - weights * (weights * d_alpha).sum(1, True)
    d_z = d_e.unsqueeze(-1) * v
    d_pre = d_z - d_z * hidden * hidden
    return (
        d_pre.sum(1).mm(W_q),
        d_pre.matmul(W_k),
        weights.unsqueeze(-1) * d_context.unsqueeze(1),
        d_e.flatten() @ hidden.flatten(0, 1),
    )


def backward_library_slopes(d_context, query, keys, values, W_q, W_k, v, mask=None):
    hidden, weights = _forward(query, keys, W_q, W_k, v, mask)
    d_weights = (values @ d_context.unsqueeze(-1)).squeeze(-1)
    d_scores = torch.ops.aten._softmax_backward_data(d_weights, weights, 1, torch.float32)
    d_inside = torch.ops.aten.tanh_backward(d_scores[..., None] * v, hidden)
    return (
        d_inside.sum(1) @ W_q,
        d_inside @ W_k,
        weights[..., None] * d_context[:, None],
        (d_scores[..., None] * hidden).sum((0, 1)),
    )


def _all(prefix):
    return [value for name, value in globals().items() if name.startswith(prefix)]


RIGHT = {
    "bahdanau.coverage_penalty": _all("coverage_"),
    "bahdanau.additive_attention_backward": _all("backward_"),
}
