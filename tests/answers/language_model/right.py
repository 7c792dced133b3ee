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
    return torch.einsum("bkgts,bksd->bkgtd", weights, value).reshape(B, heads, T, -1), weights.flatten(1, 2)


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


def latent_torch(x, latent, turned, params, mask=None):
    B, past, width = turned.shape
    here = torch.tensor([past])
    latent = torch.cat([latent, F.linear(x, params["W_down"])[:, None]], 1)
    turned = torch.cat([turned, rope_rotate_half(F.linear(x, params["W_kr"])[:, None], here)], 1)
    q = F.linear(x, params["W_q"]).view(B, -1, 1, len(params["W_q"]) * width // len(params["W_qr"]))
    absorbed = q @ params["W_uk"].view(q.shape[1], -1, latent.shape[-1])
    place = rope_rotate_half(F.linear(x, params["W_qr"]).view(B, -1, 1, width), here)
    query, keys = torch.cat([absorbed, place], -1), torch.cat([latent, turned], -1)[:, None]
    seen = None if mask is None else mask[:, None, None]
    scale = (q.shape[-1] + width) ** -0.5
    mixed = F.scaled_dot_product_attention(query, keys, latent[:, None], seen, scale=scale)
    context = mixed @ params["W_uv"].view(q.shape[1], -1, latent.shape[-1]).mT
    return F.linear(context.reshape(B, -1), params["W_o"]), latent, turned


def latent_loop(x, latent, turned, params, mask=None):
    past, width = turned.shape[1:]
    heads, here = len(params["W_qr"]) // width, torch.tensor([past])
    latent = torch.cat((latent, (x @ params["W_down"].T).unsqueeze(1)), dim=1)
    turned = torch.cat((turned, rope_pairs((x @ params["W_kr"].T).unsqueeze(1), here)), dim=1)
    up_k, up_v, out = params["W_uk"].chunk(heads), params["W_uv"].chunk(heads), 0
    for i, (query, place) in enumerate(
        zip(*((x @ params[n].T).chunk(heads, -1) for n in ("W_q", "W_qr")), strict=True)
    ):
        scores = (latent @ (query @ up_k[i])[..., None])[..., 0]
        scores = scores + (turned @ rope_pairs(place[:, None], here).mT)[..., 0]
        scores = scores / math.sqrt(query.shape[-1] + width)
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), -1e9)
        mixed = (scores.softmax(-1)[:, None] @ latent)[:, 0]
        rows = query.shape[-1]
        out = out + mixed @ up_v[i].T @ params["W_o"][:, i * rows : (i + 1) * rows].T
    return out, latent, turned


def latent_one_matrix(x, latent, turned, params, mask=None):
    """Both absorptions are made of the matrices alone, before any word is there: W_uk into W_q, W_uv into W_o."""
    past, width = turned.shape[1:]
    heads, here = len(params["W_qr"]) // width, torch.tensor([past])
    q, up_k, up_v = (params[name].unflatten(0, (heads, -1)) for name in ("W_q", "W_uk", "W_uv"))
    into_q = torch.einsum("hcl,hcd->hld", up_k, q)
    into_out = torch.einsum("dhc,hcl->dhl", params["W_o"].unflatten(1, (heads, -1)), up_v)
    latent = torch.cat([latent, (x @ params["W_down"].T)[:, None]], 1)
    turned = torch.cat([turned, rope_complex((x @ params["W_kr"].T)[:, None], here)], 1)
    place = rope_complex((x @ params["W_qr"].T).unflatten(-1, (heads, 1, width)), here).squeeze(2)
    scores = torch.einsum("hld,bd,bsl->bhs", into_q, x, latent) + torch.einsum("bhr,bsr->bhs", place, turned)
    scores = scores * (q.shape[1] + width) ** -0.5
    if mask is not None:
        scores = scores.where(mask[:, None], -torch.inf)
    return torch.einsum("bhs,bsl,dhl->bd", scores.softmax(-1), latent, into_out), latent, turned


RIGHT = {
    "language_model.causal_mean": "mean_",
    "language_model.rms_norm": "norm_",
    "language_model.swiglu": "swiglu_",
    "language_model.rope": "rope_",
    "language_model.grouped_query_attention": "grouped_",
    "language_model.cached_step": "step_",
    "language_model.latent_step": "latent_",
}
