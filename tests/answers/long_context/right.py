"""Right answers of the notebook on long context, in the styles that a class hands in: tiles and their parts."""

import math

import torch


def merge_where(first, second):
    (m1, l1, o1), (m2, l2, o2) = first, second
    m = torch.where(m1 > m2, m1, m2)
    a, b = (torch.where(each == -torch.inf, torch.zeros_like(each), torch.exp(each - m)) for each in (m1, m2))
    return m, a * l1 + b * l2, a.unsqueeze(-1) * o1 + b.unsqueeze(-1) * o2


def merge_stacked(first, second):
    m, sums, o = (torch.stack(pair) for pair in zip(first, second, strict=True))
    highest = m.max(dim=0).values
    scale = (m - highest.clamp(min=torch.finfo(m.dtype).min)).exp()
    return highest, (scale * sums).sum(0), torch.einsum("p...,p...v->...v", scale, o)


def merge_by_difference(first, second):
    """Only the part with the smaller maximum is multiplied."""
    (m1, l1, o1), (m2, l2, o2) = first, second
    smaller, larger = torch.minimum(m1, m2), torch.maximum(m1, m2)
    factor = torch.exp(smaller - larger).nan_to_num(0.0)
    a, b = torch.where(m1 < m2, factor, 1.0), torch.where(m2 < m1, factor, 1.0)
    return larger, l1 * a + l2 * b, o1 * a[..., None] + o2 * b[..., None]


def _scores(q, k, row, column, offset, causal, mask, fill=-torch.inf):
    scores = torch.einsum("btd,bsd->bts", q, k) * q.shape[-1] ** -0.5
    if causal:
        i, j = torch.arange(q.shape[1]) + row + offset, torch.arange(k.shape[1]) + column
        scores = scores.masked_fill(i[:, None] < j[None], fill)
    if mask is not None:
        scores = torch.where(mask[:, None, column : column + k.shape[1]], scores, fill)
    return scores


def forward_running(query, key, value, tile, causal=False, mask=None):
    """The recurrence itself, without a function for merging; hidden scores are very low, and not -∞."""
    B, T, S = len(query), query.shape[1], key.shape[1]
    out, lse = torch.empty(B, 0, value.shape[-1]), torch.empty(B, 0)
    for i in range(0, T, tile):
        q = query[:, i : i + tile]
        m, total = torch.full(q.shape[:2], -1e30), torch.zeros(q.shape[:2])
        acc = torch.zeros(*q.shape[:2], value.shape[-1])
        for j in range(0, S, tile):
            s = _scores(q, key[:, j : j + tile], i, j, S - T, causal, mask, -1e30)
            new = torch.maximum(m, s.max(dim=-1).values)
            alpha, p = torch.exp(m - new), torch.exp(s - new[:, :, None])
            total = alpha * total + p.sum(-1)
            acc = alpha[:, :, None] * acc + torch.bmm(p, value[:, j : j + tile])
            m = new
        out, lse = torch.cat([out, acc / total.unsqueeze(-1)], 1), torch.cat([lse, m + torch.log(total)], 1)
    return out, lse


def forward_divided(query, key, value, tile, causal=False, mask=None):
    """Each tile has a softmax of its own; contexts are weighted by their shares of the sum."""
    T, S = query.shape[1], key.shape[1]
    contexts, logs = [], []
    for i in range(0, T, tile):
        q = query[:, i : i + tile]
        context, log = 0, torch.full(q.shape[:2], -1e30)
        for j in range(0, S, tile):
            s = _scores(q, key[:, j : j + tile], i, j, S - T, causal, mask, -1e30)
            own = s.logsumexp(-1)
            both = torch.logaddexp(log, own)
            context = context * (log - both).exp()[..., None]
            context = context + s.softmax(-1) @ value[:, j : j + tile] * (own - both).exp()[..., None]
            log = both
        contexts.append(context)
        logs.append(log)
    return torch.cat(contexts, dim=1), torch.cat(logs, dim=1)


