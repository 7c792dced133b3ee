"""The bug hunt of additive attention: a softmax along the sentences of the batch."""

import torch

from autograder.checks import FAR, MASKED, NO_MASK, Hunt, Points
from exercises.bahdanau.attention import ADDITIVE, SPECIAL


def failing_input():
    """Return arguments on which `broken_attention` is wrong: query, keys, values, W_q, W_k, v, mask."""
    one = torch.ones(1, 1)
    # One sentence of two equal words: each has weight 1/2, and a softmax over one sentence gives 1.
    return one, torch.ones(1, 2, 1), torch.ones(1, 2, 1), one, one, torch.ones(1), None


def diagnosis():
    """Return the number of the line that is wrong, and the letter of its kind."""
    return 7, "a"


def repaired_attention(query, keys, values, W_q, W_k, v, mask=None):
    """Return the right result: this is `broken_attention` with one statement changed."""
    asked = query @ W_q.T
    offered = keys.transpose(0, 1) @ W_k.T
    scores = torch.tanh(asked + offered) @ v
    if mask is not None:
        scores = scores.masked_fill(~mask.T, -1e9)
    weights = torch.softmax(scores, dim=0)
    context = torch.einsum("sb,bsd->bd", weights, values)
    return context, weights.T


HUNT = Hunt(
    ADDITIVE,
    repaired_attention,
    failing_input,
    diagnosis,
    bug="torch.softmax(scores, dim=0) => torch.softmax(scores, dim=-1)",
    points={
        "sentences with padding": Points(3, (MASKED, SPECIAL)),
        "sentences without padding": Points(2, NO_MASK),
        FAR: 1,
    },
)
