"""Numbers by hand, and the bug hunt of several heads: scores divided by √d, where a head compares d/h features."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from autograder.checks import FAR, CaseInput, Check, Hunt, Points, by_hand
from autograder.checks.random_inputs import Rng, normal
from exercises.transformer.layers import HEADS, LARGE
from solutions.transformer.attention import multi_head_attention

Matrix = Float[Tensor, "d_model d_model"]


def heads_by_hand() -> tuple[list[float], list[float]]:
    """Return out of the two heads, two numbers, then the normalised vector, four numbers."""
    out = [9.0 - 7.0, 7.0]  # the heads give 9 and 7
    return out, [-(3**-0.5)] * 3 + [3**0.5]


def through(own, x, W_q, W_k, W_v, W_o, heads):
    """Call a multi-head attention that takes its parameters in a dictionary: here all biases are 0."""
    params = {"W_q": W_q, "W_k": W_k, "W_v": W_v, "W_o": W_o}
    params |= {name.replace("W", "b"): torch.zeros(x.shape[-1]) for name in params}
    return own(x, x, x, params, heads, None)


def plain_heads(
    x: Float[Tensor, "batch length d_model"], W_q: Matrix, W_k: Matrix, W_v: Matrix, W_o: Matrix, heads: int
) -> tuple[Float[Tensor, "batch length d_model"], Float[Tensor, "batch heads length length"]]:
    """Return multi-head self-attention without biases, and its weights: the right result of `broken_heads`."""
    return through(multi_head_attention, x, W_q, W_k, W_v, W_o, heads)


def failing_input():
    """Return arguments on which `broken_heads` is wrong: x, W_q, W_k, W_v, W_o, heads."""
    one = torch.eye(2)
    # Two heads of one feature: nothing is to be divided.
    return torch.tensor([[[2.0, 0.0], [0.0, 2.0]]]), one, one, one, one, 2


def diagnosis():
    """Return the number of the line that is wrong, and the letter of its kind."""
    return 6, "c"


def repaired_heads(x, W_q, W_k, W_v, W_o, heads):
    """Return the right result: this is `broken_heads` with one statement changed."""
    batch, length, width = x.shape
    q = (x @ W_q.T).view(batch, length, heads, -1).transpose(1, 2)
    k = (x @ W_k.T).view(batch, length, heads, -1).transpose(1, 2)
    v = (x @ W_v.T).view(batch, length, heads, -1).transpose(1, 2)
    scores = torch.einsum("bhtc,bhsc->bhts", q, k) / (width / heads) ** 0.5
    weights = scores.softmax(dim=-1)
    context = torch.einsum("bhts,bhsc->bthc", weights, v)
    out = context.reshape(batch, length, width) @ W_o.T
    return out, weights


SEVERAL, ALONE = "several heads", "one head, one position"  # groups of cases


def plain_arguments(rng: Rng, sizes: Sequence[int], scale: float = 1.0) -> list:
    """Return x, W_q, W_k, W_v, W_o and heads for sizes B, T, d, h."""
    B, T, d, h = sizes
    return [normal(rng, B, T, d, scale=scale), *(normal(rng, d, d, scale=d**-0.5) for _ in "qkvo"), h]


def plain_cases(rng: Rng) -> list[CaseInput]:
    """Draw heads without biases: one head, one position, equal sizes, scores of every size."""
    return [
        CaseInput("all sizes different", plain_arguments(rng, (3, 5, 6, 2)), SEVERAL, [HEADS], gradients=True),
        CaseInput("one sentence", plain_arguments(rng, (1, 4, 12, 6), scale=2.0), SEVERAL, [HEADS], gradients=True),
        CaseInput("equal sizes", plain_arguments(rng, (4, 4, 4, 4), scale=2.0), SEVERAL, [HEADS]),
        CaseInput("one head", plain_arguments(rng, (2, 5, 3, 1)), ALONE),
        CaseInput("one position", plain_arguments(rng, (5, 1, 8, 2)), ALONE, [HEADS]),
        CaseInput("scores far from 0", plain_arguments(rng, (2, 3, 8, 4), scale=12.0), FAR, [HEADS, LARGE]),
    ]


BY_HAND = by_hand(heads_by_hand, {"out": "out of the two heads", "norm": "the normalised vector"})

# What students repair takes no dictionary and no mask: its right answer is that of their multi_head_attention.
PLAIN = Check(plain_heads, ("out", "weights"), plain_cases, points={SEVERAL: 1, ALONE: 1, FAR: 1})

HUNT = Hunt(
    PLAIN,
    repaired_heads,
    failing_input,
    diagnosis,
    bug="(width / heads) ** 0.5 => width**0.5",
    points={"out and the weights": Points(4, (SEVERAL, ALONE)), FAR: 1},
    ranges={"heads": (1, "d_model")},
    own="multi_head_attention",
    through=through,
)