def forward_split(query, key, value, tile, causal=False, mask=None):
    """Pieces by `split`; tiles that lie in the future are left out."""
    offset, outputs, row = key.shape[1] - query.shape[1], [], 0
    for q in query.split(tile, dim=1):
        start = torch.full(q.shape[:2], -math.inf), torch.zeros(q.shape[:2]), torch.zeros(*q.shape[:2], value.shape[-1])
        part, column = start, 0
        for k, v in zip(key.split(tile, 1), value.split(tile, 1), strict=True):
            if causal and column > row + q.shape[1] - 1 + offset:
                break
            s = _scores(q, k, row, column, offset, causal, mask)
            m = s.max(dim=2)[0].detach()  # its gradient is 0 in the end
            p = torch.where(s == -math.inf, 0.0, (s - m[..., None]).exp().nan_to_num(0.0))
            part = merge_stacked(part, (m, p.sum(2), torch.einsum("bts,bsv->btv", p, v)))
            column += k.shape[1]
        outputs.append((part[2] / part[1][..., None], part[0] + part[1].log()))
        row += q.shape[1]
    return tuple(torch.cat(each, dim=1) for each in zip(*outputs, strict=True))


def backward_rows_outside(query, key, value, context, logsumexp, grad, tile):
    scale, T, S = 1 / math.sqrt(query.shape[2]), query.shape[1], key.shape[1]
    dK, dV, dQ = torch.zeros_like(key), torch.zeros_like(value), []
    for i in range(0, T, tile):
        q, g = query[:, i : i + tile], grad[:, i : i + tile]
        D = (g * context[:, i : i + tile]).sum(-1)
        dq = torch.zeros_like(q)
        for j in range(0, S, tile):
            k, v = key[:, j : j + tile], value[:, j : j + tile]
            P = torch.exp(scale * q @ k.mT - logsumexp[:, i : i + tile].unsqueeze(-1))
            dS = P * (g @ v.mT - D[..., None])
            dV[:, j : j + tile] = dV[:, j : j + tile] + P.mT @ g
            dK[:, j : j + tile] = dK[:, j : j + tile] + scale * dS.mT @ q
            dq = dq + scale * dS @ k
        dQ.append(dq)
    return torch.cat(dQ, dim=1), dK, dV


def backward_all_queries(query, key, value, context, logsumexp, grad, tile):
    """A strip of all queries and a tile of keys: ∂K and ∂V are then whole at once."""
    D, dK, dV, dQ = torch.einsum("btv,btv->bt", grad, context), [], [], 0
    for k, v in zip(key.split(tile, 1), value.split(tile, 1), strict=True):
        S = torch.einsum("btd,bsd->bts", query, k) / query.shape[-1] ** 0.5
        P = (S - logsumexp[:, :, None]).exp()
        dS = P * (torch.einsum("btv,bsv->bts", grad, v) - D[:, :, None]) / query.shape[-1] ** 0.5
        dV.append(torch.einsum("bts,btv->bsv", P, grad))
        dK.append(torch.einsum("bts,btd->bsd", dS, query))
        dQ = dQ + torch.einsum("bts,bsd->btd", dS, k)
    return dQ, torch.cat(dK, 1), torch.cat(dV, 1)


def backward_two_rounds(query, key, value, context, logsumexp, grad, tile):
    """D is the sum of P ∘ ∂P over all keys, in a round of its own."""
    q = query / query.shape[-1] ** 0.5
    starts = range(0, key.shape[1], tile)
    D = torch.zeros_like(logsumexp)
    for j in starts:
        P = (q @ key[:, j : j + tile].transpose(-1, -2) - logsumexp[..., None]).exp()
        D += (P * (grad @ value[:, j : j + tile].transpose(-1, -2))).sum(-1)
    dQ, dK, dV = torch.zeros_like(query), torch.empty_like(key), torch.empty_like(value)
    for j in starts:
        P = (q @ key[:, j : j + tile].transpose(-1, -2) - logsumexp[..., None]).exp()
        dP = grad @ value[:, j : j + tile].transpose(-1, -2)
        dS = P * dP - P * D[..., None]
        dQ += dS @ key[:, j : j + tile] / query.shape[-1] ** 0.5
        dK[:, j : j + tile] = dS.transpose(-1, -2) @ q
        dV[:, j : j + tile] = P.transpose(-1, -2) @ grad
    return [dQ, dK, dV]


RIGHT = {
    "long_context.merge_softmax": "merge_",
    "long_context.flash_forward": "forward_",
    "long_context.flash_backward": "backward_",
}
