"""More right answers of both exercises: other libraries' idioms, other data structures, other orders of work."""

import functools
import heapq
import math
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
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


def states_hstack(outputs, lengths):
    u = outputs.shape[-1] // 2
    index = torch.LongTensor(list(range(len(lengths)))), lengths - 1
    return torch.hstack((outputs[index][:, :u], outputs[:, 0, u:]))


def states_select(outputs, lengths):
    forward, backward = outputs.tensor_split(2, dim=-1)
    last = [f.index_select(0, n - 1).squeeze(0) for f, n in zip(forward, lengths.view(-1, 1), strict=True)]
    return torch.cat([torch.stack(last), backward.select(1, 0)], -1)


def states_packed(outputs, lengths):
    """It packs, unpacks, and reads the last row of each piece."""
    u = outputs.shape[-1] // 2
    packed = nn.utils.rnn.pack_padded_sequence(outputs, lengths, batch_first=True, enforce_sorted=False)
    again, n = nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    return torch.cat([again[torch.arange(len(n)), n - 1, :u], again[:, 0, u:]], 1)


def states_sorted_and_back(outputs, lengths):
    order = lengths.argsort(descending=True)
    u = outputs.shape[-1] // 2
    done = torch.cat([outputs[order][torch.arange(len(order)), lengths[order] - 1, :u], outputs[order, 0, u:]], -1)
    return done[order.argsort()]


