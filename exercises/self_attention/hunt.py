"""The bug hunt of self-attention: a mask on those who ask, where it should stand on those who answer."""

import torch

from autograder.checks import FAR, MASKED, NO_MASK, Hunt, Points
from exercises.self_attention.attention import PROJECTED


def failing_input():
    """Return arguments on which `broken_attention` is wrong: X, W_q, W_k, W_v, mask."""
    one = torch.ones(1, 1)
    # Two words, the second is padding: the first may look at itself alone.
    return torch.tensor([[[1.0], [2.0]]]), one, one, one, torch.tensor([[True, False]])


def diagnosis():
    """Return the number of the line that is wrong, and the letter of its kind."""
    return 7, "b"


def repaired_attention(X, W_q, W_k, W_v, mask=None):
    """Return the right result: this is `broken_attention` with one statement changed."""
    Q, K, V = X @ W_q.T, X @ W_k.T, X @ W_v.T
    scores = Q @ K.transpose(1, 2)
    scores = scores / K.shape[-1] ** 0.5
    if mask is not None:
        outside = ~mask
        scores = scores.masked_fill(outside[:, None], -1e9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights


HUNT = Hunt(
    PROJECTED,
    repaired_attention,
    failing_input,
    diagnosis,
    bug="outside[:, None] => outside[:, :, None]",
    points={"sentences of one length": Points(1, NO_MASK), "padded sentences": Points(3, MASKED), FAR: 1},
    # Where the rows of padding are not compared, the broken function gives what one without a mask does.
)
