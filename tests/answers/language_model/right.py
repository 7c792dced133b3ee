"""Right answers of the language model's exercises, in the styles that a class hands in: means, norms, attention."""

import math

import torch
import torch.nn.functional as F


def mean_cumsum(x):
    return x.cumsum(dim=1) / torch.arange(1, x.shape[1] + 1)[:, None]


def mean_loop(x):
    return torch.stack([x[:, : t + 1].mean(dim=1) for t in range(x.shape[1])], dim=1)


def mean_softmax(x):
    length = x.shape[1]
    scores = torch.zeros(length, length).masked_fill(torch.triu(torch.ones(length, length), 1).bool(), -torch.inf)
    return torch.einsum("ts,bsd->btd", scores.softmax(-1), x)


def norm_rsqrt(x, gamma, eps=1e-6):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * gamma


def norm_torch(x, gamma, eps=1e-6):
    return F.rms_norm(x, (x.shape[-1],), gamma, eps)


def norm_length(x, gamma, eps=1e-6):
    d = x.shape[-1]
    return gamma * (x / ((x * x).sum(-1) / d + eps).sqrt()[..., None])


def swiglu_linear(x, W_1, W_gate, W_2):
    return F.linear(F.silu(F.linear(x, W_gate)) * F.linear(x, W_1), W_2)


def swiglu_one_matrix(x, W_1, W_gate, W_2):
    gate, value = (x @ torch.cat([W_gate, W_1]).T).chunk(2, dim=-1)
    return (gate.sigmoid() * gate * value) @ W_2.T


