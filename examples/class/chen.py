"""Chen writes einsum and divides at the end; in the bug hunt everything is written anew, which is no repair."""

import torch

EXPECTED = {
    "bahdanau.masked_softmax": ("all", []),
    "bahdanau.additive_attention": ("all", []),
    "bahdanau.repaired_attention": ("none", []),
    "encoder_decoder.last_states": ("all", []),
    "encoder_decoder.greedy_decode": ("all", []),
}


def masked_softmax(scores, mask=None):
    grown = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    if mask is not None:
        low = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        grown = torch.exp(low - low.max(dim=-1, keepdim=True).values) * mask
    return grown / grown.sum(dim=-1, keepdim=True).clamp_min(1e-9)


def additive_attention(query, keys, values, W_q, W_k, v, mask=None):
    hidden = torch.einsum("hq,bq->bh", W_q, query).unsqueeze(1) + torch.einsum("hk,bsk->bsh", W_k, keys)
    weights = masked_softmax(torch.einsum("bsh,h->bs", hidden.tanh(), v), mask)
    return torch.einsum("bs,bsd->bd", weights, values), weights


def repaired_attention(query, keys, values, W_q, W_k, v, mask=None):
    scores = torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T) @ v
    if mask is not None:
        scores = torch.where(mask, scores, torch.full_like(scores, -1e9))
    weights = scores.softmax(dim=-1)
    return (weights[..., None] * values).sum(dim=1), weights


def last_states(outputs, lengths):
    forward, backward = outputs.chunk(2, dim=-1)
    last = (lengths - 1).view(-1, 1, 1).expand(-1, 1, forward.shape[-1])
    return torch.cat([forward.gather(1, last).squeeze(1), backward.select(1, 0)], dim=-1)


def greedy_decode(step, batch_size, bos, eos, pad, max_len):
    tokens = torch.full((batch_size, 1), bos)
    for _ in range(max_len):
        ended = (tokens == eos).any(dim=1)
        if ended.all():
            break
        word = step(tokens)[:, -1].log_softmax(-1).max(-1).indices
        tokens = torch.cat([tokens, torch.where(ended, pad, word).unsqueeze(1)], dim=1)
    return tokens[:, 1:]
