"""More right answers: other libraries' idioms, other data structures, other orders of work."""

import functools
import math
from collections import namedtuple
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

Result = namedtuple("Result", ["context", "weights"])


def _low(s: torch.Tensor) -> float:
    return torch.finfo(s.dtype).min


class Softmax(nn.Module):
    def forward(self, scores, mask=None):
        if mask is None:
            mask = torch.ones_like(scores).bool()
        return nn.Softmax(dim=-1)(scores.masked_fill(mask.logical_not(), -3e38)) * mask


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@decorated
def softmax_decorated(scores, mask=None):
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, _low(scores)).softmax(-1) * mask


def softmax_no_default(scores, mask):
    if mask is not None:
        kept = scores.masked_fill(~mask, -torch.inf)
        return kept.softmax(-1).nan_to_num(0)
    return scores.softmax(-1)


def softmax_logsumexp_masked(scores, mask=None):
    if mask is None:
        return (scores - torch.logsumexp(scores, -1, keepdim=True)).exp()
    low = torch.where(mask, scores, -1e30)
    return torch.where(mask, (low - torch.logsumexp(low, -1, keepdim=True)).exp(), 0.0)


def softmax_masked_fill_twice(scores, mask=None):
    if mask is None:
        mask = torch.full(scores.shape, True)
    return F.softmax(scores.masked_fill(~mask, float("-1e20")), -1).masked_fill(mask == 0, 0.0)


def softmax_stable_by_hand(scores, mask=None):
    if mask is not None:
        scores = torch.where(mask, scores, torch.full_like(scores, _low(scores)))
    top, _ = torch.max(scores, dim=-1, keepdim=True)
    e = torch.exp(scores - top)
    e = e if mask is None else e * mask.to(e)
    z = e.sum(dim=-1, keepdim=True)
    return e / torch.where(z == 0, torch.ones_like(z), z)


def softmax_epsilon_where_kept(scores, mask=None):
    mask = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    s = scores.masked_fill(~mask, _low(scores))
    e = (s - s.max(-1, keepdim=True)[0]).exp() * mask
    return e / (e.sum(-1, keepdim=True) + 1e-12)


def softmax_python_floats(scores, mask=None):
    """Loops in Python over the last axis, sums of exponentials as tensors."""
    keep = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    columns = scores.unbind(-1)
    top = functools.reduce(
        torch.maximum, [torch.where(k, c, -1e30) for c, k in zip(columns, keep.unbind(-1), strict=True)]
    )
    grown = [torch.where(k, (c - top).clamp(max=0).exp(), 0.0) for c, k in zip(columns, keep.unbind(-1), strict=True)]
    total = sum(grown)
    return torch.stack([g / torch.where(total > 0, total, 1.0) for g in grown], -1)


def softmax_recursive(scores, mask=None):
    if scores.ndim > 1:
        masks = [None] * len(scores) if mask is None else mask
        return torch.stack([softmax_recursive(s, m) for s, m in zip(scores, masks, strict=True)])
    if mask is None:
        return scores.softmax(0)
    result = torch.zeros_like(scores)
    if mask.any():
        result[mask] = scores[mask].softmax(0)
    return result


def softmax_vmapped(scores, mask=None):
    mask = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask

    def row(s, m):
        return torch.where(m, s, _low(s)).softmax(0) * m

    shape = scores.shape
    return torch.vmap(row)(scores.reshape(-1, shape[-1]), mask.reshape(-1, shape[-1])).reshape(shape)


def softmax_sparse_index(scores, mask=None):
    if mask is None:
        return F.softmax(scores, dim=-1)
    weights = F.softmax(torch.masked_fill(scores, torch.logical_not(mask), -1e9), dim=scores.dim() - 1)
    any_left = mask.sum(dim=-1, keepdim=True) > 0
    return torch.where(any_left & mask, weights, torch.zeros((), dtype=weights.dtype))


