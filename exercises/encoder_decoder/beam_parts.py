"""The beam search that cases are drawn with, and of which the known mistakes are edits: five times the speed."""

from collections.abc import Callable
from functools import cache, cached_property

import numpy as np
import torch

from autograder.kit.known.table_models import BeamStep, state_after

Hypothesis = tuple[float, list[int]]  # log-probability, tokens with bos
Answer = tuple[list[int], float]


class Shuffled:
    """A step whose state s has row order[s] of a table: many steps from one table, looked up without torch.

    A case is drawn again and again until it shows what it is for; to ask a step with tensors takes five times as long.
    """

    def __init__(self, table: np.ndarray, order: np.ndarray, ranked: dict[int, list[tuple[float, int]]]) -> None:
        self.table = table
        self.order = order
        self.rows = order.tolist()
        self.ranked = ranked  # row → (log-probability, token), best first; shared by all steps from this table
        self.following = _following(len(order), table.shape[1])

    @cached_property
    def step(self) -> BeamStep:
        return BeamStep(self.table[self.order].astype(np.float32))

    def __call__(self, prefix: torch.Tensor) -> torch.Tensor:
        return self.step(prefix)

    def likeliest(self, tokens: list[int]) -> list[tuple[float, int]]:
        """Return the continuations of a prefix, best first."""
        state = 0
        for token in tokens:
            state = self.following[token][state]
        row = self.rows[state]
        if row not in self.ranked:
            self.ranked[row] = sorted(((p, word) for word, p in enumerate(self.table[row].tolist())), reverse=True)
        return self.ranked[row]


@cache
def _following(count: int, vocabulary: int) -> list[list[int]]:
    """Return for each token the states that follow on each state."""
    return [[state_after(state, token, count) for state in range(count)] for token in range(vocabulary)]


def continuations(step: Callable, active: list[Hypothesis], beam: int) -> list[Hypothesis]:
    """Return the `beam` best continuations of the active hypotheses, best first."""
    if isinstance(step, Shuffled):
        every = [(score + p, tokens, word) for score, tokens in active for p, word in step.likeliest(tokens)[:beam]]
    else:
        log_p = step(torch.tensor([tokens for _, tokens in active])).tolist()
        every = [
            (score + p, tokens, word)
            for (score, tokens), row in zip(active, log_p, strict=True)
            for word, p in enumerate(row)
        ]
    return [(score, [*tokens, word]) for score, tokens, word in sorted(every, reverse=True)[:beam]]


def search(
    step: Callable,
    bos: int,
    eos: int,
    beam: int,
    max_len: int,
    *,
    grow: Callable = lambda step, active, beam, finished: continuations(step, active, beam),
    stop: Callable = lambda finished, active: False,
) -> tuple[list[Hypothesis], list[Hypothesis]]:
    """Return the finished and the remaining hypotheses of a search with these ways to grow and to stop."""
    active: list[Hypothesis] = [(0.0, [bos])]
    finished: list[Hypothesis] = []
    for _ in range(max_len):
        grown = grow(step, active, beam, finished)
        finished = finished + [h for h in grown if h[1][-1] == eos and h not in finished]
        active = [h for h in grown if h[1][-1] != eos]
        if not active or stop(finished, active):
            break
    return finished, active


def best(pool: list[Hypothesis], alpha: float, length: Callable = lambda tokens: len(tokens) - 1) -> Answer:
    """Return the best of the pool and its score, logp / length^alpha."""
    score, tokens = max((score / length(tokens) ** alpha, tokens) for score, tokens in pool)
    return tokens[1:], score


def pool(*parts: list[Hypothesis]) -> list[Hypothesis]:
    return [hypothesis for part in parts for hypothesis in part]


def searched(step: Callable, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Return the result of the right search."""
    finished, active = search(step, bos, eos, beam, max_len)
    return best(finished + active, alpha)
