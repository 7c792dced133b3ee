"""Emil finished the first exercise of each, and began the second."""

import torch

EXPECTED = {
    "bahdanau.masked_softmax": ("all", []),
    "bahdanau.additive_attention": ("some", []),
    "bahdanau.repaired_attention": ("none", []),
    "encoder_decoder.last_states": ("all", []),
    "encoder_decoder.greedy_decode": ("none", []),
}


def masked_softmax(scores, mask=None):
    if mask is None:
        return torch.softmax(scores, -1)
    return torch.nan_to_num(scores.masked_fill(~mask, float("-inf")).softmax(-1))


def additive_attention(query, keys, values, W_q, W_k, v, mask=None):
    if mask is not None:
        raise NotImplementedError("the mask comes tomorrow")
    weights = masked_softmax(torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T) @ v)
    return (weights.unsqueeze(-1) * values).sum(1), weights


def last_states(outputs, lengths):
    units = outputs.shape[-1] // 2
    return torch.cat([outputs[torch.arange(len(lengths)), lengths - 1, :units], outputs[:, 0, units:]], -1)
