"""Right answers of the encoder–decoder exercise, in the styles that a class hands in."""

import heapq

import numpy as np
import torch


def states_gather(outputs, lengths):
    B, _, both = outputs.shape
    u = both // 2
    index = (lengths - 1).view(B, 1, 1).expand(B, 1, u)
    forward = outputs[:, :, :u].gather(1, index).squeeze(1)
    return torch.cat((forward, outputs[:, 0, u:]), dim=1)


def states_loop(outputs, lengths):
    half = outputs.size(2) // 2
    rows = []
    for b in range(outputs.size(0)):
        rows.append(torch.cat([outputs[b, int(lengths[b]) - 1, :half], outputs[b, 0, half:]]))
    return torch.stack(rows)


def states_one_hot(outputs, lengths):
    S = outputs.shape[1]
    last = torch.nn.functional.one_hot(lengths - 1, S).to(outputs.dtype)
    forward, backward = outputs.chunk(2, dim=-1)
    return torch.cat([torch.einsum("bs,bsu->bu", last, forward), backward[:, 0]], -1)


def states_mask(outputs, lengths):
    S = outputs.shape[1]
    is_last = torch.arange(S)[None] == lengths[:, None] - 1
    u = outputs.shape[-1] // 2
    return torch.cat([outputs[is_last][:, :u], outputs[:, 0][:, u:]], dim=-1)


def states_take_along(outputs, lengths):
    u = outputs.shape[2] // 2
    last = torch.take_along_dim(outputs, (lengths - 1)[:, None, None], dim=1)[:, 0]
    return torch.hstack([last[:, :u], outputs[:, 0, u:]])