def rope_rotate_half(x, positions, base=10000.0):
    d = x.shape[-1]
    rates = 1.0 / (base ** (torch.arange(0, d, 2).float() / d))
    angles = torch.outer(positions.float(), rates)
    angles = torch.cat([angles, angles], dim=-1)
    turned = torch.cat([-x[..., d // 2 :], x[..., : d // 2]], dim=-1)
    return x * angles.cos() + turned * angles.sin()


def rope_complex(x, positions, base=10000.0):
    half = x.shape[-1] // 2
    rates = torch.exp(-math.log(base) * torch.arange(half) / half)
    turn = torch.polar(torch.ones(len(positions), half), positions[:, None] * rates)
    pairs = torch.complex(x[..., :half].contiguous(), x[..., half:].contiguous()) * turn
    return torch.cat([pairs.real, pairs.imag], -1)


def rope_pairs(x, positions, base=10000.0):
    half = x.shape[-1] // 2
    columns = [None] * (2 * half)
    for i in range(half):
        angle = positions * base ** (-i / half)
        a, b = x[..., i], x[..., i + half]
        columns[i] = a * angle.cos() - b * angle.sin()
        columns[i + half] = a * angle.sin() + b * angle.cos()
    return torch.stack(columns, dim=-1)


def _seen(query, key, mask):
    target, source = query.shape[2], key.shape[2]
    seen = torch.arange(source) <= torch.arange(source - target, source)[:, None]
    return seen if mask is None else seen & mask[:, None, None, :]


def grouped_infinity(query, key, value, mask=None):
    group = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(group, 1), value.repeat_interleave(group, 1)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = scores.masked_fill(~_seen(query, key, mask), -torch.inf).softmax(-1)
    return weights @ value, weights


def grouped_five_axes(query, key, value, mask=None):
    B, heads, T, width = query.shape
    grouped = query.view(B, key.shape[1], -1, T, width)
    scores = torch.einsum("bkgtd,bksd->bkgts", grouped, key) * width**-0.5
    seen = _seen(query, key, mask)
    seen = seen if mask is None else seen[:, :, None]
    weights = torch.where(seen, scores, torch.tensor(-1e9)).softmax(dim=-1)
    weights = weights * seen
    return torch.einsum("bkgts,bksd->bkgtd", weights, value).reshape(B, heads, T, width), weights.flatten(1, 2)


def grouped_loop(query, key, value, mask=None):
    group, contexts, rows = query.shape[1] // key.shape[1], [], []
    for head in range(query.shape[1]):
        k, v = key[:, head // group], value[:, head // group]
        scores = torch.bmm(query[:, head], k.mT) / query.shape[-1] ** 0.5
        seen = _seen(query, key, mask)
        seen = seen if mask is None else seen[:, 0]
        rows.append(F.softmax(scores.masked_fill(~seen, torch.finfo(scores.dtype).min), dim=-1))
        contexts.append(rows[-1] @ v)
    return torch.stack(contexts, 1), torch.stack(rows, 1)


def grouped_torch(query, key, value, mask=None):
    seen = _seen(query, key, mask)
    context = F.scaled_dot_product_attention(query, key, value, seen, enable_gqa=True)
    one = torch.eye(key.shape[2]).expand(len(key), key.shape[1], -1, -1)
    weights = F.scaled_dot_product_attention(query, key, one, seen, enable_gqa=True, scale=query.shape[-1] ** -0.5)
    return context, weights


def step_infinity(x, cache, params, mask=None):
    _, B, kv_heads, past, width = cache.shape
    q = F.linear(x, params["W_q"]).view(B, -1, 1, width)
    k, v = (F.linear(x, params[name]).view(B, kv_heads, 1, width) for name in ("W_k", "W_v"))
    here = torch.tensor([past])
    keys = torch.cat([cache[0], rope_rotate_half(k, here)], dim=2)
    values = torch.cat([cache[1], v], dim=2)
    context, _ = grouped_infinity(rope_rotate_half(q, here), keys, values, mask)
    return context.reshape(B, -1) @ params["W_o"].T, torch.stack([keys, values])


def step_loop(x, cache, params, mask=None):
    kv_heads, past, width = cache.shape[2:]
    here = torch.tensor([past])
    q, k, v = (x @ params[f"W_{n}"].T for n in "qkv")
    new = [
        torch.stack([rope_pairs(each[:, None], here) for each in k.split(width, -1)], 1),
        torch.stack(v.split(width, -1), 1)[:, :, None],
    ]
    cache = torch.cat([cache, torch.stack(new)], dim=3)
    group, out = q.shape[-1] // width // kv_heads, 0
    for head, query in enumerate(q.split(width, -1)):
        scores = (cache[0, :, head // group] @ rope_pairs(query[:, None], here).mT)[..., 0] / math.sqrt(width)
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), -1e9)
        context = (scores.softmax(-1)[..., None] * cache[1, :, head // group]).sum(1)
        out = out + context @ params["W_o"][:, head * width : (head + 1) * width].T
    return out, cache


def step_einsum(x, cache, params, mask=None):
    kv_heads, past, width = cache.shape[2:]
    q, k, v = (torch.einsum("bd,hcd->bhc", x, params[f"W_{n}"].unflatten(0, (-1, width))) for n in "qkv")
    q, k = (rope_complex(each[:, :, None], torch.tensor([past])) for each in (q, k))
    keys, values = torch.cat([cache[0], k], -2), torch.cat([cache[1], v[:, :, None]], -2)
    grouped = q[:, :, 0].unflatten(1, (kv_heads, -1))
    scores = torch.einsum("bkgc,bksc->bkgs", grouped, keys) / width**0.5
    if mask is not None:
        scores = scores.where(mask[:, None, None], -torch.inf)
    context = torch.einsum("bkgs,bksc->bkgc", scores.softmax(-1), values)
    return context.flatten(1) @ params["W_o"].T, torch.stack((keys, values), dim=0)


def latent_torch(x, params, heads):
    B, S, _ = x.shape
    latent = F.linear(x, params["W_down"])
    q, k, v = (
        F.linear(each, params[name]).view(B, S, heads, -1).transpose(1, 2)
        for each, name in ((x, "W_q"), (latent, "W_uk"), (latent, "W_uv"))
    )
    context = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return F.linear(context.transpose(1, 2).reshape(B, S, -1), params["W_o"]), latent


def latent_absorbed(x, params, heads):
    latent = x @ params["W_down"].T
    q = (x @ params["W_q"].T).unflatten(-1, (heads, -1))
    up, down = (params[name].unflatten(0, (heads, -1)) for name in ("W_uk", "W_uv"))
    scores = torch.einsum("bthc,hcl,bsl->bhts", q, up, latent) / q.shape[-1] ** 0.5
    seen = torch.ones(scores.shape[-2:]).tril() > 0
    mixed = scores.masked_fill(~seen, -torch.inf).softmax(-1) @ latent[:, None]
    return torch.einsum("bhtl,hcl->bthc", mixed, down).flatten(2) @ params["W_o"].T, latent


def latent_loop(x, params, heads):
    latent, rows = x @ params["W_down"].T, []
    for t in range(x.shape[1]):
        q = (x[:, t] @ params["W_q"].T).chunk(heads, -1)
        k, v = ((latent[:, : t + 1] @ params[n].T).chunk(heads, -1) for n in ("W_uk", "W_uv"))
        scores = [(key @ query[..., None])[..., 0] / query.shape[-1] ** 0.5 for query, key in zip(q, k, strict=True)]
        mixed = [(s.softmax(-1)[:, None] @ value)[:, 0] for s, value in zip(scores, v, strict=True)]
        rows.append(torch.cat(mixed, -1) @ params["W_o"].T)
    return torch.stack(rows, 1), latent


RIGHT = {
    "language_model.causal_mean": "mean_",
    "language_model.rms_norm": "norm_",
    "language_model.swiglu": "swiglu_",
    "language_model.rope": "rope_",
    "language_model.grouped_query_attention": "grouped_",
    "language_model.cached_step": "step_",
    "language_model.latent_attention": "latent_",
}
