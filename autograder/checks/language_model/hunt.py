"""Numbers by hand, and the bug hunt of a text that is read in pieces: its causal mask forgets what is in the cache."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from solutions.language_model.attention import grouped_query_attention

New = Float[Tensor, "batch heads new head_dim"]
Past = Float[Tensor, "batch heads past head_dim"]


def mean_and_rotation_by_hand() -> tuple[list[float], list[float]]:
    """Return the four means, then the turned vector, four numbers."""
    cos, sin = (math.cos(1), math.cos(0.1)), (math.sin(1), math.sin(0.1))
    return [6.0, 4.0, 3.0, 4.0], [3 * cos[0], cos[1] - 2 * sin[1], 3 * sin[0], sin[1] + 2 * cos[1]]


def through(own, query, key, value, past_key, past_value):
    """Return what a grouped-query attention gives that takes keys and values of past and new positions together."""
    return own(query, torch.cat([past_key, key], dim=2), torch.cat([past_value, value], dim=2), None)


def continuation(
    query: New, key: New, value: New, past_key: Past, past_value: Past
) -> tuple[New, Float[Tensor, "batch heads new source"]]:
    """Return causal attention of new positions to those in the cache and to themselves, and its weights."""
    return through(grouped_query_attention, query, key, value, past_key, past_value)


def broken_continuation(query, key, value, past_key, past_value):
    """The triangle begins at the first key. The new positions stand behind the past: they see all of it."""
    keys = torch.cat([past_key, key], dim=2)
    values = torch.cat([past_value, value], dim=2)
    scores = query @ keys.transpose(2, 3) / query.shape[-1] ** 0.5
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    scores = scores.masked_fill(~seen, -torch.inf)
    weights = scores.softmax(dim=-1)
    return weights @ values, weights


def failing_input():
    """Return arguments on which `broken_continuation` is wrong: query, key, value, past_key, past_value."""
    one, zero = torch.ones(1, 1, 1, 1), torch.zeros(1, 1, 1, 1)
    # One new position behind one: it sees itself as well.
    return one, one, one, zero, zero


def diagnosis():
    """Return the number of the line that is wrong, and the letter of its kind."""
    return 5, "b"


def repaired_continuation(query, key, value, past_key, past_value):
    """Return what `broken_continuation` should return: one statement is another, the rest is as it was."""
    keys = torch.cat([past_key, key], dim=2)
    values = torch.cat([past_value, value], dim=2)
    scores = query @ keys.transpose(2, 3) / query.shape[-1] ** 0.5
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(past_key.shape[2])
    scores = scores.masked_fill(~seen, -torch.inf)
    weights = scores.softmax(dim=-1)
    return weights @ values, weights