def states_flat(outputs, lengths):
    B, S, w = outputs.shape
    flat = outputs.reshape(B * S, w)
    starts = torch.arange(B) * S
    return torch.cat([flat[starts + lengths - 1][:, : w // 2], flat[starts][:, w // 2 :]], dim=1)


def states_where(outputs, lengths):
    at = torch.arange(outputs.shape[1]).unsqueeze(0) == (lengths - 1).unsqueeze(1)
    u = outputs.size(-1) // 2
    forward = torch.where(at[..., None], outputs[..., :u], torch.zeros(())).sum(1)
    return torch.cat([forward, outputs[:, 0, u:]], dim=-1)


def states_int32(outputs, lengths):
    lengths = lengths.to(torch.int32).tolist()
    u = int(outputs.shape[-1] / 2)
    return torch.stack([torch.cat((outputs[i][n - 1][:u], outputs[i][0][u:])) for i, n in enumerate(lengths)])


def states_matmul(outputs, lengths):
    S, w = outputs.shape[1:]
    pick = torch.eye(S)[lengths - 1]
    u = w // 2
    return torch.cat([(pick[:, None] @ outputs[..., :u]).squeeze(1), outputs[:, :1, u:].squeeze(1)], -1)


states_list = lambda outputs, lengths: list(states_flat(outputs, lengths))  # noqa: E731


def greedy_array(step, batch_size, bos, eos, pad, max_len):
    out = torch.full((batch_size, max_len), pad)
    prefix, alive, t = torch.full((batch_size, 1), bos), torch.ones(batch_size, dtype=torch.bool), 0
    while t < max_len and alive.any():
        word = step(prefix)[:, -1, :].max(-1)[1]
        out[alive, t] = word[alive]
        alive &= word != eos
        prefix = torch.cat((prefix, word.view(-1, 1)), 1)
        t += 1
    return out[:, :t]


def greedy_zero_d(step, batch_size, bos, eos, pad, max_len):
    rows: list[list[Any]] = [[torch.tensor(bos)] for _ in range(batch_size)]
    for _ in range(max_len):
        if all(any(int(y) == eos for y in row) for row in rows):
            break
        logits = step(torch.stack([torch.stack(row) for row in rows]))
        for row, scores in zip(rows, logits[:, -1], strict=True):
            ended = any(int(y) == eos for y in row)
            row.append(torch.tensor(pad) if ended else scores.argmax())
    return [row[1:] for row in rows]


def greedy_log_softmax(step, batch_size, bos, eos, pad, max_len):
    tokens = torch.LongTensor(batch_size, 1).fill_(bos)
    lengths = [max_len] * batch_size
    for t in range(1, max_len + 1):
        _, best = F.log_softmax(step(tokens)[:, -1], dim=1).data.topk(1)
        tokens = torch.cat([tokens, best], 1)
        for b in range(batch_size):
            if best[b].item() == eos and lengths[b] == max_len:
                lengths[b] = t
        if all(eos in row[1:] for row in tokens.tolist()):
            break
    longest = max(lengths)
    result = tokens[:, 1 : longest + 1].clone()
    for b, n in enumerate(lengths):
        result[b, n:] = pad
    return result


def greedy_forces_pad(step, batch_size, bos, eos, pad, max_len):
    ys = torch.full((batch_size, 1), bos)
    while True:
        ended = (ys[:, 1:] == eos).any(1)
        if ys.shape[1] > max_len or bool(ended.all()):
            return ys[:, 1:]
        logits = step(ys)[:, -1].double()
        logits[ended] = -math.inf
        logits[ended, pad] = 0.0
        ys = torch.cat([ys, logits.argmax(-1, keepdim=True)], 1)


def greedy_numpy_out(step, batch_size, bos, eos, pad, max_len):
    y = np.full((batch_size, max_len + 1), pad, dtype=np.int64)
    y[:, 0] = bos
    over = np.zeros(batch_size, dtype=bool)
    for t in range(max_len):
        word = np.argmax(step(torch.tensor(y[:, : t + 1])).numpy()[:, t], -1)
        y[~over, t + 1] = word[~over]
        over |= y[:, t + 1] == eos
        if over.all():
            return y[:, 1 : t + 2]
    return y[:, 1:]


def greedy_eos_then_pad(step, batch_size, bos, eos, pad, max_len):
    """It feeds eos on after the end, and replaces it when all is said."""
    prefix = torch.full((batch_size, 1), bos)
    for _ in range(max_len):
        word = step(prefix)[:, -1].argmax(-1)
        word = torch.where(prefix[:, -1] == eos, eos, word)
        prefix = torch.cat([prefix, word[:, None]], 1)
        if (word == eos).all():
            break
    out = prefix[:, 1:]
    return torch.where(((out == eos).cumsum(1) > 1), pad, out)


def greedy_generator(step, batch_size, bos, eos, pad, max_len):
    def words():
        prefix, live = torch.full((batch_size, 1), bos), [True] * batch_size
        for _ in range(max_len):
            if not any(live):
                return
            column = [int(w) if on else pad for w, on in zip(step(prefix)[:, -1].argmax(1), live, strict=True)]
            live[:] = [on and w != eos for w, on in zip(column, live, strict=True)]
            prefix = torch.cat([prefix, torch.tensor(column).unsqueeze(1)], 1)
            yield column

    return torch.tensor(list(words())).T


class Greedy:
    @torch.no_grad()
    def __call__(self, step, batch_size, bos, eos, pad, max_len):
        return greedy_array(step, batch_size, bos, eos, pad, max_len).to(torch.int32)


greedy_object = Greedy()
greedy_inference = torch.inference_mode()(greedy_forces_pad)


def beam_safe_stop(step, bos, eos, beam, max_len, alpha):
    """It stops as soon as no active hypothesis can win: logp only falls, and no length exceeds max_len."""
    active, pool = [(0.0, [bos])], []
    for t in range(1, max_len + 1):
        log_p = step(torch.tensor([y for _, y in active])).tolist()
        every = sorted(((s + p, [*y, w]) for (s, y), row in zip(active, log_p, strict=True) for w, p in enumerate(row)))
        kept = every[::-1][:beam]
        pool += [(s / t**alpha, y[1:]) for s, y in kept if y[-1] == eos or t == max_len]
        active = [(s, y) for s, y in kept if y[-1] != eos]
        if not active or (pool and alpha >= 0 and max(pool)[0] >= active[0][0] / max_len**alpha):
            break
    score, tokens = max(pool)
    return tokens, score


def beam_tensor_state(step, bos, eos, beam, max_len, alpha):
    ys, logp = torch.full((1, 1), bos), torch.zeros(1, dtype=torch.double)
    ended, scores = [], []
    while ys.shape[0] and ys.shape[1] <= max_len:
        table = logp[:, None] + step(ys).double()
        flat = table.reshape(-1)
        order = flat.argsort(descending=True)[:beam]
        ys = torch.cat([ys[order // table.shape[1]], (order % table.shape[1])[:, None]], 1)
        logp = flat[order]
        out = ys[:, -1] == eos
        if ys.shape[1] == max_len + 1:
            out = torch.ones_like(out)
        ended += list(ys[out])
        scores += list(logp[out] / (ys.shape[1] - 1) ** alpha)
        ys, logp = ys[~out], logp[~out]
    winner = int(torch.stack(scores).argmax())
    return ended[winner][1:], scores[winner]


def beam_heaps(step, bos, eos, beam, max_len, alpha):
    frontier, best = [(0.0, (bos,))], (-math.inf, ())
    for t in range(max_len):
        heap: list = []
        for s, y in frontier:
            for w, p in enumerate(step(torch.tensor([y]))[0].tolist()):
                item = (s + p, (*y, w))
                heapq.heappush(heap, item) if len(heap) < beam else heapq.heappushpop(heap, item)
        frontier = []
        for s, y in heap:
            if y[-1] == eos or t + 1 == max_len:
                best = max(best, (s / (t + 1) ** alpha, y[1:]))
            else:
                frontier.append((s, y))
        if not frontier:
            break
    return [torch.tensor(w) for w in best[1]], np.float64(best[0])


def beam_top_of_each_row(step, bos, eos, beam, max_len, alpha):
    """The `beam` best of each row hold the `beam` best of all."""
    hyps, pool = [{"y": [bos], "s": 0.0}], []
    for _ in range(max_len):
        values, words = step(torch.tensor([h["y"] for h in hyps])).sort(dim=-1, descending=True)
        grown = [
            {"y": [*h["y"], w], "s": h["s"] + p}
            for h, ps, ws in zip(hyps, values[:, :beam].tolist(), words[:, :beam].tolist(), strict=True)
            for p, w in zip(ps, ws, strict=True)
        ]
        grown.sort(key=lambda h: h["s"], reverse=True)
        hyps = []
        for h in grown[:beam]:
            (pool if h["y"][-1] == eos else hyps).append(h)
        if not hyps:
            break
    best = max(pool + hyps, key=lambda h: h["s"] / (len(h["y"]) - 1) ** alpha)
    return np.array(best["y"][1:]), np.float32(best["s"] / (len(best["y"]) - 1) ** alpha)


def beam_recursive(step, bos, eos, beam, max_len, alpha):
    def go(active, left):
        if not active or not left:
            return active
        log_p = step(torch.tensor([y for _, y in active]))
        grown = [(s + float(p), [*y, w]) for (s, y), row in zip(active, log_p, strict=True) for w, p in enumerate(row)]
        kept = heapq.nlargest(beam, grown)
        return [h for h in kept if h[1][-1] == eos] + go([h for h in kept if h[1][-1] != eos], left - 1)

    s, y = max(((s / (len(y) - 1) ** alpha, y) for s, y in go([(0.0, [bos])], max_len)), key=lambda h: h[0])
    return tuple(y[1:]), torch.tensor([s])


def beam_one_result_list(step, bos, eos, beam, max_len, alpha):
    return list(beam_tensor_state(step, bos, eos, beam, max_len, alpha))


@torch.no_grad()
def beam_padded_state(step, bos, eos, beam, max_len, alpha):
    """A block of `beam` rows from the first step on, dead rows at -1e9."""
    rows = torch.full((beam, 1), bos)
    scores = torch.tensor([0.0] + [-1e9] * (beam - 1))
    pool = []
    for t in range(1, max_len + 1):
        total = scores[:, None] + step(rows)
        scores, flat = total.view(-1).topk(beam)
        rows = torch.cat([rows[flat // total.shape[1]], flat.remainder(total.shape[1])[:, None]], 1)
        for i in range(beam):
            if scores[i] > -1e8 and (rows[i, -1] == eos or t == max_len):
                pool.append((scores[i].item() / t**alpha, rows[i, 1:].tolist()))
        scores = scores.masked_fill(rows[:, -1] == eos, -1e9)
        if (scores < -1e8).all():
            break
    score, tokens = max(pool)
    return tokens, score


def _all(prefix: str) -> list:
    return [value for name, value in list(globals().items()) if name.startswith(prefix)]


RIGHT = {
    "bahdanau.masked_softmax": _all("softmax_"),
    "bahdanau.additive_attention": _all("attention_"),
    "bahdanau.repaired_attention": _all("attention_"),
    "encoder_decoder.last_states": _all("states_"),
    "encoder_decoder.greedy_decode": _all("greedy_"),
    "encoder_decoder.beam_search": _all("beam_"),
}
