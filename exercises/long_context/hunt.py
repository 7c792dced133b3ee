"""Numbers by hand, and the bug hunt of a text that is read in chunks: the window ends where the chunk says."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from autograder.checks import FAR, CaseInput, Check, Hunt, Points, by_hand
from autograder.checks.random_inputs import Rng, normal
from solutions.long_context.attention import sliding_window

Keys = Float[Tensor, "batch length key_dim"]
Values = Float[Tensor, "batch length value_dim"]


def merge_by_hand() -> tuple[list[float], list[float], list[float]]:
    """Return m, l and o of the first part, then of the second, then of both together and the context: four numbers."""
    first = [1.0, 1 + math.exp(-1), 4 + 6 * math.exp(-1)]
    second = [3.0, 1 + math.exp(-2), 2 + 8 * math.exp(-2)]
    l, o = (math.exp(-2) * first[i] + second[i] for i in (1, 2))
    return first, second, [3.0, l, o, o / l]


def through(own, query, key, value, window, chunk):
    """Call attention to a window on all positions at once: the size of a chunk changes nothing."""
    return own(query, key, value, window)


def chunks(query: Keys, key: Keys, value: Values, window: int, chunk: int) -> Values:
    """Return causal attention to the last `window` positions, one's own included."""
    return through(sliding_window, query, key, value, window, chunk)


def failing_input():
    """Return arguments on which `broken_chunks` is wrong: query, key, value, window, chunk."""
    one = torch.ones(1, 2, 1)
    # The second position of the chunk sees the first, which a window of one does not reach.
    return one, one, torch.tensor([[[6.0], [0.0]]]), 1, 2


def diagnosis():
    """Return the number of the line that is wrong, and the letter of its kind."""
    return 9, "b"


def repaired_chunks(query, key, value, window, chunk):
    """Return the right result: this is `broken_chunks` with one statement changed."""
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


SEVERAL, ALONE, WIDE = "chunks of several positions", "chunks of one position", "a window as long as the text"  # groups


def chunked(rng: Rng, sizes: Sequence[int], name: str, group: str, gradients: bool = False) -> CaseInput:
    """Return a case for sizes B, S, d, v, window, chunk."""
    B, S, d, v, window, chunk = sizes
    arguments = [normal(rng, B, S, d), normal(rng, B, S, d), normal(rng, B, S, v), window, chunk]
    if group == FAR:
        arguments[0][..., 0], arguments[1][..., 0] = d**0.5, -100
    return CaseInput(name, arguments, group, [], gradients)


def chunk_cases(rng: Rng) -> list[CaseInput]:
    """Draw texts in chunks: shorter and longer than the window, a last one that breaks off, one chunk for all."""
    return [
        chunked(rng, (3, 11, 4, 5, 3, 4), "chunks longer than the window", SEVERAL, gradients=True),
        chunked(rng, (2, 9, 5, 3, 4, 2), "chunks shorter than the window", SEVERAL, gradients=True),
        chunked(rng, (1, 10, 3, 4, 3, 3), "chunks as long as the window", SEVERAL),
        chunked(rng, (7, 7, 3, 6, 2, 9), "one chunk for all, as many texts as positions", SEVERAL),
        chunked(rng, (2, 8, 4, 3, 1, 3), "a window of one", SEVERAL),
        chunked(rng, (3, 8, 4, 2, 3, 1), "chunks of one", ALONE, gradients=True),
        chunked(rng, (2, 5, 3, 5, 1, 1), "chunks of one, a window of one", ALONE),
        chunked(rng, (3, 6, 4, 6, 6, 4), "a window as long as the text", WIDE),
        chunked(rng, (2, 5, 5, 4, 8, 2), "a longer one", WIDE),
        chunked(rng, (2, 9, 4, 3, 3, 4), "scores around -100", FAR),
    ]


BY_HAND = by_hand(
    merge_by_hand,
    {"first": "the first part", "second": "the second part", "merged": "both together, and the context"},
)

# What students repair has no sinks, and its chunks change nothing: its right answer is that of their window.
PLAIN = Check(chunks, ("context",), chunk_cases, points={SEVERAL: 1, ALONE: 1, WIDE: 1, FAR: 1})

HUNT = Hunt(
    PLAIN,
    repaired_chunks,
    failing_input,
    diagnosis,
    bug="source > target - window => source > start - window",
    points={"the context": Points(3, SEVERAL), "where it was right before": Points(1, (ALONE, WIDE)), FAR: 1},
    ranges={"window": (1, None), "chunk": (1, None)},
    own="sliding_window",
    through=through,
)
