"""Petra joins state and context in the wrong order, and her decoder is never told where it looked.

In the bug hunt her window is too wide to show anything, she names the line without its kind, and repairs nothing.
"""

import torch

EXPECTED = {
    "luong.dot_score": ("all", []),
    "luong.general_score": ("all", []),
    "luong.concat_score": ("none", []),
    "luong.attentional_state": ("some", ["concatenated_the_other_way"]),
    "luong.local_p_weights": ("none", []),
    "luong.input_feeding": ("some", ["nothing_fed"]),
    "luong.failing_input": ("none", []),
    "luong.diagnosis": ("some", []),
    "luong.repaired_weights": ("none", []),
}


def dot_score(h_t, h_s):
    return h_t @ h_s.mT


def general_score(h_t, h_s, W_a):
    return dot_score(h_t @ W_a, h_s)


def attentional_state(h_t, h_s, W_a, W_c, mask=None):
    scores = general_score(h_t[:, None], h_s, W_a)[:, 0]
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    context = (weights[:, None] @ h_s)[:, 0]
    return torch.tanh(torch.cat([h_t, context], -1) @ W_c.T), weights


def input_feeding(emb, h0, enc, W_x, W_h, W_c, mask=None):
    h, nothing, states, looks = h0, torch.zeros_like(h0), [], []
    for word in emb.unbind(1):
        h = torch.tanh(torch.cat([word, nothing], -1) @ W_x.T + h @ W_h.T)
        scores = dot_score(h[:, None], enc)[:, 0]
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        looks.append(scores.softmax(-1))
        states.append(torch.tanh(torch.cat([(looks[-1][:, None] @ enc)[:, 0], h], -1) @ W_c.T))
    return torch.stack(states, 1), torch.stack(looks, 1)


def failing_input():
    zeros = torch.zeros(1, 1)
    return torch.ones(1, 1), torch.ones(1, 4, 1), zeros, zeros, torch.ones(1), torch.tensor([4]), 10


def diagnosis():
    return 8, "a"
