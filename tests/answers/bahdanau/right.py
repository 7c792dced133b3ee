"""Right answers of the Bahdanau exercise, in the styles that a class hands in."""

import math

import torch
import torch.nn.functional as F


def softmax_fill_infinity(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, dim=-1)
    filled = scores.masked_fill(mask.logical_not(), float("-inf"))
    return torch.nan_to_num(torch.softmax(filled, dim=-1), nan=0.0)


def softmax_big_number(scores, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = F.softmax(scores, dim=-1)
    return weights if mask is None else weights * mask.float()


def softmax_minus_ten_thousand(scores, mask=None):
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    return F.softmax(scores.masked_fill(~mask, -1e4), dim=-1) * mask


def softmax_additive(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    bias = torch.zeros_like(scores).masked_fill(~mask, -1e30)
    return (scores + bias).softmax(-1) * mask.to(scores.dtype)


def softmax_one_minus_mask(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    keep = mask.to(scores.dtype)
    return torch.softmax(scores + (1.0 - keep) * -1e9, dim=-1) * keep


def softmax_where(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    low = torch.full_like(scores, torch.finfo(scores.dtype).min)
    weights = torch.where(mask, scores, low).softmax(-1)
    return torch.where(mask, weights, torch.zeros_like(weights))


def softmax_renormalised(scores, mask=None):
    grown = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    if mask is not None:
        grown = grown * mask
    total = grown.sum(dim=-1, keepdim=True)
    return grown / total.masked_fill(total == 0, 1.0)


def softmax_after_and_divide(scores, mask=None):
    weights = torch.softmax(scores, dim=-1)
    if mask is None:
        return weights
    weights = weights * mask
    total = weights.sum(-1, keepdim=True)
    return weights / (total + (total == 0))


def softmax_plus_epsilon(scores, mask=None):
    keep = torch.ones_like(scores).bool() if mask is None else mask
    grown = torch.where(keep, (scores - scores.where(keep, torch.tensor(-torch.inf)).amax(-1, True)).exp(), 0.0)
    return grown / (grown.sum(-1, keepdim=True) + 1e-9)


def softmax_logarithms(scores, mask=None):
    if mask is None:
        return (scores - scores.logsumexp(-1, keepdim=True)).exp()
    scores = scores.masked_fill(~mask, -1e9)
    return F.log_softmax(scores, dim=-1).exp() * mask


def softmax_rows_in_a_loop(scores, mask=None):
    rows = scores.reshape(-1, scores.shape[-1])
    kept = torch.ones_like(rows, dtype=torch.bool) if mask is None else mask.reshape(rows.shape)
    result = []
    for row, keep in zip(rows, kept, strict=True):
        weights = torch.zeros_like(row)
        if keep.any():
            weights = weights.masked_scatter(keep, torch.softmax(row[keep], dim=0))
        result.append(weights)
    return torch.stack(result).view(scores.shape)


def softmax_copy_and_assign(scores, mask=None):
    scores = scores.clone()
    if mask is not None:
        scores[~mask] = -torch.inf
        empty = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(empty, 0.0)
        return torch.softmax(scores, dim=-1).masked_fill(empty, 0.0)
    return torch.softmax(scores, dim=-1)


def softmax_in_double(scores, mask=None):
    scores = scores.double()
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e300)
    weights = scores.softmax(-1)
    return weights if mask is None else weights * mask


def softmax_renamed_arguments(s, m=None, dim=-1):
    m = torch.tensor(True) if m is None else m
    e = torch.exp(s - torch.amax(s, dim, True)) * m
    z = torch.sum(e, dim, keepdim=True)
    return torch.where(z > 0, e / torch.where(z > 0, z, torch.ones_like(z)), torch.zeros_like(e))


def softmax_max_of_kept(scores, mask=None):
    if mask is None:
        mask = torch.ones_like(scores).bool()
    top = scores.masked_fill(~mask, -1e38).max(-1, keepdim=True)[0].detach()
    grown = torch.where(mask, (scores - top).clamp(max=0).exp(), 0.0)
    return grown / torch.clamp(grown.sum(-1, keepdim=True), min=torch.finfo(scores.dtype).tiny)


SOFTMAX = [value for name, value in list(globals().items()) if name.startswith("softmax_")]


def attention_einsum(query, keys, values, W_q, W_k, v, mask=None):
    hidden = torch.tanh(torch.einsum("bq,hq->bh", query, W_q).unsqueeze(1) + torch.einsum("bsk,hk->bsh", keys, W_k))
    scores = torch.einsum("bsh,h->bs", hidden, v)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1)
    return torch.einsum("bs,bsd->bd", weights, values), weights


def attention_linear(query, keys, values, W_q, W_k, v, mask=None):
    e = F.linear(torch.tanh(F.linear(query, W_q)[:, None, :] + F.linear(keys, W_k)), v[None]).squeeze(-1)
    e = e if mask is None else torch.where(mask, e, torch.tensor(-1e9))
    a = F.softmax(e, dim=1)
    return torch.bmm(a.unsqueeze(1), values).squeeze(1), a


def attention_concatenated(query, keys, values, W_q, W_k, v, mask=None):
    S = keys.size(1)
    both = torch.cat([query.unsqueeze(1).expand(-1, S, -1), keys], dim=-1)
    energy = torch.tanh(both @ torch.cat([W_q, W_k], dim=1).t())
    scores = (energy * v).sum(-1)
    if mask is not None:
        scores = scores + torch.where(mask, 0.0, -1e9)
    weights = torch.softmax(scores, -1)
    return (weights.unsqueeze(-1) * values).sum(1), weights


def attention_loops(query, keys, values, W_q, W_k, v, mask=None):
    contexts, rows = [], []
    for b in range(query.shape[0]):
        scores = []
        for s in range(keys.shape[1]):
            if mask is not None and not mask[b, s]:
                scores.append(torch.tensor(-math.inf))
            else:
                scores.append(torch.dot(v, torch.tanh(W_q @ query[b] + W_k @ keys[b, s])))
        weights = torch.softmax(torch.stack(scores), dim=0)
        contexts.append(sum(weights[s] * values[b, s] for s in range(keys.shape[1])))
        rows.append(weights)
    return torch.stack(contexts), torch.stack(rows)


def attention_time_major(query, keys, values, W_q, W_k, v, mask=None):
    keys, values = keys.transpose(0, 1), values.transpose(0, 1)
    scores = torch.matmul((torch.matmul(keys, W_k.T) + torch.matmul(query, W_q.T)).tanh(), v)
    if mask is not None:
        scores = scores.masked_fill(~mask.T, torch.finfo(torch.float32).min)
    weights = scores.softmax(0)
    return (weights[..., None] * values).sum(0), weights.T


def attention_transposed(query, keys, values, W_q, W_k, v, mask=None):
    hidden = torch.tanh((W_q @ query.T).T[:, :, None] + W_k @ keys.transpose(1, 2))
    scores = v @ hidden
    exps = (scores - scores.amax(1, keepdim=True)).exp()
    if mask is not None:
        exps = exps * mask
    weights = exps / exps.sum(1, keepdim=True)
    return (weights[:, None] @ values).squeeze(1), weights


def attention_with_a_bias_that_cancels(query, keys, values, W_q, W_k, v, mask=None):
    scores = torch.tanh((query @ W_q.T).unsqueeze(1) + keys @ W_k.T) @ v + 0.7
    if mask is not None:
        scores = scores.masked_fill(mask == False, -1e4)  # noqa: E712
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights.unsqueeze(1), values)[:, 0, :], weights


def attention_module(query, keys, values, W_q, W_k, v, mask=None):
    class Scorer(torch.nn.Module):
        def forward(self, query, keys):
            return torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T).matmul(v)

    scores = Scorer()(query, keys)
    weights = softmax_where(scores, mask)
    return [torch.einsum("bs,bsd->bd", weights, values), weights]


def attention_in_double(query, keys, values, W_q, W_k, v, mask=None):
    query, keys, values, W_q, W_k, v = (x.double() for x in (query, keys, values, W_q, W_k, v))
    weights = softmax_in_double(torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T) @ v, mask)
    return (weights[:, None] @ values)[:, 0], weights


def attention_repeated(query, keys, values, W_q, W_k, v, mask=None):
    B, S, _ = keys.shape
    q = (query @ W_q.T).repeat_interleave(S, dim=0).view(B, S, -1)
    k = (keys.reshape(B * S, -1) @ W_k.T).view(B, S, -1)
    weights = softmax_copy_and_assign(torch.tanh(q + k).mul(v).sum(dim=2), mask)
    return torch.baddbmm(torch.zeros(B, 1, values.shape[2]), weights.unsqueeze(1), values).squeeze(1), weights


ADDITIVE = [value for name, value in list(globals().items()) if name.startswith("attention_")]

RIGHT = {
    "bahdanau.masked_softmax": SOFTMAX,
    "bahdanau.additive_attention": ADDITIVE,
    "bahdanau.repaired_attention": ADDITIVE,
}
