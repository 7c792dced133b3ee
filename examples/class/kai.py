"""Kai's notebook crashes: an error at the top, and a cell that is no Python. The rest still counts."""

import torch

FIRST = "import seaborn_of_kai"
CELLS = {"masked_softmax": "def masked_softmax(scores, mask=None:\n    return scores.softmax(-1)"}
EXPECTED = {
    "bahdanau.masked_softmax": ("none", []),
    "bahdanau.additive_attention": ("all", []),
}


def additive_attention(query, keys, values, W_q, W_k, v, mask=None):
    scores = torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T) @ v
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    return (weights[..., None] * values).sum(1), weights
