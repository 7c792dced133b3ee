"""Right answers of the Transformer exercise, in the styles that a class hands in."""

import math

import numpy as np
import torch
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


def positions_exp_log(x):
    S, d = x.shape[1:]
    pe = torch.zeros(S, d)
    position = torch.arange(S).unsqueeze(1)
    divide = torch.exp(torch.arange(0, d, 2) * -(math.log(10000.0) / d))
    pe[:, 0::2] = torch.sin(position * divide)
    pe[:, 1::2] = torch.cos(position * divide)[:, : d // 2]
    return x + pe.unsqueeze(0)


def positions_shifted_sine(x):
    d = x.shape[-1]
    j = torch.arange(d)
    angle = torch.arange(x.shape[1]).float()[:, None] * 10000.0 ** (-(j - j % 2) / d)
    return torch.sin(angle + (j % 2) * math.pi / 2) + x


def positions_long_table(x):
    longest, d = 500, x.shape[-1]
    pe = torch.zeros(longest, d)
    for i in range(0, d, 2):
        angle = torch.arange(longest) / 10000 ** (i / d)
        pe[:, i] = angle.sin()
        if i + 1 < d:
            pe[:, i + 1] = angle.cos()
    return x + pe[: x.size(1)]


def masks_triu(source, target, pad):
    T = target.size(1)
    causal = torch.triu(torch.ones(T, T), diagonal=1) == 0
    return source.ne(pad)[:, None, :], causal, causal & target.ne(pad)[:, None, :]


def masks_numpy(source, target, pad):
    causal = np.tril(np.ones((target.shape[1],) * 2, dtype=bool))
    return (source.numpy() != pad)[:, None], causal, causal & (target.numpy() != pad)[:, None]


def _norm(x, params, i, eps):
    return F.layer_norm(x, x.shape[-1:], params[f"gamma_{i}"], params[f"beta_{i}"], eps)


def _feed(x, params):
    return _linear(F.relu(_linear(x, params, 1)), params, 2)


def encoder_plain(x, params, heads, mask=None, eps=1e-5):
    mask = None if mask is None else mask.unsqueeze(1)
    x = _norm(x + heads_permute(x, x, x, params, heads, mask)[0], params, 1, eps)
    return _norm(x + _feed(x, params), params, 2, eps)


def encoder_padding_zeroed(x, params, heads, mask=None, eps=1e-5):
    out = encoder_plain(x, params, heads, mask, eps)
    return out if mask is None else out * mask[..., None]


def _cross(params):
    return {name: params[f"{name}_cross"] for name in [f"{kind}_{n}" for kind in "Wb" for n in "qkvo"]}


def decoder_plain(y, memory, params, heads, target_mask=None, source_mask=None, eps=1e-5):
    y = _norm(y + heads_permute(y, y, y, params, heads, target_mask)[0], params, 1, eps)
    y = _norm(y + heads_permute(y, memory, memory, _cross(params), heads, source_mask)[0], params, 2, eps)
    return _norm(y + _feed(y, params), params, 3, eps)


def decoder_steps(y, memory, params, heads, target_mask=None, source_mask=None, eps=1e-5):
    first = _norm(y + heads_einsum(y, y, y, params, heads, target_mask)[0], params, 1, eps)
    rows = []
    for t in range(y.shape[1]):
        row = first[:, t : t + 1]
        read, _ = heads_permute(row, memory, memory, _cross(params), heads, source_mask)
        row = _norm(row + read, params, 2, eps)
        rows.append(_norm(row + _feed(row, params), params, 3, eps))
    return torch.cat(rows, 1)


def loss_torch(logits, target, epsilon, pad):
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=pad, label_smoothing=epsilon)


def loss_loops(logits, target, epsilon, pad):
    losses = []
    for row, words in zip(logits, target, strict=True):
        for scores, word in zip(row, words, strict=True):
            if word.item() != pad:
                log_p = scores - scores.logsumexp(0)
                losses.append(-(1 - epsilon) * log_p[word] - epsilon / len(log_p) * log_p.sum())
    return torch.stack(losses).mean()


def loss_divergence(logits, target, epsilon, pad):
    V = logits.shape[-1]
    q = F.one_hot(target, V) * (1 - epsilon) + epsilon / V
    divergence = F.kl_div(logits.log_softmax(-1), q, reduction="none").sum(-1)
    entropy = -torch.special.xlogy(q, q).sum(-1)
    return (divergence + entropy)[target != pad].mean()


def rate_tensor(step, d_model, warmup, factor):
    step = torch.tensor(float(step))
    return factor * d_model**-0.5 * torch.minimum(step**-0.5, step * warmup**-1.5)


def rate_numpy(step, d_model, warmup, factor):
    return factor * np.minimum(np.power(float(step), -0.5), step * np.power(float(warmup), -1.5)) / np.sqrt(d_model)


def rate_logarithms(step, d_model, warmup, factor):
    low = min(-0.5 * math.log(step), math.log(step) - 1.5 * math.log(warmup))
    return factor * math.exp(low - 0.5 * math.log(d_model))


RIGHT = {
    "transformer.multi_head_attention": "heads_",
    "transformer.positional_encoding": "positions_",
    "transformer.make_masks": "masks_",
    "transformer.encoder_layer": "encoder_",
    "transformer.decoder_layer": "decoder_",
    "transformer.label_smoothed_loss": "loss_",
    "transformer.noam_rate": "rate_",
}
