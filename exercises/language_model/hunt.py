"""Numbers by hand, and the bug hunt of a text that is read in pieces: its causal mask forgets what is in the cache."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from autograder.checks import FAR, CaseInput, Check, Hunt, Points, by_hand
from autograder.checks.random_inputs import Rng, normal
from solutions.language_model.attention import grouped_query_attention

New = Float[Tensor, "batch heads new head_dim"]
Past = Float[Tensor, "batch heads past head_dim"]


def mean_and_rotation_by_hand() -> tuple[list[float], list[float]]:
    """Return the four means, then the turned vector, four numbers."""
    cos, sin = (math.cos(1), math.cos(0.1)), (math.sin(1), math.sin(0.1))
    return [6.0, 4.0, 3.0, 4.0], [3 * cos[0], cos[1] - 2 * sin[1], 3 * sin[0], sin[1] + 2 * cos[1]]


def through(own, query, key, value, past_key, past_value):
    """Call a grouped-query attention that takes keys and values of past and new positions together."""
    return own(query, torch.cat([past_key, key], dim=2), torch.cat([past_value, value], dim=2), None)


def continuation(
    query: New, key: New, value: New, past_key: Past, past_value: Past
) -> tuple[New, Float[Tensor, "batch heads new source"]]:
    """Return causal attention of new positions to those in the cache and to themselves, and its weights."""
    return through(grouped_query_attention, query, key, value, past_key, past_value)


def failing_input():
    """Return arguments on which `broken_continuation` is wrong: query, key, value, past_key, past_value."""
    one, zero = torch.ones(1, 1, 1, 1), torch.zeros(1, 1, 1, 1)
    # One new position behind one: it sees itself as well.
    return one, one, one, zero, zero


def diagnosis():
    """Return the number of the line that is wrong, and the letter of its kind."""
    return 5, "b"


def repaired_continuation(query, key, value, past_key, past_value):
    """Return the right result: this is `broken_continuation` with one statement changed."""
    keys = torch.cat([past_key, key], dim=2)
    values = torch.cat([past_value, value], dim=2)
    scores = query @ keys.transpose(2, 3) / query.shape[-1] ** 0.5
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(past_key.shape[2])
    scores = scores.masked_fill(~seen, -torch.inf)
    weights = scores.softmax(dim=-1)
    return weights @ values, weights


BEHIND, ONE = "several new positions", "one new position"  # groups of cases


def continued(rng: Rng, sizes: Sequence[int], name: str, group: str, gradients: bool = False) -> CaseInput:
    """Return a case for sizes B, heads, new, past, head_dim."""
    B, heads, new, past, width = sizes
    arguments = [normal(rng, B, heads, length, width) for length in (new, new, new, past, past)]
    if group == FAR:
        arguments[0][..., 0], arguments[1][..., 0], arguments[3][..., 0] = width**0.5, -100, -100
    return CaseInput(name, arguments, group, [], gradients)


def continued_cases(rng: Rng) -> list[CaseInput]:
    """Draw new positions, fewer and more than those in the cache; one alone; scores far from 0."""
    return [
        continued(rng, (3, 2, 4, 6, 5), "four behind six", BEHIND, gradients=True),
        continued(rng, (2, 4, 5, 3, 6), "five behind three", BEHIND),
        continued(rng, (7, 3, 4, 1, 2), "four behind one, many texts", BEHIND),
        continued(rng, (3, 3, 3, 3, 3), "equal sizes", BEHIND),
        continued(rng, (3, 2, 1, 5, 4), "one behind five", ONE, gradients=True),
        continued(rng, (1, 2, 1, 1, 4), "one behind one", ONE),
        continued(rng, (2, 3, 3, 5, 4), "scores around -100", FAR),
    ]


BY_HAND = by_hand(mean_and_rotation_by_hand, {"means": "the four means", "turned": "the turned vector"}, points=2)

# What students repair has as many key–value heads as heads and no padding: its right answer is that of their attention.
PLAIN = Check(continuation, ("context", "weights"), continued_cases, points={BEHIND: 1, ONE: 1, FAR: 1})

HUNT = Hunt(
    PLAIN,
    repaired_continuation,
    failing_input,
    diagnosis,
    bug="tril(past_key.shape[2]) => tril()",
    points={"the context and the weights": Points(3, (BEHIND, ONE)), FAR: 1},
    own="grouped_query_attention",
    through=through,
)
