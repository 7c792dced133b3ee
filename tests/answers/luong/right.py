"""Right answers of the Luong exercise, in the styles that a class hands in."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def dot_einsum(h_t, h_s):
    return torch.einsum("bth,bsh->bts", h_t, h_s)


def dot_bmm(h_t, h_s):
    return torch.bmm(h_t, h_s.permute(0, 2, 1))


def dot_matmul(h_t, h_s):
    return torch.matmul(h_t, h_s.mT)


def dot_broadcast(h_t, h_s):
    return (h_t.unsqueeze(2) * h_s.unsqueeze(1)).sum(dim=-1)


def dot_loops(h_t, h_s):
    B, T, S = len(h_t), h_t.shape[1], h_s.shape[1]
    rows = [[torch.stack([torch.dot(h_t[b, t], h_s[b, s]) for s in range(S)]) for t in range(T)] for b in range(B)]
    return torch.stack([torch.stack(row) for row in rows])


def dot_batch_loop(h_t, h_s):
    return torch.stack([queries @ keys.T for queries, keys in zip(h_t, h_s, strict=True)])


def dot_filled_in(h_t, h_s):
    scores = torch.zeros(h_t.shape[0], h_t.shape[1], h_s.shape[1])
    for t in range(h_t.shape[1]):
        scores[:, t] = (h_s @ h_t[:, t, :, None]).squeeze(-1)
    return scores


def dot_source_first(h_t, h_s):
    return (h_s @ h_t.transpose(1, 2)).transpose(-1, -2).contiguous()


def dot_time_major(h_t, h_s):
    h_t, h_s = h_t.transpose(0, 1), h_s.transpose(0, 1)
    return torch.stack([(state * h_s).sum(-1).T for state in h_t], dim=1)


def dot_in_double(h_t, h_s):
    return torch.einsum("bth,bsh->bts", h_t.double(), h_s.double())


def dot_list_of_rows(h_t, h_s):
    return [a @ b.T for a, b in zip(h_t, h_s, strict=True)]


def general_matmul(h_t, h_s, W_a):
    return h_t @ W_a @ h_s.transpose(-2, -1)


def general_einsum(h_t, h_s, W_a):
    return torch.einsum("bth,he,bse->bts", h_t, W_a, h_s)


def general_source_projected(h_t, h_s, W_a):
    return torch.bmm(h_t, (h_s @ W_a.T).transpose(1, 2))


def general_linear(h_t, h_s, W_a):
    return dot_einsum(h_t, F.linear(h_s, W_a))


def general_linear_target(h_t, h_s, W_a):
    return dot_bmm(F.linear(h_t, W_a.t()), h_s)


def general_bilinear(h_t, h_s, W_a):
    B, T, S = len(h_t), h_t.shape[1], h_s.shape[1]
    first = h_t.unsqueeze(2).expand(B, T, S, -1).contiguous()
    second = h_s.unsqueeze(1).expand(B, T, S, -1).contiguous()
    return F.bilinear(first, second, W_a.unsqueeze(0)).squeeze(-1)


def general_broadcast(h_t, h_s, W_a):
    return ((h_t @ W_a)[:, :, None] * h_s[:, None]).sum(-1)


def general_loops(h_t, h_s, W_a):
    return torch.stack([torch.stack([W_a.T @ h @ keys.T for h in row]) for row, keys in zip(h_t, h_s, strict=True)])


def general_flat(h_t, h_s, W_a):
    projected = (h_t.reshape(-1, h_t.shape[-1]) @ W_a).view(*h_t.shape[:2], -1)
    return projected.bmm(h_s.transpose(1, 2))


def general_module(h_t, h_s, W_a):
    class Score(nn.Module):
        def forward(self, target, source):
            return torch.matmul(torch.matmul(target, W_a), source.permute(0, 2, 1))

    return Score()(h_t, h_s)


def general_step_by_step(h_t, h_s, W_a):
    return torch.stack([torch.einsum("be,bse->bs", h_t[:, t] @ W_a, h_s) for t in range(h_t.size(1))], 1)


def _pairs(h_t, h_s):
    T, S = h_t.shape[1], h_s.shape[1]
    return torch.cat([h_t[:, :, None].expand(-1, -1, S, -1), h_s[:, None].expand(-1, T, -1, -1)], dim=-1)


def concat_literally(h_t, h_s, W_a, v_a):
    return torch.tanh(_pairs(h_t, h_s) @ W_a.T) @ v_a


def concat_linear(h_t, h_s, W_a, v_a):
    return F.linear(torch.tanh(F.linear(_pairs(h_t, h_s), W_a)), v_a.unsqueeze(0)).squeeze(-1)


def concat_einsum(h_t, h_s, W_a, v_a):
    return torch.einsum("btsp,p->bts", torch.einsum("btsi,pi->btsp", _pairs(h_t, h_s), W_a).tanh(), v_a)


def concat_two_parts(h_t, h_s, W_a, v_a):
    W_t, W_s = W_a.split([h_t.shape[-1], h_s.shape[-1]], dim=1)
    return ((h_t @ W_t.T).unsqueeze(2) + (h_s @ W_s.T).unsqueeze(1)).tanh().matmul(v_a)


def concat_weighted_sum(h_t, h_s, W_a, v_a):
    n = h_t.size(2)
    return (v_a * torch.tanh((h_t @ W_a.T[:n])[:, :, None, :] + (h_s @ W_a.T[n:])[:, None])).sum(-1)


def concat_repeated(h_t, h_s, W_a, v_a):
    B, T, S = len(h_t), h_t.shape[1], h_s.shape[1]
    first = h_t.repeat_interleave(S, dim=1).view(B, T, S, -1)
    second = h_s.repeat(1, T, 1).view(B, T, S, -1)
    return torch.tanh(torch.cat((first, second), 3) @ W_a.t()) @ v_a


def concat_over_targets(h_t, h_s, W_a, v_a):
    S = h_s.shape[1]
    rows = []
    for t in range(h_t.shape[1]):
        both = torch.cat([h_t[:, t : t + 1].expand(-1, S, -1), h_s], -1)
        rows.append(torch.tanh(both @ W_a.T) @ v_a)
    return torch.stack(rows, dim=1)


def concat_over_sources(h_t, h_s, W_a, v_a):
    T = h_t.shape[1]
    columns = [torch.tanh(torch.cat([h_t, key[:, None].expand(-1, T, -1)], -1) @ W_a.T) @ v_a for key in h_s.unbind(1)]
    return torch.stack(columns, dim=-1)


def concat_loops(h_t, h_s, W_a, v_a):
    return torch.stack(
        [
            torch.stack([torch.stack([v_a.dot(torch.tanh(W_a @ torch.cat([q, k]))) for k in keys]) for q in queries])
            for queries, keys in zip(h_t, h_s, strict=True)
        ]
    )


def concat_tanh_by_exp(h_t, h_s, W_a, v_a):
    x = (_pairs(h_t, h_s) @ W_a.T).clamp(-20, 20)
    return ((1 - 2 / ((2 * x).exp() + 1)) * v_a).sum(-1)


def concat_module(h_t, h_s, W_a, v_a):
    layers = nn.Sequential(nn.Linear(W_a.shape[1], W_a.shape[0], bias=False), nn.Tanh())
    return torch.func.functional_call(layers, {"0.weight": W_a}, (_pairs(h_t, h_s),)) @ v_a


def _soft(scores, mask):
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -1e9).softmax(-1)


def state_matmul(h_t, h_s, W_a, W_c, mask=None):
    scores = (h_s @ (h_t @ W_a).unsqueeze(-1)).squeeze(-1)
    weights = _soft(scores, mask)
    context = (weights.unsqueeze(-1) * h_s).sum(dim=1)
    return torch.tanh(torch.cat((context, h_t), dim=1) @ W_c.T), weights


def state_einsum(h_t, h_s, W_a, W_c, mask=None):
    weights = _soft(torch.einsum("bh,he,bse->bs", h_t, W_a, h_s), mask)
    context = torch.einsum("bs,bse->be", weights, h_s)
    return torch.tanh(torch.einsum("bi,hi->bh", torch.cat([context, h_t], -1), W_c)), weights


def state_two_matrices(h_t, h_s, W_a, W_c, mask=None):
    weights = _soft(general_matmul(h_t[:, None], h_s, W_a).squeeze(1), mask)
    E = h_s.shape[-1]
    context = torch.bmm(weights.unsqueeze(1), h_s).squeeze(1)
    return (context @ W_c[:, :E].T + h_t @ W_c[:, E:].T).tanh(), weights


def state_linear(h_t, h_s, W_a, W_c, mask=None):
    scores = (F.linear(h_s, W_a) * h_t[:, None]).sum(-1)
    if mask is not None:
        scores = torch.where(mask, scores, torch.tensor(-torch.inf))
    weights = F.softmax(scores, dim=1)
    return torch.tanh(F.linear(torch.cat([(weights[:, None] @ h_s)[:, 0], h_t], 1), W_c)), weights


def state_additive_mask(h_t, h_s, W_a, W_c, mask=None):
    bias = 0 if mask is None else (1.0 - mask.float()) * -1e9
    weights = torch.softmax(general_einsum(h_t.unsqueeze(1), h_s, W_a).squeeze(1) + bias, -1)
    return torch.tanh(torch.cat([torch.einsum("bs,bse->be", weights, h_s), h_t], -1) @ W_c.t()), weights


def state_loops(h_t, h_s, W_a, W_c, mask=None):
    states, rows = [], []
    for b in range(len(h_t)):
        scores = torch.stack([h_t[b] @ W_a @ key for key in h_s[b]])
        if mask is not None:
            scores = scores.masked_fill(~mask[b], -math.inf)
        weights = scores.softmax(0)
        context = sum(weights[s] * h_s[b, s] for s in range(h_s.shape[1]))
        states.append(torch.tanh(W_c @ torch.cat([context, h_t[b]])))
        rows.append(weights)
    return torch.stack(states), torch.stack(rows)


def state_exp_and_divide(h_t, h_s, W_a, W_c, mask=None):
    scores = general_matmul(h_t[:, None], h_s, W_a)[:, 0]
    keep = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    top = scores.masked_fill(~keep, -1e30).amax(1, keepdim=True)
    grown = torch.where(keep, (scores - top).clamp(max=0).exp(), 0.0)
    weights = grown / grown.sum(1, keepdim=True)
    return torch.tanh(torch.cat([(weights[..., None] * h_s).sum(1), h_t], 1) @ W_c.T), weights


def state_bias_that_cancels(h_t, h_s, W_a, W_c, mask=None):
    weights = _soft(general_linear(h_t[:, None], h_s, W_a)[:, 0] + 0.3, mask)
    return torch.tanh(torch.cat([torch.einsum("bs,bse->be", weights, h_s), h_t], 1) @ W_c.T), weights


def state_padded_keys_zeroed(h_t, h_s, W_a, W_c, mask=None):
    weights = _soft(general_matmul(h_t[:, None], h_s, W_a)[:, 0], mask)
    values = h_s if mask is None else h_s * mask.unsqueeze(-1)
    return torch.tanh(torch.cat([(weights.unsqueeze(1) @ values)[:, 0], h_t], 1) @ W_c.T), weights


def state_in_double(h_t, h_s, W_a, W_c, mask=None):
    h_t, h_s, W_a, W_c = (x.double() for x in (h_t, h_s, W_a, W_c))
    return state_matmul(h_t, h_s, W_a, W_c, mask)


def state_named_tuple(h_t, h_s, W_a, W_c, mask=None):
    return list(state_two_matrices(h_t, h_s, W_a, W_c, mask))


def state_log_softmax(h_t, h_s, W_a, W_c, mask=None):
    scores = general_matmul(h_t[:, None], h_s, W_a)[:, 0]
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
    weights = F.log_softmax(scores, -1).exp()
    return torch.tanh(torch.hstack([torch.einsum("bs,bse->be", weights, h_s), h_t]) @ W_c.T), weights


def local_matmul(h_t, h_s, W_a, W_p, v_p, lengths, D):
    p = lengths * torch.sigmoid(torch.tanh(h_t @ W_p.T) @ v_p)
    s = torch.arange(h_s.shape[1])
    distance = s[None] - p[:, None]
    keep = (s[None] < lengths[:, None]) & (distance.abs() <= D)
    scores = (h_s @ (h_t @ W_a)[..., None])[..., 0].masked_fill(~keep, -1e9)
    return scores.softmax(-1) * torch.exp(-(distance**2) / (2 * (D / 2) ** 2)) * keep, p


def local_einsum(h_t, h_s, W_a, W_p, v_p, lengths, D):
    p = torch.sigmoid(torch.einsum("p,bp->b", v_p, torch.einsum("ph,bh->bp", W_p, h_t).tanh())) * lengths.float()
    s = torch.arange(h_s.size(1), dtype=torch.float32).expand(len(h_t), -1)
    inside = (s >= p[:, None] - D) & (s <= p[:, None] + D) & (s < lengths[:, None])
    scores = torch.einsum("bh,he,bse->bs", h_t, W_a, h_s).masked_fill(~inside, -torch.inf)
    return F.softmax(scores, 1) * torch.exp(-2 * ((s - p[:, None]) / D) ** 2), p


def local_with_sigma(h_t, h_s, W_a, W_p, v_p, lengths, D):
    sigma = D / 2
    p = lengths / (1 + torch.exp(-(torch.tanh(F.linear(h_t, W_p)) @ v_p)))
    s = torch.arange(h_s.shape[1]).unsqueeze(0)
    far = (s - p.unsqueeze(1)).abs().gt(D) | s.ge(lengths.unsqueeze(1))
    align = torch.where(far, torch.tensor(-1e30), general_matmul(h_t[:, None], h_s, W_a)[:, 0]).softmax(-1)
    return align * torch.exp(-0.5 * ((s - p.unsqueeze(1)) / sigma).square()), p


def local_loops(h_t, h_s, W_a, W_p, v_p, lengths, D):
    rows, positions = [], []
    for b in range(len(h_t)):
        p = lengths[b] * torch.sigmoid(v_p @ torch.tanh(W_p @ h_t[b]))
        inside = [s for s in range(int(lengths[b])) if abs(s - p.item()) <= D]
        align = torch.softmax(torch.stack([h_t[b] @ W_a @ h_s[b, s] for s in inside]), dim=0)
        row = [torch.tensor(0.0)] * h_s.shape[1]
        for weight, s in zip(align, inside, strict=True):
            row[s] = weight * torch.exp(-((s - p) ** 2) / (2 * (D / 2) ** 2))
        rows.append(torch.stack(row))
        positions.append(p)
    return torch.stack(rows), torch.stack(positions)


def local_integer_edges(h_t, h_s, W_a, W_p, v_p, lengths, D):
    p = lengths * (torch.tanh(h_t @ W_p.T) @ v_p).sigmoid()
    first = torch.ceil(p - D).clamp(min=0).long()
    last = torch.minimum(torch.floor(p + D).long(), lengths - 1)
    s = torch.arange(h_s.shape[1])[None]
    keep = (s >= first[:, None]) & (s <= last[:, None])
    scores = general_einsum(h_t[:, None], h_s, W_a)[:, 0] + torch.zeros(keep.shape).masked_fill(~keep, -1e9)
    return scores.softmax(1) * torch.exp(-((s - p[:, None]) ** 2) * 2 / D**2), p


def local_exp_and_divide(h_t, h_s, W_a, W_p, v_p, lengths, D):
    p = lengths * torch.sigmoid(torch.tanh(h_t @ W_p.T).matmul(v_p))
    s = torch.arange(h_s.shape[1])
    keep = (s < lengths[:, None]) & ((s - p[:, None]).abs() <= D)
    scores = general_linear(h_t[:, None], h_s, W_a).squeeze(1)
    grown = torch.exp(scores - scores.masked_fill(~keep, -1e30).amax(1, True)).masked_fill(~keep, 0.0)
    return grown / grown.sum(1, True) * torch.exp(-((s - p[:, None]) ** 2) / (D * D / 2)), p


def local_gaussian_in_logarithms(h_t, h_s, W_a, W_p, v_p, lengths, D):
    p = lengths * torch.sigmoid(torch.tanh(h_t @ W_p.T) @ v_p)
    s = torch.arange(h_s.shape[1], dtype=h_t.dtype)[None]
    keep = s.lt(lengths[:, None]) & (s - p[:, None]).abs().le(D)
    log_align = general_matmul(h_t[:, None], h_s, W_a)[:, 0].masked_fill(~keep, -1e9).log_softmax(-1)
    return torch.exp(log_align - (s - p[:, None]) ** 2 / (2 * (D / 2) ** 2)), p


def local_normal_distribution(h_t, h_s, W_a, W_p, v_p, lengths, D):
    p = lengths * torch.sigmoid(torch.tanh(h_t @ W_p.T) @ v_p)
    s = torch.arange(h_s.shape[1]).expand(len(h_t), -1).float()
    normal = torch.distributions.Normal(p[:, None], D / 2)
    bell = torch.exp(normal.log_prob(s) - normal.log_prob(p[:, None]))
    keep = (s < lengths[:, None]) & ((s - p[:, None]).abs() <= D)
    return _soft(general_matmul(h_t[:, None], h_s, W_a)[:, 0], keep) * bell, p


def local_squared_window(h_t, h_s, W_a, W_p, v_p, lengths, D):
    p = lengths.to(h_t.dtype) * torch.sigmoid(torch.tanh(h_t @ W_p.t()).mv(v_p))
    square = (torch.arange(h_s.shape[1])[None] - p[:, None]).pow(2)
    keep = torch.logical_and(square <= D**2, torch.arange(h_s.shape[1])[None] < lengths[:, None])
    return _soft(torch.einsum("be,bse->bs", h_t @ W_a, h_s), keep) * torch.exp(-square / (2 * (D / 2) ** 2)), p


def local_in_double(h_t, h_s, W_a, W_p, v_p, lengths, D):
    return local_matmul(*(x.double() for x in (h_t, h_s, W_a, W_p, v_p)), lengths, D)


def local_masked_twice(h_t, h_s, W_a, W_p, v_p, lengths, D):
    weights, p = local_with_sigma(h_t, h_s, W_a, W_p, v_p, lengths, D)
    return weights * (torch.arange(h_s.shape[1]) < lengths[:, None]).float(), p


def local_column_of_positions(h_t, h_s, W_a, W_p, v_p, lengths, D):
    p = lengths.unsqueeze(1) * torch.sigmoid(torch.tanh(h_t @ W_p.T) @ v_p.unsqueeze(1))
    s = torch.arange(h_s.shape[1])
    keep = (s < lengths.unsqueeze(1)) * ((s - p).abs() <= D)
    weights = torch.exp(-((s - p) ** 2) / (2 * (D / 2) ** 2)) * _soft((h_t @ W_a).unsqueeze(1).bmm(h_s.mT)[:, 0], keep)
    return weights, p.squeeze(1)


def _feed(emb, h0, enc, W_x, W_h, W_c, mask, step):
    h, fed, states, rows = h0, torch.zeros_like(h0), [], []
    for t in range(emb.shape[1]):
        h, fed, weights = step(emb[:, t], h, fed, enc, W_x, W_h, W_c, mask)
        states.append(fed)
        rows.append(weights)
    return torch.stack(states, dim=1), torch.stack(rows, dim=1)


def _plain_step(word, h, fed, enc, W_x, W_h, W_c, mask):
    h = torch.tanh(torch.cat([word, fed], 1) @ W_x.T + h @ W_h.T)
    weights = _soft((enc * h[:, None]).sum(-1), mask)
    return h, torch.tanh(torch.cat([(weights[..., None] * enc).sum(1), h], 1) @ W_c.T), weights


def feeding_loop(emb, h0, enc, W_x, W_h, W_c, mask=None):
    return _feed(emb, h0, enc, W_x, W_h, W_c, mask, _plain_step)


def feeding_words_first(emb, h0, enc, W_x, W_h, W_c, mask=None):
    E = emb.shape[-1]
    words, V = emb @ W_x[:, :E].T, W_x[:, E:]
    h, fed, out, looked = h0, h0.new_zeros(h0.shape), [], []
    for t in range(words.shape[1]):
        h = torch.tanh(words[:, t] + fed @ V.T + h @ W_h.T)
        weights = _soft(torch.einsum("bh,bsh->bs", h, enc), mask)
        fed = torch.tanh(torch.cat([torch.einsum("bs,bsh->bh", weights, enc), h], -1) @ W_c.T)
        out.append(fed)
        looked.append(weights)
    return torch.stack(out, 1), torch.stack(looked, 1)


def feeding_one_matrix(emb, h0, enc, W_x, W_h, W_c, mask=None):
    W = torch.cat([W_x, W_h], dim=1)

    def step(word, h, fed, enc, W_x, W_h, W_c, mask):
        h = torch.tanh(F.linear(torch.cat([word, fed, h], 1), W))
        weights = _soft(torch.bmm(enc, h.unsqueeze(2)).squeeze(2), mask)
        return h, F.linear(torch.cat([(weights[:, None] @ enc)[:, 0], h], 1), W_c).tanh(), weights

    return _feed(emb, h0, enc, W_x, W_h, W_c, mask, step)


def feeding_rnn_cell(emb, h0, enc, W_x, W_h, W_c, mask=None):
    def step(word, h, fed, enc, W_x, W_h, W_c, mask):
        h = torch.rnn_tanh_cell(torch.cat([word, fed], 1), h, W_x, W_h)
        weights = _soft(torch.einsum("bh,bsh->bs", h, enc), mask)
        return h, torch.tanh(torch.cat([torch.einsum("bs,bsh->bh", weights, enc), h], 1) @ W_c.T), weights

    return _feed(emb, h0, enc, W_x, W_h, W_c, mask, step)


def feeding_time_major(emb, h0, enc, W_x, W_h, W_c, mask=None):
    states, rows = [], []
    h, fed, keys = h0, torch.zeros_like(h0), enc.transpose(0, 1)
    for word in emb.transpose(0, 1):
        h = torch.tanh(torch.cat([word, fed], -1) @ W_x.T + h @ W_h.T)
        scores = (keys * h).sum(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask.T, -torch.inf)
        weights = scores.softmax(0)
        fed = torch.tanh(torch.cat([(weights[..., None] * keys).sum(0), h], -1) @ W_c.T)
        states.append(fed)
        rows.append(weights.T)
    return torch.stack(states).transpose(0, 1), torch.stack(rows).transpose(0, 1)


def feeding_sentence_by_sentence(emb, h0, enc, W_x, W_h, W_c, mask=None):
    results = []
    for b in range(len(emb)):
        own = None if mask is None else mask[b : b + 1]
        results.append(feeding_loop(emb[b : b + 1], h0[b : b + 1], enc[b : b + 1], W_x, W_h, W_c, own))
    return torch.cat([r[0] for r in results]), torch.cat([r[1] for r in results])


def feeding_recursive(emb, h0, enc, W_x, W_h, W_c, mask=None):
    def go(t, h, fed):
        if t == emb.shape[1]:
            return []
        h, fed, weights = _plain_step(emb[:, t], h, fed, enc, W_x, W_h, W_c, mask)
        return [(fed, weights), *go(t + 1, h, fed)]

    states, rows = zip(*go(0, h0, torch.zeros_like(h0)), strict=True)
    return torch.stack(states, 1), torch.stack(rows, 1)


def feeding_class(emb, h0, enc, W_x, W_h, W_c, mask=None):
    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.fed = torch.zeros(h0.shape)
            self.h = h0

        def forward(self, word):
            self.h, self.fed, weights = _plain_step(word, self.h, self.fed, enc, W_x, W_h, W_c, mask)
            return self.fed, weights

    decoder = Decoder()
    both = [decoder(word) for word in emb.unbind(1)]
    return torch.stack([a for a, _ in both], 1), torch.stack([b for _, b in both], 1)


def feeding_concatenated_rows(emb, h0, enc, W_x, W_h, W_c, mask=None):
    h, fed = h0, torch.zeros_like(h0)
    states, rows = h0.new_zeros(len(h0), 0, h0.shape[1]), h0.new_zeros(len(h0), 0, enc.shape[1])
    for t in range(emb.size(1)):
        h, fed, weights = _plain_step(emb[:, t], h, fed, enc, W_x, W_h, W_c, mask)
        states, rows = torch.cat([states, fed[:, None]], 1), torch.cat([rows, weights[:, None]], 1)
    return states, rows


def feeding_in_double(emb, h0, enc, W_x, W_h, W_c, mask=None):
    return feeding_loop(*(x.double() for x in (emb, h0, enc, W_x, W_h, W_c)), mask)


def feeding_two_parts(emb, h0, enc, W_x, W_h, W_c, mask=None):
    H = h0.shape[1]

    def step(word, h, fed, enc, W_x, W_h, W_c, mask):
        h = torch.tanh(torch.hstack([word, fed]) @ W_x.T + h @ W_h.T)
        scores = (enc @ h[..., None])[..., 0]
        weights = torch.softmax(scores if mask is None else torch.where(mask, scores, -1e9), -1)
        context = torch.einsum("bs,bsh->bh", weights, enc)
        return h, (context @ W_c[:, :H].T + h @ W_c[:, H:].T).tanh(), weights

    return _feed(emb, h0, enc, W_x, W_h, W_c, mask, step)


def _styles(prefix: str) -> list:
    return [value for name, value in globals().items() if name.startswith(f"{prefix}_")]


RIGHT = {
    "luong.dot_score": _styles("dot"),
    "luong.general_score": _styles("general"),
    "luong.concat_score": _styles("concat"),
    "luong.attentional_state": _styles("state"),
    "luong.local_p_weights": _styles("local"),
    "luong.input_feeding": _styles("feeding"),
    "luong.repaired_weights": _styles("local"),
}