def states_split_view(outputs, lengths):
    B, S, both = outputs.shape
    directions = outputs.view(B, S, 2, both // 2)
    rows = torch.arange(B)
    return torch.stack([directions[rows, lengths - 1, 0], directions[rows, 0, 1]], dim=1).reshape(B, both)


def states_time_major(outputs, lengths):
    swapped = outputs.permute(1, 0, 2)
    half = swapped.shape[-1] // 2
    first = torch.stack([swapped[n - 1, b, :half] for b, n in enumerate(lengths.tolist())])
    return torch.cat([first, swapped[0, :, half:]], dim=1)


def states_filled(outputs, lengths):
    half = outputs.shape[-1] // 2
    result = torch.empty(outputs.shape[0], outputs.shape[-1])
    result[:, :half] = outputs[range(len(outputs)), (lengths - 1).tolist(), :half]
    result[:, half:] = outputs[:, 0, half:]
    return result


def states_negative_index(outputs, lengths):
    half = outputs.shape[-1] // 2
    rows = [torch.cat([row[: int(n)][-1][:half], row[0][half:]]) for row, n in zip(outputs, lengths, strict=True)]
    return torch.stack(rows)


def states_double(outputs, lengths):
    return states_gather(outputs.double(), lengths.long())


STATES = [value for name, value in list(globals().items()) if name.startswith("states_")]


def greedy_roll_out_and_cut(step, batch_size, bos, eos, pad, max_len):
    prefix = torch.full((batch_size, 1), bos, dtype=torch.long)
    for _ in range(max_len):
        prefix = torch.cat([prefix, step(prefix)[:, -1].argmax(-1, keepdim=True)], 1)
    out = prefix[:, 1:]
    after = ((out == eos).long().cumsum(1) - (out == eos).long()) > 0
    out = out.masked_fill(after, pad)
    longest = (~after).sum(1).max()
    return out[:, :longest]


def greedy_lists(step, batch_size, bos, eos, pad, max_len):
    rows = [[bos] for _ in range(batch_size)]
    ended = [False] * batch_size
    while not all(ended) and len(rows[0]) - 1 < max_len:
        logits = step(torch.tensor(rows))
        for b in range(batch_size):
            word = pad if ended[b] else int(logits[b, -1].argmax())
            rows[b].append(word)
            ended[b] = ended[b] or word == eos
    return [row[1:] for row in rows]


def greedy_unfinished_counter(step, batch_size, bos, eos, pad, max_len):
    ids = torch.ones(batch_size, 1, dtype=torch.int64) * bos
    unfinished = torch.ones(batch_size, dtype=torch.int64)
    for _ in range(max_len):
        next_id = torch.argmax(step(ids)[:, -1, :], dim=-1)
        next_id = next_id * unfinished + pad * (1 - unfinished)
        ids = torch.cat((ids, next_id[:, None]), dim=-1)
        unfinished = unfinished.mul((next_id != eos).long())
        if unfinished.max() == 0:
            break
    return ids[:, 1:]


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


def greedy_probabilities(step, batch_size, bos, eos, pad, max_len):
    prefix = torch.tensor([[bos]] * batch_size)
    alive = torch.ones(batch_size, dtype=bool)
    out = []
    with torch.no_grad():
        for _ in range(max_len):
            p = torch.softmax(step(prefix)[:, -1], -1)
            word = torch.multinomial(p, 1).squeeze(1) if False else p.topk(1).indices[:, 0]
            word[~alive] = pad
            out.append(word)
            alive = alive & (word != eos)
            prefix = torch.cat([prefix, word.unsqueeze(1)], 1)
            if not alive.any():
                break
    return torch.stack(out, 1)


def greedy_numpy(step, batch_size, bos, eos, pad, max_len):
    prefix = np.full((batch_size, 1), bos)
    done = np.zeros(batch_size, bool)
    for _ in range(max_len):
        word = step(torch.from_numpy(prefix))[:, -1].numpy().argmax(-1)
        word[done] = pad
        done |= word == eos
        prefix = np.hstack([prefix, word[:, None]])
        if done.all():
            break
    return torch.from_numpy(prefix[:, 1:])


def greedy_recursive(step, batch_size, bos, eos, pad, max_len):
    def go(prefix, ended):
        if prefix.size(1) == max_len + 1 or bool(ended.all()):
            return prefix[:, 1:]
        word = torch.where(ended, pad, step(prefix)[:, -1].argmax(-1))
        return go(torch.cat([prefix, word[:, None]], 1), ended | (word == eos))

    return go(torch.full((batch_size, 1), bos), torch.zeros(batch_size, dtype=torch.bool))


def greedy_forbids_pad(step, batch_size, bos, eos, pad, max_len):
    """It never considers pad or bos, and keeps what it said after eos in a copy for the model."""
    tokens = torch.full((batch_size, 1), bos)
    shown = torch.empty(batch_size, 0, dtype=torch.long)
    ended = torch.zeros(batch_size, dtype=torch.bool)
    for _ in range(max_len):
        logits = step(tokens)[:, -1].clone()
        logits[:, [pad, bos]] = -torch.inf
        word = logits.argmax(-1)
        tokens = torch.cat([tokens, word[:, None]], 1)
        shown = torch.cat([shown, word.masked_fill(ended, pad)[:, None]], 1)
        ended = ended.logical_or(word == eos)
        if ended.sum() == batch_size:
            return shown
    return shown


GREEDY = [value for name, value in list(globals().items()) if name.startswith("greedy_")]


def beam_lists(step, bos, eos, beam, max_len, alpha):
    active, pool = [([bos], 0.0)], []
    for _ in range(max_len):
        candidates = []
        for tokens, score in active:
            log_p = step(torch.tensor([tokens]))[0]
            candidates += [([*tokens, w], score + log_p[w].item()) for w in range(len(log_p))]
        candidates.sort(key=lambda c: c[1], reverse=True)
        kept = candidates[:beam]
        pool += [c for c in kept if c[0][-1] == eos]
        active = [c for c in kept if c[0][-1] != eos]
        if not active:
            break
    pool += active
    best = max(pool, key=lambda c: c[1] / (len(c[0]) - 1) ** alpha)
    return best[0][1:], best[1] / (len(best[0]) - 1) ** alpha


def beam_tensors(step, bos, eos, beam, max_len, alpha):
    prefix, scores = torch.tensor([[bos]]), torch.zeros(1)
    best_score, best = torch.tensor(-torch.inf), None
    for t in range(1, max_len + 1):
        log_p = step(prefix)
        V = log_p.size(-1)
        total = (scores.unsqueeze(1) + log_p).view(-1)
        scores, flat = total.topk(min(beam, total.numel()))
        prefix = torch.cat([prefix[torch.div(flat, V, rounding_mode="floor")], (flat % V).unsqueeze(1)], 1)
        leaves = (prefix[:, -1] == eos) | (t == max_len)
        for row, score in zip(prefix[leaves], scores[leaves], strict=True):
            if score / t**alpha > best_score:
                best_score, best = score / t**alpha, row[1:]
        prefix, scores = prefix[~leaves], scores[~leaves]
        if len(prefix) == 0:
            break
    return best, best_score


def beam_full_from_the_start(step, bos, eos, beam, max_len, alpha):
    """`beam` copies of bos, all but one with score -inf, and ended rows pushed down to -inf."""
    prefix = torch.full((beam, 1), bos)
    scores = torch.full((beam,), -torch.inf)
    scores[0] = 0.0
    pool = []
    for t in range(max_len):
        total = scores[:, None] + step(prefix)
        scores, index = total.flatten().topk(beam)
        V = total.shape[1]
        prefix = torch.cat([prefix[index // V], (index % V)[:, None]], dim=1)
        for i in range(beam):
            if scores[i] > -torch.inf and (prefix[i, -1] == eos or t == max_len - 1):
                pool.append((float(scores[i]) / (t + 1) ** alpha, prefix[i, 1:].tolist()))
                scores[i] = -torch.inf
        if torch.isinf(scores).all():
            break
    score, tokens = max(pool)
    return tokens, score


def beam_heap(step, bos, eos, beam, max_len, alpha):
    active, finished = [(0.0, (bos,))], []
    while active and len(active[0][1]) <= max_len:
        rows = step(torch.tensor([tokens for _, tokens in active], dtype=torch.int32))
        every = ((s + p, (*y, w)) for (s, y), row in zip(active, rows.tolist(), strict=True) for w, p in enumerate(row))
        kept = heapq.nlargest(beam, every)
        finished.extend(h for h in kept if h[1][-1] == eos)
        active = [h for h in kept if h[1][-1] != eos]
    finished.extend(active)
    scored = [(s / float(len(y) - 1) ** alpha, y) for s, y in finished]
    score, tokens = max(scored)
    return torch.tensor(tokens[1:]), torch.tensor(score)


def beam_numpy(step, bos, eos, beam, max_len, alpha):
    active, pool = [(np.array([bos]), 0.0)], []
    for length in range(1, max_len + 1):
        log_p = step(torch.from_numpy(np.stack([y for y, _ in active]))).numpy().astype(np.float64)
        total = log_p + np.array([[s] for _, s in active])
        order = np.argsort(-total, axis=None)[:beam]
        grown = [
            (np.append(active[i][0], w), total[i, w])
            for i, w in zip(*np.unravel_index(order, total.shape), strict=True)
        ]
        pool += [(s / length**alpha, y[1:].tolist()) for y, s in grown if y[-1] == eos or length == max_len]
        active = [(y, s) for y, s in grown if y[-1] != eos]
        if not active:
            break
    best = max(pool, key=lambda entry: entry[0])
    return best[1], best[0]


def beam_normalises_again(step, bos, eos, beam, max_len, alpha):
    """log_softmax of log-probabilities changes nothing; the ranking inside one length is that of the normalised."""
    return beam_lists(lambda prefix: torch.log_softmax(step(prefix), -1), bos, eos, beam, max_len, alpha)


def beam_per_hypothesis(step, bos, eos, beam, max_len, alpha):
    active, done = [([], 0.0)], []
    for _ in range(max_len):
        grown = []
        for words, score in active:
            log_p = step(torch.tensor([[bos, *words]]))[0]
            top = log_p.topk(min(beam, len(log_p)))
            grown += [([*words, int(w)], score + float(p)) for p, w in zip(*top, strict=True)]
        grown = sorted(grown, key=lambda c: -c[1])[:beam]
        active = []
        for words, score in grown:
            (done if words[-1] == eos else active).append((words, score))
        if not active:
            break
    return max(
        ((words, score / len(words) ** alpha) for words, score in done + active), key=lambda candidate: candidate[1]
    )


def beam_class(step, bos, eos, beam, max_len, alpha):
    class Hypothesis:
        def __init__(self, tokens, logp):
            self.tokens, self.logp = tokens, logp

        @property
        def score(self):
            return self.logp / pow(len(self.tokens), alpha)

    active, ended = [Hypothesis([], torch.tensor(0.0))], []
    t = 0
    while t < max_len and active:
        log_p = step(torch.tensor([[bos, *h.tokens] for h in active]))
        candidates = [
            Hypothesis([*h.tokens, w], h.logp + log_p[i, w]) for i, h in enumerate(active) for w in range(log_p.size(1))
        ]
        kept = sorted(candidates, key=lambda h: h.logp, reverse=True)[:beam]
        ended += [h for h in kept if h.tokens[-1] == eos]
        active = [h for h in kept if h.tokens[-1] != eos]
        t += 1
    best = max(ended + active, key=lambda h: h.score)
    return torch.tensor(best.tokens), best.score


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
    return tokens[1:], score / (len(tokens) - 1) ** alpha


BEAM = [value for name, value in list(globals().items()) if name.startswith("beam_")]

RIGHT = {
    "encoder_decoder.last_states": STATES,
    "encoder_decoder.greedy_decode": GREEDY,
    "encoder_decoder.beam_search": BEAM,
}
