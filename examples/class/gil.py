"""Gil multiplies the scores by the mask, and repairs nothing."""

import torch

EXPECTED = {
    "bahdanau.masked_softmax": ("some", ["scores_times_mask"]),
    "bahdanau.repaired_attention": ("some", ["scores_times_mask"]),
}


def masked_softmax(scores, mask=None):
    return scores.softmax(-1) if mask is None else (scores * mask).softmax(-1)


def repaired_attention(query, keys, values, W_q, W_k, v, mask=None):
    scores = torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T) @ v
    if mask is not None:
        scores = scores * mask.float()
    weights = torch.softmax(scores, dim=-1)
    return (weights[:, :, None] * values).sum(dim=1), weights
