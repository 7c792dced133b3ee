"""Omar did the third notebook, in his own words."""

import torch

ANSWERS = {
    "who_asks": """(a) Bahdanau's state before the step asks, and what it finds helps to make the new one. Luong's new
state asks. (b) Nothing that attention finds goes back, so all states can be had first. With input feeding each step
needs the one before it. (c) Where the decoder looked when it said the last word.""",
}
EXPECTED = {
    "luong.dot_score": ("all", []),
    "luong.general_score": ("all", []),
    "luong.concat_score": ("all", []),
    "luong.attentional_state": ("all", []),
    "luong.local_p_weights": ("all", []),
    "luong.input_feeding": ("all", []),
    "luong.failing_input": ("all", []),
    "luong.diagnosis": ("all", []),
    "luong.repaired_weights": ("all", []),
}


def dot_score(h_t, h_s):
    return torch.einsum("bth,bsh->bts", h_t, h_s)


def general_score(h_t, h_s, W_a):
    return torch.einsum("bth,he,bse->bts", h_t, W_a, h_s)


def concat_score(h_t, h_s, W_a, v_a):
    pairs = torch.cat(
        [h_t[:, :, None].expand(-1, -1, h_s.shape[1], -1), h_s[:, None].expand(-1, h_t.shape[1], -1, -1)], dim=-1
    )
    return torch.tanh(pairs @ W_a.T) @ v_a


def attentional_state(h_t, h_s, W_a, W_c, mask=None):
    scores = torch.einsum("bh,he,bse->bs", h_t, W_a, h_s)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    context = (weights.unsqueeze(-1) * h_s).sum(1)
    return torch.tanh(torch.cat([context, h_t], -1) @ W_c.T), weights


def local_p_weights(h_t, h_s, W_a, W_p, v_p, lengths, D):
    p = lengths * torch.sigmoid(torch.tanh(h_t @ W_p.T) @ v_p)
    s = torch.arange(h_s.shape[1])
    distance = s - p[:, None]
    seen = (distance.abs() <= D) & (s < lengths[:, None])
    scores = torch.einsum("bh,he,bse->bs", h_t, W_a, h_s).masked_fill(~seen, float("-inf"))
    # A window that no position lies in would be 0 / 0.
    align = torch.nan_to_num(scores.softmax(-1))
    return align * torch.exp(-2 * (distance / D) ** 2), p


def input_feeding(emb, h0, enc, W_x, W_h, W_c, mask=None):
    h, fed, states, looks = h0, torch.zeros_like(h0), [], []
    for t in range(emb.shape[1]):
        h = torch.tanh(torch.cat([emb[:, t], fed], 1) @ W_x.T + h @ W_h.T)
        scores = (enc @ h.unsqueeze(-1)).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        looks.append(scores.softmax(-1))
        context = (looks[-1].unsqueeze(1) @ enc).squeeze(1)
        fed = torch.tanh(torch.cat([context, h], 1) @ W_c.T)
        states.append(fed)
    return torch.stack(states, 1), torch.stack(looks, 1)


def failing_input():
    torch.manual_seed(0)
    lengths = torch.tensor([9, 5, 7])
    return torch.randn(3, 4), torch.randn(3, 9, 4), torch.randn(4, 4), torch.randn(2, 4), torch.randn(2), lengths, 1.5


def diagnosis():
    return 8, "b"


def repaired_weights(h_t, h_s, W_a, W_p, v_p, lengths, D):
    p = lengths * torch.sigmoid(torch.tanh(h_t @ W_p.T) @ v_p)
    s = torch.arange(h_s.shape[1])
    distance = s - p[:, None]
    real = s < lengths[:, None]
    near = real & (distance.abs() <= D)
    scores = torch.einsum("bh,hk,bsk->bs", h_t, W_a, h_s)
    # The softmax has to be over the window, so that its weights sum to 1 there.
    align = torch.softmax(scores.masked_fill(~near, -1e9), dim=-1)
    bell = torch.exp(-(distance**2) / (2 * (D / 2) ** 2))
    return near * align * bell, p
