"""Averages, solved."""

import numpy as np


def weighted_mean(numbers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the mean of each row of numbers (rows, n) by weights (n,) that need not add up to 1."""
    return numbers @ weights / weights.sum()
