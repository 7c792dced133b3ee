"""A beam search in parts, so that a known mistake can take one wrong decision and leave the rest."""

from collections.abc import Callable
from heapq import nlargest

import torch

Hypothesis = tuple[float, list[int]]  # log-probability, tokens with bos
Answer = tuple[list[int], float]


def continuations(step: Callable, active: list[Hypothesis], beam: int) -> list[Hypothesis]:
    """Return the `beam` best continuations of the active hypotheses, best first."""
    log_p = step(torch.tensor([tokens for _, tokens in active])).tolist()
    every = [
        (score + p, tokens, word)
        for (score, tokens), row in zip(active, log_p, strict=True)
        for word, p in enumerate(row)
    ]
    return [(score, [*tokens, word]) for score, tokens, word in nlargest(beam, every)]


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
