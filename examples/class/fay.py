"""Fay masks after the softmax, and does not see what that does to the sum."""

import torch

EXPECTED = {
    "bahdanau.masked_softmax": ("some", ["mask_after_softmax"]),
    "bahdanau.additive_attention": ("all", []),
}


def masked_softmax(scores, mask=None):
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    return weights


def additive_attention(query, keys, values, W_q, W_k, v, mask=None):
    weights = masked_softmax(torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T) @ v, mask)
    return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights
