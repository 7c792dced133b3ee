"""More right answers: other libraries' idioms, other data structures, other orders of work."""

import heapq
import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


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
    return [value for name, value in globals().items() if name.startswith(prefix)]


RIGHT = {
    "encoder_decoder.last_states": _all("states_"),
    "encoder_decoder.greedy_decode": _all("greedy_"),
    "encoder_decoder.beam_search": _all("beam_"),
}
