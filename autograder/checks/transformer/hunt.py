"""Numbers by hand, and the bug hunt of several heads: scores divided by √d, where a head compares d/h features."""

import torch
from jaxtyping import Float
from torch import Tensor

from solutions.transformer.attention import multi_head_attention

Matrix = Float[Tensor, "d_model d_model"]


def heads_by_hand() -> tuple[list[float], list[float]]:
    """Return out of the two heads, two numbers, then the normalised vector, four numbers."""
    out = [9.0 - 7.0, 7.0]  # the heads give 9 and 7
    return out, [-(3**-0.5)] * 3 + [3**0.5]


def through(own, x, W_q, W_k, W_v, W_o, heads):
    """Return what a multi-head attention gives that takes its parameters in a dictionary: here all biases are 0."""
    params = {"W_q": W_q, "W_k": W_k, "W_v": W_v, "W_o": W_o}
    params |= {name.replace("W", "b"): torch.zeros(x.shape[-1]) for name in params}
    return own(x, x, x, params, heads, None)


def plain_heads(
    x: Float[Tensor, "batch length d_model"], W_q: Matrix, W_k: Matrix, W_v: Matrix, W_o: Matrix, heads: int
) -> tuple[Float[Tensor, "batch length d_model"], Float[Tensor, "batch heads length length"]]:
    """Return multi-head self-attention without biases, and its weights: what `broken_heads` should return."""
    return through(multi_head_attention, x, W_q, W_k, W_v, W_o, heads)


def broken_heads(x, W_q, W_k, W_v, W_o, heads):
    """The scores are divided by √d. A head compares d/h features: its scores are divided by √(d/h)."""
    batch, length, width = x.shape
    q = (x @ W_q.T).view(batch, length, heads, -1).transpose(1, 2)
    k = (x @ W_k.T).view(batch, length, heads, -1).transpose(1, 2)
    v = (x @ W_v.T).view(batch, length, heads, -1).transpose(1, 2)
    scores = torch.einsum("bhtc,bhsc->bhts", q, k) / width**0.5
    weights = scores.softmax(dim=-1)
    context = torch.einsum("bhts,bhsc->bthc", weights, v)
    out = context.reshape(batch, length, width) @ W_o.T
    return out, weights


def failing_input():
    """Return arguments on which `broken_heads` is wrong: x, W_q, W_k, W_v, W_o, heads."""
    one = torch.eye(2)
    # Two heads of one feature: nothing is to be divided.
    return torch.tensor([[[2.0, 0.0], [0.0, 2.0]]]), one, one, one, one, 2


def diagnosis():
    """Return the number of the line that is wrong, and the letter of its kind."""
    return 6, "c"


def repaired_heads(x, W_q, W_k, W_v, W_o, heads):
    """Return what `broken_heads` should return: one statement is another, the rest is as it was."""
    batch, length, width = x.shape
    q = (x @ W_q.T).view(batch, length, heads, -1).transpose(1, 2)
    k = (x @ W_k.T).view(batch, length, heads, -1).transpose(1, 2)
    v = (x @ W_v.T).view(batch, length, heads, -1).transpose(1, 2)
    scores = torch.einsum("bhtc,bhsc->bhts", q, k) / (width / heads) ** 0.5
    weights = scores.softmax(dim=-1)
    context = torch.einsum("bhts,bhsc->bthc", weights, v)
    out = context.reshape(batch, length, width) @ W_o.T
    return out, weights