def softmax_log_of_mask(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    return torch.nan_to_num((scores + mask.float().log()).softmax(-1))


def softmax_minus_large_int(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    return (scores - (1 - mask.int()) * 10**9).softmax(-1) * mask.int()


def softmax_attention_bias(scores, mask=None):
    bias = 0.0 if mask is None else torch.where(mask, 0.0, -math.inf)
    return torch.softmax(scores + bias, -1).nan_to_num(nan=0.0)


def softmax_keyword(scores, mask=None, *, dim=-1, fill=-1e38):
    return scores.softmax(dim) if mask is None else scores.masked_fill(~mask, fill).softmax(dim).mul(mask)


def softmax_float64(scores, mask=None):
    s = scores.to(torch.float64)
    mask = torch.ones_like(s) if mask is None else mask.double()
    top = torch.amax(torch.where(mask > 0, s, -1e300), -1, keepdim=True)
    e = mask * torch.exp(torch.clamp(s - top, max=0))
    return (e / e.sum(-1, keepdim=True).clamp(min=1e-300)).to(scores.dtype)


def softmax_transposed_inside(scores, mask=None):
    s = scores.movedim(-1, 0)
    if mask is None:
        return s.softmax(0).movedim(0, -1)
    m = mask.movedim(-1, 0)
    return (s.masked_fill(~m, -1e9).softmax(0) * m).movedim(0, -1).contiguous()


softmax_lambda = lambda scores, mask=None: (  # noqa: E731
    scores.softmax(-1)
    if mask is None
    else torch.where(mask.any(-1, keepdim=True), scores.masked_fill(~mask, _low(scores)).softmax(-1), 0.0)
)
softmax_object = Softmax()
softmax_partial = functools.partial(softmax_keyword, fill=-1e30)
softmax_scripted = decorated(Softmax().forward)


def _additive(query, keys, W_q, W_k, v):
    return torch.tanh(F.linear(query, W_q).unsqueeze(-2) + F.linear(keys, W_k)).matmul(v)


def attention_namedtuple(query, keys, values, W_q, W_k, v, mask):
    weights = softmax_object(_additive(query, keys, W_q, W_k, v), mask)
    return Result(torch.einsum("bs,bsd->bd", weights, values), weights)


def attention_one_einsum(query, keys, values, W_q, W_k, v, mask=None):
    q = torch.einsum("hq,bq->bh", W_q, query)
    k = torch.einsum("hk,bsk->bsh", W_k, keys)
    e = torch.einsum("h,bsh->bs", v, (q[:, None, :] + k).tanh())
    a = (e if mask is None else e.masked_fill(~mask, -math.inf)).softmax(-1)
    return torch.einsum("bs,bsd->bd", a, values), a


def attention_concat_module(query, keys, values, W_q, W_k, v, mask=None):
    q = query.unsqueeze(1).repeat(1, keys.shape[1], 1)
    energy = torch.tanh(F.linear(torch.cat((keys, q), dim=2), torch.cat((W_k, W_q), dim=1)))
    score = F.linear(energy, v.unsqueeze(0)).squeeze(2)
    if mask is not None:
        score = score.masked_fill(mask == 0, -1e10)
    a = F.softmax(score, dim=1)
    return torch.bmm(a.unsqueeze(1), values).squeeze(1), a


def attention_vmapped(query, keys, values, W_q, W_k, v, mask=None):
    def one(q, k, x, m):
        w = softmax_decorated(torch.tanh(W_q @ q + k @ W_k.T) @ v, m)
        return w @ x, w

    mask = torch.ones(keys.shape[:2], dtype=torch.bool) if mask is None else mask
    return torch.vmap(one)(query, keys, values, mask)


def attention_rows(query, keys, values, W_q, W_k, v, mask=None):
    out, all_weights = [], []
    for b, (q, k, x) in enumerate(zip(query, keys, values, strict=True)):
        e = torch.tanh(k.mm(W_k.t()) + W_q.mv(q)).mv(v)
        a = softmax_decorated(e, None if mask is None else mask[b])
        out.append(a @ x)
        all_weights.append(a)
    return torch.stack(out), torch.stack(all_weights)


def attention_positions(query, keys, values, W_q, W_k, v, mask=None):
    S = keys.shape[1]
    e = torch.stack([torch.tanh(query @ W_q.T + keys[:, s] @ W_k.T) @ v for s in range(S)], dim=1)
    a = softmax_renormalise(e, mask)
    return sum(a[:, s : s + 1] * values[:, s] for s in range(S)), a


def softmax_renormalise(e, mask=None):
    e = (e if mask is None else e.masked_fill(~mask, -1e30)).double()
    x = (e - e.max(-1, keepdim=True).values).exp()
    x = x if mask is None else x * mask
    return (x / x.sum(-1, keepdim=True).clamp_min(1e-200)).float()


def attention_only_kept(query, keys, values, W_q, W_k, v, mask=None):
    """Scores are computed for what may be attended to alone."""
    B, S, _ = keys.shape
    mask = torch.ones(B, S, dtype=torch.bool) if mask is None else mask
    rows = mask.nonzero()[:, 0]
    kept = torch.tanh(query[rows] @ W_q.T + keys[mask] @ W_k.T) @ v
    scores = torch.full((B, S), -torch.inf).masked_scatter(mask, kept)
    weights = scores.softmax(1)
    return (weights.unsqueeze(2) * values).sum(1), weights


def attention_tanh_by_hand(query, keys, values, W_q, W_k, v, mask=None):
    x = (query @ W_q.T)[:, None] + keys @ W_k.T
    e = ((2 * torch.sigmoid(2 * x) - 1) * v).sum(-1)
    a = softmax_log_of_mask(e, mask)
    return (a[:, :, None] * values).sum(dim=-2), a


def attention_modules(query, keys, values, W_q, W_k, v, mask=None):
    def layer(W, x):
        linear = nn.Linear(W.shape[1], W.shape[0], bias=False)
        return torch.func.functional_call(linear, {"weight": W}, (x,))

    e = layer(v[None], torch.tanh(layer(W_q, query).unsqueeze(1) + layer(W_k, keys)))[..., 0]
    a = Softmax()(e, mask)
    return torch.matmul(a[:, None], values)[:, 0], a


@dataclass
class Attention:
    fill: float = -1e9

    def __call__(self, query, keys, values, W_q, W_k, v, mask=None):
        e = _additive(query, keys, W_q, W_k, v)
        e = e if mask is None else e.where(mask, torch.tensor(self.fill))
        a = e.softmax(-1)
        return (a[:, None, :] @ values).reshape(len(query), -1), a


attention_object = Attention()
attention_other_fill = Attention(fill=-1e4)
attention_list = lambda *given: list(attention_rows(*given))  # noqa: E731


def _all(prefix: str) -> list:
    return [value for name, value in globals().items() if name.startswith(prefix)]


RIGHT = {
    "bahdanau.masked_softmax": _all("softmax_"),
    "bahdanau.additive_attention": _all("attention_"),
    "bahdanau.repaired_attention": _all("attention_"),
}
