"""Little language models for the decoding checks: tables of numbers that give the same step function anywhere.

The state of a prefix is a number, s_{t+1} = (a · s_t + b · y_t + c) mod M, so that every token of the prefix
counts; whole numbers leave no rounding that could turn a near tie round on another machine.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

GROWTH, SHARE, SHIFT = 5, 7, 3  # a, b and c of the recurrence


@lru_cache
def _weights(length: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a^(t - i) for token i at position t, zero where i comes after t, and a^(t + 1); all modulo count."""
    growth = np.array([pow(GROWTH, power, count) for power in range(length + 1)])
    age = np.arange(length)[None, :] - np.arange(length)[:, None]
    return np.where(age >= 0, growth[np.maximum(age, 0)], 0), growth[1:]


def states(prefix: np.ndarray, start: np.ndarray, count: int) -> np.ndarray:
    """Return the state after each token of each row, (rows, t), from the rows' states before the first token."""
    weights, growth = _weights(prefix.shape[1], count)
    return ((SHARE * prefix + SHIFT) @ weights + start[:, None] * growth) % count


def state_after(state: Any, token: Any, count: int) -> Any:
    """Return the state after one more token, each a number or an array of them."""
    return (GROWTH * state + SHARE * token + SHIFT) % count


def _tokens(prefix) -> np.ndarray:
    """Return the prefix as whole numbers (rows, t); raise an error that says what is wrong with any other."""
    tokens = torch.as_tensor(prefix).detach().cpu()
    if tokens.ndim != 2 or tokens.shape[1] == 0:
        raise ValueError(f"step expects a prefix of shape (rows, t) that begins with bos, got {tuple(tokens.shape)}")
    if tokens.is_floating_point() or tokens.dtype == torch.bool:
        raise TypeError(f"step expects whole numbers as tokens, got {tokens.dtype}")
    return tokens.numpy().astype(np.int64)


@dataclass
class GreedyStep:
    """step(prefix (B, t)) → logits (B, t, V), which depend on the row number and on the whole prefix."""

    starts: np.ndarray  # (B,) one state per row
    table: np.ndarray  # (M, V) float32

    def __call__(self, prefix: Int[Tensor, "batch prefix"]) -> Float[Tensor, "batch prefix vocabulary"]:
        tokens = _tokens(prefix)
        if len(tokens) != len(self.starts):
            raise ValueError(f"step expects all {len(self.starts)} rows of the batch, got {len(tokens)}")
        return torch.from_numpy(self.table[states(tokens, self.starts, len(self.table))])


@dataclass
class BeamStep:
    """step(prefix (N, t)) → log-probabilities (N, V) of the next token, which depend on the whole prefix."""

    table: np.ndarray  # (M, V) float32, every row a distribution

    def __call__(self, prefix: Int[Tensor, "hypotheses prefix"]) -> Float[Tensor, "hypotheses vocabulary"]:
        tokens = _tokens(prefix)
        start = np.zeros(len(tokens), dtype=np.int64)
        return torch.from_numpy(self.table[states(tokens, start, len(self.table))[:, -1]])


MOST_STEPS = 5_000  # of one call; a right decoder takes one step for each token


@dataclass
class CachedSteps:
    """Answers step(token, cache) → logits (V,), cache for one decoding, and counts how often it is asked.

    A cache is the number of the state after the tokens so far. The first is 0.
    """

    start: int
    table: np.ndarray  # (M, V) float32
    count: int = 0

    def __post_init__(self) -> None:
        self.states = [self.start]

    def answer(self, question: Any) -> dict:
        """Return the answer to a question of autograder.kit.calls.proxy, its error included."""
        self.count += 1
        if self.count > MOST_STEPS:
            text = f"step was called more than {MOST_STEPS} times: does the loop end at eos, and after max_len tokens?"
            return {"error": ["RuntimeError", text]}
        given = question.get("arguments") if isinstance(question, dict) else None
        token, cache = map(_whole, given) if isinstance(given, list) and len(given) == 2 else (None, None)
        if cache is None or not 0 <= cache < len(self.states):
            return {"error": ["ValueError", "step expects the cache that start or the step before gave"]}
        if token is None or not 0 <= token < self.table.shape[1]:
            return {"error": ["ValueError", f"step expects one token, a whole number below {self.table.shape[1]}"]}
        state = int(state_after(self.states[cache], token, len(self.table)))
        self.states.append(state)
        return {"outputs": [self.table[state], len(self.states) - 1], "several": True}


def _whole(value: Any) -> int | None:
    """Return one whole number, in an array or not, as an int; None for any other value."""
    array = np.asarray(value) if isinstance(value, int | np.ndarray | np.generic) else np.zeros(0)
    return int(array.item()) if array.size == 1 and array.dtype.kind in "iu" else None
