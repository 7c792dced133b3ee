"""Right answers of the Transformer exercise, in the styles that a class hands in."""

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def _linear(x, W, name):
    return F.linear(x, W[f"W_{name}"], W[f"b_{name}"])


def heads_permute(query, key, value, params, heads, mask=None):
    B, d = len(query), query.shape[-1]
    q, k, v = (
        _linear(x, params, n).view(B, -1, heads, d // heads).permute(0, 2, 1, 3)
        for x, n in ((query, "q"), (key, "k"), (value, "v"))
    )
    scores = torch.matmul(q, k.permute(0, 1, 3, 2)) / math.sqrt(d // heads)
    if mask is not None:
        scores = scores.masked_fill(~mask.unsqueeze(-3), -1e9)
    attended = scores.softmax(-1)
    out = torch.matmul(attended, v).permute(0, 2, 1, 3).contiguous().view(B, -1, d)
    return _linear(out, params, "o"), attended


def heads_einsum(query, key, value, params, heads, mask=None):
    def project(x, n):
        W = params[f"W_{n}"].view(heads, -1, x.shape[-1])
        return torch.einsum("bld,hkd->bhlk", x, W) + params[f"b_{n}"].view(heads, 1, -1)

    q, k, v = project(query, "q"), project(key, "k"), project(value, "v")
    scores = torch.einsum("bhtk,bhsk->bhts", q, k) * q.shape[-1] ** -0.5
    if mask is not None:
        mask = mask if mask.ndim == 3 else mask[None]
        scores = torch.where(mask[:, None], scores, torch.tensor(-torch.inf))
    attended = F.softmax(scores, dim=-1)
    W_o = params["W_o"].view(query.shape[-1], heads, -1)
    return torch.einsum("bhts,bhsk,dhk->btd", attended, v, W_o) + params["b_o"], attended


def heads_loop(query, key, value, params, heads, mask=None):
    size = query.shape[-1] // heads
    contexts, rows = [], []
    for i in range(heads):
        block = slice(i * size, (i + 1) * size)
        q = query @ params["W_q"][block].T + params["b_q"][block]
        k = key @ params["W_k"][block].T + params["b_k"][block]
        v = value @ params["W_v"][block].T + params["b_v"][block]
        scores = q @ k.transpose(1, 2) / size**0.5
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
        rows.append(scores.softmax(-1))
        contexts.append(rows[-1] @ v)
    return torch.cat(contexts, -1) @ params["W_o"].T + params["b_o"], torch.stack(rows, 1)


def heads_chunked(query, key, value, params, heads, mask=None):
    q, k, v = (_linear(x, params, n).chunk(heads, -1) for x, n in ((query, "q"), (key, "k"), (value, "v")))
    attended = []
    for one, other in zip(q, k, strict=True):
        scores = torch.bmm(one / one.shape[-1] ** 0.5, other.mT)
        bias = 0 if mask is None else torch.zeros(mask.shape).masked_fill(~mask, -1e9)
        attended.append(torch.softmax(scores + bias, dim=2))
    out = torch.cat([a @ x for a, x in zip(attended, v, strict=True)], 2)
    return F.linear(out, params["W_o"], params["b_o"]), torch.stack(attended, dim=1)


def heads_folded(query, key, value, params, heads, mask=None):
    B, T, d = query.shape

    def fold(x):
        return x.reshape(B, -1, heads, d // heads).transpose(1, 2).reshape(B * heads, -1, d // heads)

    q, k, v = (fold(_linear(x, params, n)) for x, n in ((query, "q"), (key, "k"), (value, "v")))
    scores = torch.bmm(q, k.transpose(1, 2)) / np.sqrt(d // heads)
    if mask is not None:
        every = mask.expand(B, T, key.shape[1]).repeat_interleave(heads, dim=0)
        scores = scores.masked_fill(every == 0, float("-inf"))
    attended = scores.softmax(dim=-1)
    out = torch.bmm(attended, v).view(B, heads, T, -1).transpose(1, 2).reshape(B, T, d)
    return _linear(out, params, "o"), attended.view(B, heads, T, -1)


def heads_batch_loop(query, key, value, params, heads, mask=None):
    outs, rows = [], []
    for b in range(len(query)):
        own = None if mask is None else (mask[b : b + 1] if mask.ndim == 3 else mask[None])
        out, attended = heads_permute(query[b : b + 1], key[b : b + 1], value[b : b + 1], params, heads, own)
        outs.append(out)
        rows.append(attended)
    return torch.cat(outs), torch.cat(rows)


def heads_sum_of_projections(query, key, value, params, heads, mask=None):
    _, attended = heads_einsum(query, key, value, params, heads, mask)
    v = _linear(value, params, "v").unflatten(-1, (heads, -1))
    size = query.shape[-1] // heads
    pieces = [attended[:, i] @ v[:, :, i] @ params["W_o"][:, i * size : (i + 1) * size].T for i in range(heads)]
    return sum(pieces) + params["b_o"], attended


def heads_renormalised(query, key, value, params, heads, mask=None):
    q, k, v = (
        _linear(x, params, n).unflatten(-1, (heads, -1)).transpose(1, 2)
        for x, n in ((query, "q"), (key, "k"), (value, "v"))
    )
    scores = (q @ k.mT) / q.shape[-1] ** 0.5
    keep = torch.ones_like(scores) if mask is None else mask.unsqueeze(-3).expand_as(scores).float()
    top = scores.masked_fill(keep == 0, -torch.inf).amax(-1, keepdim=True)
    grown = (scores - top).clamp(max=0).exp() * keep
    attended = grown / grown.sum(-1, keepdim=True)
    return _linear((attended @ v).transpose(1, 2).flatten(2), params, "o"), attended


def heads_without_key_bias(query, key, value, params, heads, mask=None):
    return heads_permute(query, key, value, params | {"b_k": torch.zeros_like(params["b_k"])}, heads, mask)


def heads_time_major(query, key, value, params, heads, mask=None):
    q, k, v = (_linear(x.transpose(0, 1), params, n) for x, n in ((query, "q"), (key, "k"), (value, "v")))
    q, k, v = (x.view(len(x), -1, heads, q.shape[-1] // heads) for x in (q, k, v))
    scores = torch.einsum("tbhk,sbhk->bhts", q, k) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask[..., None, :, :], -1e30)
    attended = scores.log_softmax(-1).exp()
    return _linear(torch.einsum("bhts,sbhk->tbhk", attended, v).flatten(2).transpose(0, 1), params, "o"), attended


def heads_in_double(query, key, value, params, heads, mask=None):
    double = {name: weight.double() for name, weight in params.items()}
    return heads_permute(query.double(), key.double(), value.double(), double, heads, mask)


def heads_module(query, key, value, params, heads, mask=None):
    class Attention(nn.Module):
        def forward(self, query, key, value):
            return heads_einsum(query, key, value, params, heads, mask)

    return Attention()(query, key, value)


def positions_exp_log(x):
    S, d = x.shape[1:]
    pe = torch.zeros(S, d)
    position = torch.arange(S).unsqueeze(1)
    divide = torch.exp(torch.arange(0, d, 2) * -(math.log(10000.0) / d))
    pe[:, 0::2] = torch.sin(position * divide)
    pe[:, 1::2] = torch.cos(position * divide)[:, : d // 2]
    return x + pe.unsqueeze(0)


def positions_pow(x):
    S, d = x.shape[1:]
    angle = torch.arange(S)[:, None] / torch.pow(10000, 2 * (torch.arange(d) // 2) / d)
    return x + torch.where(torch.arange(d) % 2 == 0, torch.sin(angle), torch.cos(angle))


def positions_loops(x):
    S, d = x.shape[1:]
    rows = []
    for pos in range(S):
        row = []
        for j in range(d):
            angle = pos / 10000 ** ((j - j % 2) / d)
            row.append(math.cos(angle) if j % 2 else math.sin(angle))
        rows.append(row)
    return x + torch.tensor(rows)


def positions_numpy(x):
    S, d = x.shape[1:]
    angle = np.arange(S)[:, None] / np.power(10000.0, (np.arange(d) // 2 * 2)[None] / d)
    angle[:, 0::2], angle[:, 1::2] = np.sin(angle[:, 0::2]), np.cos(angle[:, 1::2])
    return x + torch.from_numpy(angle).float()


def positions_shifted_sine(x):
    d = x.shape[-1]
    j = torch.arange(d)
    angle = torch.arange(x.shape[1]).float()[:, None] * 10000.0 ** (-(j - j % 2) / d)
    return torch.sin(angle + (j % 2) * math.pi / 2) + x


def positions_stacked(x):
    d = x.shape[-1]
    angle = torch.outer(torch.arange(x.shape[1]).float(), 10000 ** (-torch.arange(0, d, 2) / d))
    return x + torch.stack((angle.sin(), angle.cos()), 2).flatten(1)[:, :d]


def positions_complex(x):
    d = x.shape[-1]
    turned = torch.polar(
        torch.ones(x.shape[1], (d + 1) // 2),
        torch.outer(torch.arange(x.shape[1]), 10000 ** -(torch.arange(0, d, 2) / d)),
    )
    pairs = torch.view_as_real(turned).flip(-1)
    return x + pairs.reshape(x.shape[1], -1)[:, :d]


def positions_long_table(x):
    longest, d = 500, x.shape[-1]
    pe = torch.zeros(longest, d)
    for i in range(0, d, 2):
        angle = torch.arange(longest) / 10000 ** (i / d)
        pe[:, i] = angle.sin()
        if i + 1 < d:
            pe[:, i + 1] = angle.cos()
    return x + pe[: x.size(1)]


def positions_in_double(x):
    S, d = x.shape[1:]
    angle = torch.arange(S, dtype=torch.float64)[:, None] / 10000 ** (torch.arange(0, d, 2).double() / d)
    pe = torch.empty(S, d, dtype=torch.float64)
    pe[:, ::2], pe[:, 1::2] = angle.sin(), angle.cos()[:, : d // 2]
    return x.double() + pe


def positions_per_sentence(x):
    return torch.stack([positions_exp_log(sentence[None])[0] for sentence in x])


def masks_plain(source, target, pad):
    T = target.shape[1]
    causal = torch.tril(torch.ones(T, T)).bool()
    return (source != pad).unsqueeze(1), causal, causal.unsqueeze(0) & (target != pad).unsqueeze(1)


def masks_triu(source, target, pad):
    T = target.size(1)
    causal = torch.triu(torch.ones(T, T), diagonal=1) == 0
    return source.ne(pad)[:, None, :], causal, causal & target.ne(pad)[:, None, :]


def masks_compared(source, target, pad):
    t = torch.arange(target.shape[1])
    causal = t[:, None] >= t
    return ~(source == pad).view(len(source), 1, -1), causal, torch.logical_and(causal, (target != pad)[:, None])


def masks_loops(source, target, pad):
    B, S, T = len(source), source.shape[1], target.shape[1]
    of_source = torch.zeros(B, 1, S, dtype=torch.bool)
    causal, of_target = torch.zeros(T, T, dtype=torch.bool), torch.zeros(B, T, T, dtype=torch.bool)
    for b in range(B):
        for s in range(S):
            of_source[b, 0, s] = source[b, s].item() != pad
        for t in range(T):
            for s in range(t + 1):
                causal[t, s] = True
                of_target[b, t, s] = target[b, s].item() != pad
    return of_source, causal, of_target


def masks_list(source, target, pad):
    T = target.shape[1]
    causal = ~torch.ones(T, T, dtype=torch.bool).triu(1)
    return [(source != pad)[:, None], causal, torch.stack([causal & (row != pad) for row in target])]


def masks_numpy(source, target, pad):
    causal = np.tril(np.ones((target.shape[1],) * 2, dtype=bool))
    return (source.numpy() != pad)[:, None], causal, causal & (target.numpy() != pad)[:, None]


def masks_minimum(source, target, pad):
    causal = torch.ones(target.shape[1], target.shape[1]).cumsum(0) >= torch.ones(target.shape[1]).cumsum(0)
    of_target = torch.minimum(causal.int(), (target != pad).int().unsqueeze(1)).bool()
    return source.not_equal(pad).unsqueeze(-2), causal, of_target


def _norm(x, params, i, eps):
    return F.layer_norm(x, x.shape[-1:], params[f"gamma_{i}"], params[f"beta_{i}"], eps)


def _own_norm(x, params, i, eps):
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    return (x - mean) * torch.rsqrt(variance + eps) * params[f"gamma_{i}"] + params[f"beta_{i}"]


def _feed(x, params):
    return _linear(F.relu(_linear(x, params, 1)), params, 2)


def encoder_plain(x, params, heads, mask=None, eps=1e-5):
    mask = None if mask is None else mask.unsqueeze(1)
    x = _norm(x + heads_permute(x, x, x, params, heads, mask)[0], params, 1, eps)
    return _norm(x + _feed(x, params), params, 2, eps)


def encoder_own_norm(x, params, heads, mask=None, eps=1e-5):
    mask = None if mask is None else mask[:, None].expand(-1, x.shape[1], -1)
    y = _own_norm(heads_einsum(x, x, x, params, heads, mask)[0] + x, params, 1, eps)
    inner = (y @ params["W_1"].T + params["b_1"]).clamp(min=0)
    return _own_norm(inner @ params["W_2"].T + params["b_2"] + y, params, 2, eps)


def encoder_loop(x, params, heads, mask=None, eps=1e-5):
    sentences = []
    for b in range(len(x)):
        own = None if mask is None else mask[b : b + 1, None]
        sentences.append(heads_loop(x[b : b + 1], x[b : b + 1], x[b : b + 1], params, heads, own)[0])
    y = _norm(x + torch.cat(sentences), params, 1, eps)
    return torch.stack([_norm(row + _feed(row, params), params, 2, eps) for row in y.unbind(1)], dim=1)


def encoder_module(x, params, heads, mask=None, eps=1e-5):
    d, f = x.shape[-1], len(params["W_1"])
    layer = nn.TransformerEncoderLayer(d, heads, f, dropout=0, batch_first=True, layer_norm_eps=eps)
    named = {
        "self_attn.in_proj_weight": torch.cat([params[f"W_{n}"] for n in "qkv"]),
        "self_attn.in_proj_bias": torch.cat([params[f"b_{n}"] for n in "qkv"]),
        "self_attn.out_proj.weight": params["W_o"],
        "self_attn.out_proj.bias": params["b_o"],
        **{f"linear{i}.weight": params[f"W_{i}"] for i in (1, 2)},
        **{f"linear{i}.bias": params[f"b_{i}"] for i in (1, 2)},
        **{f"norm{i}.weight": params[f"gamma_{i}"] for i in (1, 2)},
        **{f"norm{i}.bias": params[f"beta_{i}"] for i in (1, 2)},
    }
    hidden = None if mask is None else ~mask
    return torch.func.functional_call(layer, named, (x,), {"src_key_padding_mask": hidden})


def encoder_padding_zeroed(x, params, heads, mask=None, eps=1e-5):
    out = encoder_plain(x, params, heads, mask, eps)
    return out if mask is None else out * mask[..., None]


def encoder_both_masked(x, params, heads, mask=None, eps=1e-5):
    both = None if mask is None else mask[:, None] & mask[:, :, None]
    y = _norm(x + heads_chunked(x, x, x, params, heads, both)[0], params, 1, eps)
    return _norm(y + _feed(y, params), params, 2, eps)


def encoder_inner_functions(x, params, heads, mask=None, eps=1e-5):
    def norm(i):
        return lambda z: _own_norm(z, params, i, eps)

    def residual(z, sublayer, normalise):
        return normalise(z + sublayer(z))

    keys = None if mask is None else mask[:, None]
    x = residual(x, lambda z: heads_folded(z, z, z, params, heads, keys)[0], norm(1))
    return residual(x, lambda z: _feed(z, params), norm(2))


def encoder_in_double(x, params, heads, mask=None, eps=1e-5):
    return encoder_plain(x.double(), {name: weight.double() for name, weight in params.items()}, heads, mask, eps)


def encoder_std(x, params, heads, mask=None, eps=1e-5):
    def norm(z, i):
        std = torch.sqrt(((z - z.mean(-1, keepdim=True)) ** 2).sum(-1, keepdim=True) / z.shape[-1] + eps)
        return params[f"gamma_{i}"] * (z - z.mean(-1, keepdim=True)) / std + params[f"beta_{i}"]

    keys = None if mask is None else mask[:, None]
    x = norm(x + heads_time_major(x, x, x, params, heads, keys)[0], 1)
    inner = torch.einsum("bsd,fd->bsf", x, params["W_1"]) + params["b_1"]
    return norm(x + torch.einsum("bsf,df->bsd", inner * (inner > 0), params["W_2"]) + params["b_2"], 2)


def _cross(params):
    return {name: params[f"{name}_cross"] for name in [f"{kind}_{n}" for kind in "Wb" for n in "qkvo"]}


def decoder_plain(y, memory, params, heads, target_mask=None, source_mask=None, eps=1e-5):
    y = _norm(y + heads_permute(y, y, y, params, heads, target_mask)[0], params, 1, eps)
    y = _norm(y + heads_permute(y, memory, memory, _cross(params), heads, source_mask)[0], params, 2, eps)
    return _norm(y + _feed(y, params), params, 3, eps)


def decoder_own_norm(y, memory, params, heads, target_mask=None, source_mask=None, eps=1e-5):
    cross = {name[:-6]: weight for name, weight in params.items() if name.endswith("_cross")}
    y = _own_norm(y + heads_loop(y, y, y, params, heads, target_mask)[0], params, 1, eps)
    wide = None if source_mask is None else source_mask.expand(-1, y.shape[1], -1)
    y = _own_norm(y + heads_loop(y, memory, memory, cross, heads, wide)[0], params, 2, eps)
    return _own_norm(y + _feed(y, params), params, 3, eps)


def decoder_loop(y, memory, params, heads, target_mask=None, source_mask=None, eps=1e-5):
    rows = []
    for b in range(len(y)):
        masks = [None if mask is None else mask[b : b + 1] for mask in (target_mask, source_mask)]
        rows.append(decoder_plain(y[b : b + 1], memory[b : b + 1], params, heads, *masks, eps))
    return torch.cat(rows)


def decoder_steps(y, memory, params, heads, target_mask=None, source_mask=None, eps=1e-5):
    first = _norm(y + heads_einsum(y, y, y, params, heads, target_mask)[0], params, 1, eps)
    rows = []
    for t in range(y.shape[1]):
        row = first[:, t : t + 1]
        read, _ = heads_folded(row, memory, memory, _cross(params), heads, source_mask)
        row = _norm(row + read, params, 2, eps)
        rows.append(_norm(row + _feed(row, params), params, 3, eps))
    return torch.cat(rows, 1)


def decoder_sublayers(y, memory, params, heads, target_mask=None, source_mask=None, eps=1e-5):
    sublayers = [
        lambda z: heads_chunked(z, z, z, params, heads, target_mask)[0],
        lambda z: heads_chunked(z, memory, memory, _cross(params), heads, source_mask)[0],
        lambda z: _feed(z, params),
    ]
    for i, sublayer in enumerate(sublayers, start=1):
        y = _own_norm(y + sublayer(y), params, i, eps)
    return y


def decoder_module(y, memory, params, heads, target_mask=None, source_mask=None, eps=1e-5):
    class Decoder(nn.Module):
        def forward(self, y):
            return decoder_sublayers(y, memory, params, heads, target_mask, source_mask, eps)

    return Decoder()(y)


def decoder_renormalised(y, memory, params, heads, target_mask=None, source_mask=None, eps=1e-5):
    y = _norm(heads_renormalised(y, y, y, params, heads, target_mask)[0] + y, params, 1, eps)
    y = _norm(heads_renormalised(y, memory, memory, _cross(params), heads, source_mask)[0] + y, params, 2, eps)
    return _norm(_feed(y, params) + y, params, 3, eps)


def decoder_in_double(y, memory, params, heads, target_mask=None, source_mask=None, eps=1e-5):
    double = {name: weight.double() for name, weight in params.items()}
    return decoder_plain(y.double(), memory.double(), double, heads, target_mask, source_mask, eps)


def loss_gather(logits, target, epsilon, pad):
    log_p = F.log_softmax(logits, dim=-1)
    right = log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    loss = -((1 - epsilon) * right + epsilon * log_p.mean(-1))
    real = (target != pad).float()
    return (loss * real).sum() / real.sum()


def loss_torch(logits, target, epsilon, pad):
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=pad, label_smoothing=epsilon)


def loss_transposed(logits, target, epsilon, pad):
    return F.cross_entropy(logits.transpose(1, 2), target, ignore_index=pad, label_smoothing=epsilon)


def loss_one_hot(logits, target, epsilon, pad):
    V = logits.shape[-1]
    q = F.one_hot(target, V) * (1 - epsilon) + epsilon / V
    return -(q * logits.log_softmax(-1)).sum(-1)[target != pad].mean()


def loss_scatter(logits, target, epsilon, pad):
    q = torch.full_like(logits, epsilon / logits.shape[-1])
    q = q.scatter(-1, target[..., None], 1 - epsilon + epsilon / logits.shape[-1])
    losses = -(q.detach() * F.log_softmax(logits, -1)).sum(-1)
    return losses.masked_fill(target == pad, 0.0).sum() / (target != pad).sum()


def loss_logsumexp(logits, target, epsilon, pad):
    losses = torch.logsumexp(logits, -1) - (1 - epsilon) * logits.gather(2, target[..., None])[..., 0]
    return (losses - epsilon * logits.mean(-1))[target.ne(pad)].mean()


def loss_loops(logits, target, epsilon, pad):
    losses = []
    for row, words in zip(logits, target, strict=True):
        for scores, word in zip(row, words, strict=True):
            if word.item() != pad:
                log_p = scores - scores.logsumexp(0)
                losses.append(-(1 - epsilon) * log_p[word] - epsilon / len(log_p) * log_p.sum())
    return torch.stack(losses).mean()


def loss_real_first(logits, target, epsilon, pad):
    logits, target = logits[target != pad], target[target != pad]
    log_p = logits.log_softmax(1)
    return ((1 - epsilon) * F.nll_loss(log_p, target) - epsilon * log_p.mean(1).mean()).squeeze()


def loss_own_softmax(logits, target, epsilon, pad):
    shifted = logits - logits.max(-1, keepdim=True).values
    log_p = shifted - shifted.exp().sum(-1, keepdim=True).log()
    right = torch.take_along_dim(log_p, target[..., None], -1)[..., 0]
    return (-(1 - epsilon) * right - epsilon * log_p.mean(-1))[target != pad].mean()


def loss_divergence(logits, target, epsilon, pad):
    V = logits.shape[-1]
    q = F.one_hot(target, V) * (1 - epsilon) + epsilon / V
    divergence = F.kl_div(logits.log_softmax(-1), q, reduction="none").sum(-1)
    entropy = -torch.special.xlogy(q, q).sum(-1)
    return (divergence + entropy)[target != pad].mean()


def loss_in_double(logits, target, epsilon, pad):
    return loss_gather(logits.double(), target, epsilon, pad).float()


def rate_formula(step, d_model, warmup, factor):
    return factor * d_model ** (-0.5) * min(step ** (-0.5), step * warmup ** (-1.5))


def rate_sqrt(step, d_model, warmup, factor):
    return factor / math.sqrt(d_model) * min(1 / math.sqrt(step), step / (warmup * math.sqrt(warmup)))


def rate_if(step, d_model, warmup, factor):
    if step < warmup:
        return factor * step / (d_model * warmup**3) ** 0.5
    return factor / (d_model * step) ** 0.5


def rate_tensor(step, d_model, warmup, factor):
    step = torch.tensor(float(step))
    return factor * d_model**-0.5 * torch.minimum(step**-0.5, step * warmup**-1.5)


def rate_numpy(step, d_model, warmup, factor):
    return factor * np.minimum(np.power(float(step), -0.5), step * np.power(float(warmup), -1.5)) / np.sqrt(d_model)


def rate_logarithms(step, d_model, warmup, factor):
    low = min(-0.5 * math.log(step), math.log(step) - 1.5 * math.log(warmup))
    return factor * math.exp(low - 0.5 * math.log(d_model))


def rate_of_peak(step, d_model, warmup, factor):
    peak = factor / (d_model * warmup) ** 0.5
    return peak * min((warmup / step) ** 0.5, step / warmup)


def rate_counter(step, d_model, warmup, factor):
    step = max(step, 1)
    return min(step**-0.5, step * warmup**-1.5) * d_model**-0.5 * factor


def _answers(prefix: str) -> list:
    return [value for name, value in globals().items() if name.startswith(f"{prefix}_")]


RIGHT = {
    "transformer.multi_head_attention": _answers("heads"),
    "transformer.positional_encoding": _answers("positions"),
    "transformer.make_masks": _answers("masks"),
    "transformer.encoder_layer": _answers("encoder"),
    "transformer.decoder_layer": _answers("decoder"),
    "transformer.label_smoothed_loss": _answers("loss"),
    "transformer.noam_rate": _answers("rate"),
}
