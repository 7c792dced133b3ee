"""Right answers of the encoder–decoder exercise, each unlike the others in what it returns or how it works."""

from typing import Any

import numpy as np
import torch
from torch import nn


def states_filled(outputs, lengths):
    half = outputs.shape[-1] // 2
    result = torch.empty(outputs.shape[0], outputs.shape[-1])
    result[:, :half] = outputs[range(len(outputs)), (lengths - 1).tolist(), :half]
    result[:, half:] = outputs[:, 0, half:]
    return result


def states_packed(outputs, lengths):
    """It packs, unpacks, and reads the last row of each piece."""
    u = outputs.shape[-1] // 2
    packed = nn.utils.rnn.pack_padded_sequence(outputs, lengths, batch_first=True, enforce_sorted=False)
    again, n = nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    return torch.cat([again[torch.arange(len(n)), n - 1, :u], again[:, 0, u:]], 1)


def states_list(outputs, lengths):
    rows, half = outputs.double(), outputs.shape[-1] // 2
    return [torch.cat([row[n - 1, :half], row[0, half:]]) for row, n in zip(rows, lengths.tolist(), strict=True)]


def greedy_roll_out_and_cut(step, batch_size, bos, eos, pad, max_len):
    prefix = torch.full((batch_size, 1), bos, dtype=torch.long)
    for _ in range(max_len):
        prefix = torch.cat([prefix, step(prefix)[:, -1].argmax(-1, keepdim=True)], 1)
    out = prefix[:, 1:]
    after = ((out == eos).long().cumsum(1) - (out == eos).long()) > 0
    out = out.masked_fill(after, pad)
    longest = (~after).sum(1).max()
    return out[:, :longest]


def greedy_int32(step, batch_size, bos, eos, pad, max_len):
    tokens = torch.full((batch_size, max_len + 1), pad, dtype=torch.int32)
    tokens[:, 0] = bos
    done = torch.zeros(batch_size, dtype=torch.bool)
    length = 0
    for t in range(max_len):
        best = step(tokens[:, : t + 1])[:, t].max(dim=-1).indices.int()
        tokens[:, t + 1] = torch.where(done, torch.tensor(pad, dtype=torch.int32), best)
        done |= best == eos
        length = t + 1
        if done.all():
            break
    return tokens[:, 1 : length + 1]


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


def beam_everything_at_the_end(step, bos, eos, beam, max_len, alpha):
    """At max_len all continuations join the pool: those behind the `beam` best of the same length cannot win."""
    active, pool = [([bos], 0.0)], []
    for length in range(1, max_len + 1):
        log_p = step(torch.tensor([tokens for tokens, _ in active])).tolist()
        grown = [([*y, w], s + p) for (y, s), row in zip(active, log_p, strict=True) for w, p in enumerate(row)]
        grown.sort(key=lambda c: -c[1])
        grown = grown if length == max_len else grown[:beam]
        pool += [c for c in grown if c[0][-1] == eos or length == max_len]
        active = [c for c in grown if c[0][-1] != eos]
        if not active:
            break
    tokens, score = max(pool, key=lambda c: c[1] / (len(c[0]) - 1) ** alpha)
    return np.array(tokens[1:]), np.float32(score / (len(tokens) - 1) ** alpha)


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
    return tuple(tokens), torch.tensor([score])


RIGHT = {
    "encoder_decoder.last_states": "states_",
    "encoder_decoder.greedy_decode": "greedy_",
    "encoder_decoder.beam_search": "beam_",
}
