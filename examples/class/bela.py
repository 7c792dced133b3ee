"""Béla thinks in loops, one number after the other."""

import math

import torch

EXPECTED = {
    "bahdanau.masked_softmax": ("all", []),
    "bahdanau.additive_attention": ("all", []),
    "bahdanau.links_of": ("all", []),
    "bahdanau.failing_input": ("all", []),
    "bahdanau.diagnosis": ("all", []),
    "bahdanau.repaired_attention": ("all", []),
    "encoder_decoder.last_states": ("all", []),
    "encoder_decoder.greedy_decode": ("all", []),
    "encoder_decoder.beam_search": ("all", []),
}


def masked_softmax(scores, mask=None):
    rows = scores.reshape(-1, scores.shape[-1])
    kept = torch.ones_like(rows, dtype=torch.bool) if mask is None else mask.reshape(rows.shape)
    result = []
    for row, keep in zip(rows, kept, strict=True):
        weights = torch.zeros_like(row)
        if keep.any():
            weights = torch.zeros_like(row).masked_scatter(keep, row[keep].softmax(0))
        result.append(weights)
    return torch.stack(result).reshape(scores.shape)


def additive_attention(query, keys, values, W_q, W_k, v, mask=None):
    contexts, all_weights = [], []
    for b in range(len(query)):
        scores = [v @ torch.tanh(W_q @ query[b] + W_k @ key) for key in keys[b]]
        weights = masked_softmax(torch.stack(scores), None if mask is None else mask[b])
        context = torch.zeros_like(values[b, 0])
        for weight, value in zip(weights, values[b], strict=True):
            context = context + weight * value
        contexts.append(context)
        all_weights.append(weights)
    return torch.stack(contexts), torch.stack(all_weights)


def links_of(weights, threshold):
    links = set()
    for t, row in enumerate(weights.tolist()):
        for s, weight in enumerate(row):
            if s == row.index(max(row)) if threshold is None else weight >= threshold:
                links.add((t, s))
    return links


def failing_input():
    torch.manual_seed(0)
    matrices = torch.randn(4, 2), torch.randn(4, 3), torch.randn(4)
    return torch.randn(2, 2), torch.randn(2, 5, 3), torch.randn(2, 5, 6), *matrices, None


def diagnosis():
    return 7, "a"


def repaired_attention(query, keys, values, W_q, W_k, v, mask=None):
    asked = query @ W_q.T
    offered = keys.transpose(0, 1) @ W_k.T
    scores = torch.tanh(asked + offered) @ v
    if mask is not None:
        scores = scores.masked_fill(~mask.T, -1e9)
    weights = torch.softmax(scores, dim=-2)  # (S, B)
    context = torch.einsum("sb,bsd->bd", weights, values)
    return context, weights.T


def last_states(outputs, lengths):
    units = outputs.shape[2] // 2
    rows = []
    for row, length in zip(outputs, lengths.tolist(), strict=True):
        rows.append(torch.cat([row[length - 1, :units], row[0, units:]]))
    return torch.stack(rows)


def greedy_decode(step, batch_size, bos, eos, pad, max_len):
    rows = [[bos] for _ in range(batch_size)]
    for _ in range(max_len):
        if all(eos in row for row in rows):
            break
        logits = step(torch.tensor(rows))
        for row, scores in zip(rows, logits, strict=True):
            row.append(pad if eos in row else int(scores[-1].argmax()))
    return torch.tensor([row[1:] for row in rows])


def beam_search(step, bos, eos, beam, max_len, alpha):
    active, pool = [([bos], 0.0)], []
    for _ in range(max_len):
        candidates = []
        for tokens, score in active:
            for word, log_p in enumerate(step(torch.tensor([tokens]))[0].tolist()):
                candidates.append(([*tokens, word], score + log_p))
        candidates.sort(key=lambda candidate: candidate[1], reverse=True)
        pool += [candidate for candidate in candidates[:beam] if candidate[0][-1] == eos]
        active = [candidate for candidate in candidates[:beam] if candidate[0][-1] != eos]
        if not active:
            break
    best, best_score = [], -math.inf
    for tokens, score in pool + active:
        normalised = score / (len(tokens) - 1) ** alpha
        if normalised > best_score:
            best, best_score = tokens[1:], normalised
    return best, best_score
