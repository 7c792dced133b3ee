"""Random arguments that the checks of several names share: numbers, lengths, masks."""

import numpy as np

Rng = np.random.Generator
HALF = 0.5  # tanh, ReLU and sigmoid of it are of one size: a wrong one is as exact, and is recognised


def normal(rng: Rng, *shape: int, scale: float = 1.0) -> np.ndarray:
    """Return float32 numbers, normally distributed."""
    return (scale * rng.normal(size=shape)).astype(np.float32)


def lengths(rng: Rng, batch: int, longest: int) -> np.ndarray:
    """Return true lengths, not sorted, one of them 1 and, in a batch of three or more, one of them the longest."""
    while True:
        drawn = rng.integers(2, longest + 1, size=batch)
        drawn[rng.integers(batch)] = longest if batch > 2 else drawn[0]
        drawn[rng.choice(np.flatnonzero(drawn < longest)) if (drawn < longest).any() else 0] = 1
        rises, falls = np.any(np.diff(drawn) > 0), np.any(np.diff(drawn) < 0)
        if batch < 3 or (rises and falls and drawn.max() == longest and 1 < drawn[0] < longest):
            return drawn.astype(np.int64)


def padding(rng: Rng, batch: int, longest: int) -> np.ndarray:
    """Return the mask (batch, longest) of sentences padded at their end."""
    return np.arange(longest) < lengths(rng, batch, longest)[:, None]


def longest_first(rng: Rng, batch: int, longest: int) -> np.ndarray:
    """Return the mask (batch, longest) of sentences sorted by length: the first one is full."""
    return np.arange(longest) < np.sort(lengths(rng, batch, longest))[::-1, None]


def gaps(rng: Rng, *shape: int) -> np.ndarray:
    """Return a mask with holes anywhere: every row loses a position, the last row its first, and keeps two if it can.

    A row that kept one alone would have the weight 1 there, whatever its score.
    """
    mask = rng.random(shape) < 0.6
    rows = mask.reshape(-1, shape[-1])
    for row in rows:
        kept, lost = rng.choice(shape[-1], size=2, replace=False)
        row[kept], row[lost] = True, False
        if row.sum() == 1 and len(row) > 2:
            row[min({0, 1, 2} - {kept, lost})] = True
    rows[-1] = np.roll(rows[-1], -rows[-1].argmin())
    return mask


def places(mask: np.ndarray) -> np.ndarray:
    """Return numbers from 0 to 1 that rise along each row, those where the mask is False above all others."""
    return (np.arange(mask.shape[-1]) + mask.shape[-1] * ~mask) / (2 * mask.shape[-1])


def far_below(mask: np.ndarray) -> np.ndarray:
    """Return scores of -200,000 and less, lower along each row, and lower still where the mask is False.

    Any fill above them, -10,000 or -100,000, gets all the weight. They are hundreds apart, so that the first to be
    attended to has the weight 1, and nothing depends on the 1/64 to which float32 rounds them.
    """
    return (-200_000 * (1 + places(mask) / 10)).astype(np.float32)


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return the softmax along the last axis, in double precision."""
    exp = np.exp(scores.astype(np.float64) - scores.max(axis=-1, keepdims=True))
    return exp / exp.sum(axis=-1, keepdims=True)


def weights(rng: Rng, *sizes: int, mask: np.ndarray | None = None, spread: float = 1.5) -> np.ndarray:
    """Return weights (batch, queries, source) whose rows add up to 1 over the real positions."""
    grown = np.exp(spread * rng.normal(size=sizes)) * (1 if mask is None else mask[:, None])
    return (grown / grown.sum(axis=2, keepdims=True)).astype(np.float32)


def some_positions(rng: Rng, count: int) -> np.ndarray:
    """Return positions in no order, with gaps, and none of them small."""
    return 5 + rng.permutation(40)[:count]
