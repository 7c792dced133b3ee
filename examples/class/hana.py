"""Hana forgot the tanh."""

import torch

EXPECTED = {
    "bahdanau.masked_softmax": ("all", []),
    "bahdanau.additive_attention": ("some", ["no_tanh"]),
}


def masked_softmax(scores, mask=None):
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    return scores.masked_fill(~mask, -1e9).softmax(-1) * mask


def additive_attention(query, keys, values, W_q, W_k, v, mask=None):
    weights = masked_softmax(((query @ W_q.T)[:, None] + keys @ W_k.T) @ v, mask)
    return (weights.unsqueeze(-1) * values).sum(1), weights
