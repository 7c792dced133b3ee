"""Gil multiplies the scores by the mask, and in the bug hunt changes the statement that was right."""

import torch

EXPECTED = {
    "bahdanau.masked_softmax": ("some", ["scores_times_mask"]),
    "bahdanau.repaired_attention": ("none", []),
}


def masked_softmax(scores, mask=None):
    return scores.softmax(-1) if mask is None else (scores * mask).softmax(-1)


def repaired_attention(query, keys, values, W_q, W_k, v, mask=None):
    asked = query @ W_q.T
    offered = keys.transpose(0, 1) @ W_k.T
    scores = torch.tanh(asked + offered) @ v
    if mask is not None:
        scores = scores * mask.T
    weights = torch.softmax(scores, dim=-1)
    context = torch.einsum("sb,bsd->bd", weights, values)
    return context, weights.T
