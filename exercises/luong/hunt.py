"""The bug hunt of local attention: a softmax that weighs the whole sentence, where it should weigh the window."""

import torch

from autograder.checks import FAR, Hunt, Points
from exercises.luong.attention import EDGES, LOCAL, SHORT, WHOLE


def failing_input():
    """Return arguments on which `broken_weights` is wrong: h_t, h_s, W_a, W_p, v_p, lengths, D."""
    zeros = torch.zeros(1, 1)
    # All scores are 0 and p is 2: the window of D = 1 holds three of the four words.
    return torch.ones(1, 1), torch.ones(1, 4, 1), zeros, zeros, torch.ones(1), torch.tensor([4]), 1.0


def diagnosis():
    """Return the number of the line that is wrong, and the letter of its kind."""
    return 8, "b"


def repaired_weights(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """Return the right result: this is `broken_weights` with one statement changed."""
    p = lengths * torch.sigmoid(torch.tanh(h_t @ W_p.T) @ v_p)
    s = torch.arange(h_s.shape[1])
    distance = s - p[:, None]
    real = s < lengths[:, None]
    near = real & (distance.abs() <= D)
    scores = torch.einsum("bh,hk,bsk->bs", h_t, W_a, h_s)
    align = torch.softmax(scores.masked_fill(~near, -1e9), dim=-1)
    bell = torch.exp(-(distance**2) / (2 * (D / 2) ** 2))
    return near * align * bell, p


HUNT = Hunt(
    LOCAL,
    repaired_weights,
    failing_input,
    diagnosis,
    bug="~near => ~real",
    points={"weights and p": Points(4, (WHOLE, SHORT, EDGES)), FAR: 1},
    ranges={"lengths": (1, "source"), "D": (0.5, 100)},
)
