"""Arguments of additive attention: ordinary ones, and ones with something extreme in them."""

import numpy as np

from autograder.checks.random_inputs import Rng, gaps, normal


def arguments(rng: Rng, sizes: tuple[int, ...], mask: np.ndarray | None) -> list:
    """Return query, keys, values, W_q, W_k, v and the mask for sizes B, S, q, k, d, h."""
    B, S, q, k, d, h = sizes
    inputs = [normal(rng, B, q), normal(rng, B, S, k), normal(rng, B, S, d)]
    weights = [normal(rng, h, q, scale=q**-0.5), normal(rng, h, k, scale=k**-0.5), normal(rng, h)]
    return [*inputs, *weights, mask]


HALF = 0.5  # tanh, ReLU and sigmoid of it are of one size: anyone who takes the wrong one is no less exact, so is named


def far_from_zero(rng: Rng) -> list:
    """Return arguments with all scores around -120: one unit is the same for every key, and v weighs it so."""
    query, keys, values, W_q, W_k, v, mask = arguments(rng, (4, 7, 5, 6, 8, 9), gaps(rng, 4, 7))
    query[:, 0] = 1
    W_q[0], W_k[0], v[0] = 0, 0, -120 / np.tanh(HALF)
    W_q[0, 0] = HALF
    return [query, keys, values, W_q, W_k, v, mask]


def far_units(rng: Rng) -> list:
    """Return arguments with projections around ±100 in one unit: tanh is ±1 there, and exp(200) no float32."""
    query, keys, values, W_q, W_k, v, mask = arguments(rng, (4, 7, 5, 6, 8, 9), gaps(rng, 4, 7))
    keys[..., 0] = rng.choice([-1, 1], size=keys.shape[:2])
    W_k[0] = 0
    W_k[0, 0] = 100
    return [query, keys, values, W_q, W_k, v, mask]


def weights_of_all_sizes(rng: Rng) -> list:
    """Return arguments whose scores are spread wide enough for weights below a thousandth."""
    query, keys, values, W_q, W_k, v, mask = arguments(rng, (3, 9, 4, 6, 7, 8), gaps(rng, 3, 9))
    return [query, keys, values, W_q, W_k, 2 * v, mask]


def padding_above(rng: Rng, mask: np.ndarray, gap: float) -> list:
    """Return arguments whose padding scores higher by about gap: one unit tells it from words, and v weighs it so."""
    query, keys, values, W_q, W_k, v, _ = arguments(rng, (*mask.shape, 5, 6, 8, 9), mask)
    keys[..., 0] = np.where(mask, -1, 1)
    W_q[0], W_k[0], v[0] = 0, 0, gap / 2 / np.tanh(HALF)
    W_k[0, 0] = HALF
    return [query, keys, values, W_q, W_k, v, mask]
