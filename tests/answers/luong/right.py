"""Right answers of the Luong exercise, in the styles that a class hands in."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def dot_loops(h_t, h_s):
    B, T, S = len(h_t), h_t.shape[1], h_s.shape[1]
    rows = [[torch.stack([torch.dot(h_t[b, t], h_s[b, s]) for s in range(S)]) for t in range(T)] for b in range(B)]
    return torch.stack([torch.stack(row) for row in rows])


def dot_filled_in(h_t, h_s):
    scores = torch.zeros(h_t.shape[0], h_t.shape[1], h_s.shape[1])
    for t in range(h_t.shape[1]):
        scores[:, t] = (h_s @ h_t[:, t, :, None]).squeeze(-1)
    return scores


def general_einsum(h_t, h_s, W_a):
    return torch.einsum("bth,he,bse->bts", h_t, W_a, h_s)


def general_bilinear(h_t, h_s, W_a):
    B, T, S = len(h_t), h_t.shape[1], h_s.shape[1]
    first = h_t.unsqueeze(2).expand(B, T, S, -1).contiguous()
    second = h_s.unsqueeze(1).expand(B, T, S, -1).contiguous()
    return F.bilinear(first, second, W_a.unsqueeze(0)).squeeze(-1)


def general_loops(h_t, h_s, W_a):
    return torch.stack([torch.stack([W_a.T @ h @ keys.T for h in row]) for row, keys in zip(h_t, h_s, strict=True)])


def _pairs(h_t, h_s):
    T, S = h_t.shape[1], h_s.shape[1]
    return torch.cat([h_t[:, :, None].expand(-1, -1, S, -1), h_s[:, None].expand(-1, T, -1, -1)], dim=-1)


def concat_two_parts(h_t, h_s, W_a, v_a):
    W_t, W_s = W_a.split([h_t.shape[-1], h_s.shape[-1]], dim=1)
    return ((h_t @ W_t.T).unsqueeze(2) + (h_s @ W_s.T).unsqueeze(1)).tanh().matmul(v_a)


def concat_tanh_by_exp(h_t, h_s, W_a, v_a):
    x = (_pairs(h_t, h_s) @ W_a.T).clamp(-20, 20)
    return ((1 - 2 / ((2 * x).exp() + 1)) * v_a).sum(-1)


def concat_module(h_t, h_s, W_a, v_a):
    layers = nn.Sequential(nn.Linear(W_a.shape[1], W_a.shape[0], bias=False), nn.Tanh())
    return torch.func.functional_call(layers, {"0.weight": W_a}, (_pairs(h_t, h_s),)) @ v_a


def _soft(scores, mask):
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -1e9).softmax(-1)


def state_two_matrices(h_t, h_s, W_a, W_c, mask=None):
    weights = _soft(general_einsum(h_t[:, None], h_s, W_a).squeeze(1), mask)
    E = h_s.shape[-1]
    context = torch.bmm(weights.unsqueeze(1), h_s).squeeze(1)
    return [(context @ W_c[:, :E].T + h_t @ W_c[:, E:].T).tanh(), weights]


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
    scores = general_einsum(h_t[:, None], h_s, W_a)[:, 0]
    keep = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    top = scores.masked_fill(~keep, -1e30).amax(1, keepdim=True)
    grown = torch.where(keep, (scores - top).clamp(max=0).exp(), 0.0)
    weights = grown / grown.sum(1, keepdim=True)
    return torch.tanh(torch.cat([(weights[..., None] * h_s).sum(1), h_t], 1) @ W_c.T), weights


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


def local_gaussian_in_logarithms(h_t, h_s, W_a, W_p, v_p, lengths, D):
    p = lengths * torch.sigmoid(torch.tanh(h_t @ W_p.T) @ v_p)
    s = torch.arange(h_s.shape[1], dtype=h_t.dtype)[None]
    keep = s.lt(lengths[:, None]) & (s - p[:, None]).abs().le(D)
    log_align = general_einsum(h_t[:, None], h_s, W_a)[:, 0].masked_fill(~keep, -1e9).log_softmax(-1)
    return torch.exp(log_align - (s - p[:, None]) ** 2 / (2 * (D / 2) ** 2)), p


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


def feeding_recursive(emb, h0, enc, W_x, W_h, W_c, mask=None):
    def go(t, h, fed):
        if t == emb.shape[1]:
            return []
        h, fed, weights = _plain_step(emb[:, t], h, fed, enc, W_x, W_h, W_c, mask)
        return [(fed, weights), *go(t + 1, h, fed)]

    states, rows = zip(*go(0, h0, torch.zeros_like(h0)), strict=True)
    return torch.stack(states, 1), torch.stack(rows, 1)


RIGHT = {
    "luong.dot_score": "dot_",
    "luong.general_score": "general_",
    "luong.concat_score": "concat_",
    "luong.attentional_state": "state_",
    "luong.local_p_weights": "local_",
    "luong.input_feeding": "feeding_",
}
