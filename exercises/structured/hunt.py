"""The bug hunt of structured self-attention: scores that are put into another shape, where axes should be exchanged."""

import torch

from autograder.checks import FAR, MASKED, NO_MASK, Hunt, Points
from exercises.structured.hops import ATTENTION


def failing_input():
    """Return arguments on which `broken_attention` is wrong: H, W_s1, W_s2, mask."""
    two_words, two_hops = torch.tensor([[[0.0], [1.0]]]), torch.tensor([[1.0], [0.0]])
    return two_words, torch.ones(1, 1), two_hops, None  # hop 2 has no scores but 0: its weights should be equal


def diagnosis():
    """Return the number of the line that is wrong, and the letter of its kind."""
    return 6, "e"


def repaired_attention(H, W_s1, W_s2, mask=None):
    """Return the right result: this is `broken_attention` with one statement changed."""
    batch, words, width = H.shape
    states = H.reshape(batch * words, width)
    hidden = torch.tanh(states @ W_s1.T)
    scores = hidden @ W_s2.T
    scores = scores.reshape(batch, words, -1).transpose(1, 2)
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None], -1e9)
    A = torch.softmax(scores, dim=-1)
    difference = torch.bmm(A, A.transpose(1, 2)) - torch.eye(len(W_s2))
    return torch.bmm(A, H), A, (difference**2).sum(dim=(1, 2))


HUNT = Hunt(
    ATTENTION,
    repaired_attention,
    failing_input,
    diagnosis,
    bug="reshape(batch, words, -1).transpose(1, 2) => reshape(batch, -1, words)",
    points={"several hops": Points(4, (NO_MASK, MASKED)), "one hop, as before": Points(1, "one hop"), FAR: 1},
)
