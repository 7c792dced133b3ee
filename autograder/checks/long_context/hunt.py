"""Numbers by hand, and the bug hunt of a text that is read in chunks: the window ends where the chunk says."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from solutions.long_context.attention import sliding_window

Keys = Float[Tensor, "batch length key_dim"]
Values = Float[Tensor, "batch length value_dim"]


def merge_by_hand() -> tuple[list[float], list[float], list[float]]:
    """Return m, l and o of the first part, then of the second, then of both together and the context: four numbers."""
    first = [1.0, 1 + math.exp(-1), 4 + 6 * math.exp(-1)]
    second = [3.0, 1 + math.exp(-2), 2 + 8 * math.exp(-2)]
    l, o = (math.exp(-2) * first[i] + second[i] for i in (1, 2))  # noqa: E741 - the paper's name
    return first, second, [3.0, l, o, o / l]


def through(own, query, key, value, window, chunk):
    """Return what attention to a window gives, all positions at once: the size of a chunk changes nothing."""
    return own(query, key, value, window)


def chunks(query: Keys, key: Keys, value: Values, window: int, chunk: int) -> Values:
    """Return causal attention to the last `window` positions, one's own included."""
    return through(sliding_window, query, key, value, window, chunk)


def broken_chunks(query, key, value, window, chunk):
    """The window is that of the chunk's first position, for all in the chunk. Each position has a window of its own."""
    contexts = []
    for start in range(0, query.shape[1], chunk):
        end = start + chunk
        first = max(0, start - window + 1)
        q, k, v = query[:, start:end], key[:, first:end], value[:, first:end]
        target = torch.arange(start, start + q.shape[1])[:, None]
        source = torch.arange(first, first + k.shape[1])
        seen = (source <= target) & (source > start - window)
        scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
        weights = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1)
        contexts.append(weights @ v)
    return torch.cat(contexts, dim=1)


def failing_input():
    """Return arguments on which `broken_chunks` is wrong: query, key, value, window, chunk."""
    one = torch.ones(1, 2, 1)
    # The second position of the chunk sees the first, which a window of one does not reach.
    return one, one, torch.tensor([[[6.0], [0.0]]]), 1, 2


def diagnosis():
    """Return the number of the line that is wrong, and the letter of its kind."""
    return 9, "b"


def repaired_chunks(query, key, value, window, chunk):
    """Return what `broken_chunks` should return: one statement is another, the rest is as it was."""
    contexts = []
    for start in range(0, query.shape[1], chunk):
        end = start + chunk
        first = max(0, start - window + 1)
        q, k, v = query[:, start:end], key[:, first:end], value[:, first:end]
        target = torch.arange(start, start + q.shape[1])[:, None]
        source = torch.arange(first, first + k.shape[1])
        seen = (source <= target) & (source > target - window)
        scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
        weights = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1)
        contexts.append(weights @ v)
    return torch.cat(contexts, dim=1)
