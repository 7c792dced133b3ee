"""Right answers on windows, distances, states and caches, in the styles that a class hands in."""

import math

import torch
import torch.nn.functional as F


def alibi_loops(heads, length):
    def slopes(n):
        if n & (n - 1) == 0:
            return [2 ** (-8 * (i + 1) / n) for i in range(n)]
        smaller = 1 << (n.bit_length() - 1)
        return slopes(smaller) + slopes(2 * smaller)[0::2][: n - smaller]

    bias = torch.full((heads, length, length), -torch.inf)
    for h, slope in enumerate(slopes(heads)):
        for i in range(length):
            for j in range(i + 1):
                bias[h, i, j] = -slope * (i - j)
    return bias


def alibi_start_and_ratio(heads, length):
    def of(n):
        start = 2.0 ** (-(2.0 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    near = 2 ** math.floor(math.log2(heads))
    slopes = torch.tensor((of(near) + of(2 * near)[::2])[:heads])
    steps = torch.arange(length).view(1, -1) - torch.arange(length).view(-1, 1)
    hidden = torch.triu(torch.full((length, length), float("-inf")), diagonal=1)
    return slopes.view(-1, 1, 1) * steps + hidden


def window_loop(query, key, value, window, sinks=0):
    rows = []
    for t in range(query.shape[1]):
        start = max(0, t - window + 1)
        seen = [*range(min(sinks, start)), *range(start, t + 1)]
        scores = (key[:, seen] @ query[:, t, :, None])[..., 0] / math.sqrt(query.shape[-1])
        rows.append((scores.softmax(-1)[:, None] @ value[:, seen])[:, 0])
    return torch.stack(rows, dim=1)


def window_unfolded(query, key, value, window, sinks=0):
    length = query.shape[1]
    keys = F.pad(key, (0, 0, window - 1, 0)).unfold(1, window, 1)  # (B, L, d, w)
    values = F.pad(value, (0, 0, window - 1, 0)).unfold(1, window, 1)
    near = (query[:, :, None] @ keys)[:, :, 0]
    ages = torch.arange(length)[:, None] - torch.arange(window - 1, -1, -1)
    near = near.masked_fill(ages < 0, -1e9)
    few = min(sinks, length)
    far = (query @ key[:, :few].mT).masked_fill(torch.arange(few) > torch.arange(length)[:, None] - window, -1e9)
    weights = (torch.cat([far, near], -1) / query.shape[-1] ** 0.5).softmax(-1)
    return weights[..., :few] @ value[:, :few] + (values @ weights[..., few:, None])[..., 0]


def window_running(query, key, value, window, sinks=0):
    length, scale = query.shape[1], query.shape[-1] ** -0.5
    largest = torch.full(query.shape[:2], -torch.inf)
    offsets = [torch.arange(length) - back for back in range(window)]
    offsets += [torch.where(torch.arange(length) - window >= s, s, -1) for s in range(min(sinks, length))]
    scores = []
    for place in offsets:
        score = (query * key[:, place.clamp(min=0)]).sum(-1) * scale
        scores.append(score.masked_fill(place < 0, -torch.inf))
        largest = torch.maximum(largest, scores[-1])
    total, out = 0, 0
    for place, score in zip(offsets, scores, strict=True):
        weight = (score - largest.detach()).exp()
        total, out = total + weight, out + weight[..., None] * value[:, place.clamp(min=0)]
    return out / total[..., None]


def _phi(x):
    return torch.where(x > 0, x + 1, x.clamp(max=0).exp())


def linear_cumulative(query, key, value):
    q, k = _phi(query), _phi(key)
    states = torch.einsum("bsk,bsv->bskv", k, value).cumsum(1)
    return torch.einsum("btk,btkv->btv", q, states) / (q * k.cumsum(1)).sum(-1, keepdim=True)


def linear_loop(query, key, value):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state = torch.zeros(len(q), q.shape[-1], value.shape[-1])
    total, rows = torch.zeros_like(k[:, 0]), []
    for t in range(q.shape[1]):
        state = state + k[:, t].unsqueeze(-1) * value[:, t].unsqueeze(1)
        total = total + k[:, t]
        rows.append(torch.einsum("bk,bkv->bv", q[:, t], state) / torch.einsum("bk,bk->b", q[:, t], total)[:, None])
    return torch.stack(rows, 1)


def linear_normalised_weights(query, key, value):
    weights = F.elu(query).add(1) @ F.elu(key).add(1).mT
    weights = weights.where(torch.ones(weights.shape[-2:]).tril() > 0, torch.tensor(0.0))
    return F.normalize(weights, p=1, dim=-1) @ value


def step_einsum(state, total, query, key, value):
    q, k = _phi(query), _phi(key)
    state = state + torch.einsum("bk,bv->bkv", k, value)
    total = total + k
    return torch.einsum("bk,bkv->bv", q, state) / torch.einsum("bk,bk->b", q, total).unsqueeze(-1), state, total


def step_with_ones(state, total, query, key, value):
    both = torch.cat([state, total[..., None]], -1)
    both = both + (F.elu(key) + 1)[..., None] @ torch.cat([value, torch.ones(len(value), 1)], -1)[:, None]
    read = ((F.elu(query) + 1)[:, None] @ both)[:, 0]
    return read[:, :-1] / read[:, -1:], both[..., :-1], both[..., -1]


def step_by_texts(state, total, query, key, value):
    outputs, states, totals = [], [], []
    for s, z, q, k, v in zip(state, total, query, key, value, strict=True):
        q, k = F.elu(q) + 1, F.elu(k) + 1
        states.append(s + torch.outer(k, v))
        totals.append(z + k)
        outputs.append(states[-1].T @ q / (q @ totals[-1]))
    return torch.stack(outputs), torch.stack(states), torch.stack(totals)


def delta_einsum(state, key, value, beta, alpha=None):
    if alpha is not None:
        state = torch.einsum("b,bkv->bkv", alpha, state)
    old = torch.einsum("bkv,bk->bv", state, key)
    return state + torch.einsum("b,bk,bv->bkv", beta, key, value - old)


def delta_erase_and_write(state, key, value, beta, alpha=None):
    k = key[..., None]
    gate = torch.ones_like(beta) if alpha is None else alpha
    erase = gate[:, None, None] * (torch.eye(key.shape[-1]) - beta[:, None, None] * (k @ k.mT))
    return erase @ state + beta[:, None, None] * k @ value[:, None]


def delta_by_texts(state, key, value, beta, alpha=None):
    rows = []
    for i, (s, k, v, b) in enumerate(zip(state, key, value, beta, strict=True)):
        s = s if alpha is None else alpha[i] * s
        rows.append(s - b * torch.outer(k, s.T @ k) + b * torch.outer(k, v))
    return torch.stack(rows)


def bytes_by_layer(tokens, layers, kv_heads, head_dim, local_layers=0, window=0, bytes_a_number=2):
    total = 0
    for layer in range(layers):
        kept = tokens if layer >= local_layers or window > tokens else window
        total += 2 * kv_heads * head_dim * kept
    return total * bytes_a_number


def bytes_of_both(tokens, layers, kv_heads, head_dim, local_layers=0, window=0, bytes_a_number=2):
    a_token = (kv_heads * head_dim + kv_heads * head_dim) * bytes_a_number
    whole, local = a_token * tokens, a_token * sorted([window, tokens])[0]
    return whole * (layers - local_layers) + local * local_layers


def bytes_saved(tokens, layers, kv_heads, head_dim, local_layers=0, window=0, bytes_a_number=2):
    saved = max(tokens - window, 0) * local_layers
    return torch.tensor(2 * (tokens * layers - saved) * kv_heads * head_dim * bytes_a_number)


RIGHT = {
    "long_context.alibi_bias": "alibi_",
    "long_context.sliding_window": "window_",
    "long_context.linear_attention": "linear_",
    "long_context.linear_step": "step_",
    "long_context.delta_step": "delta_",
    "long_context.kv_bytes": "bytes_",
}
