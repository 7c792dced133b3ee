"""How the checks call what is no function from tensors to tensors: sets of links, a step with a cell of its own."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograder.kit.calls.adapters import not_a_set


def with_tanh_cell(  # noqa: PLR0913 — the student's arguments
    function: Callable,
    word: Tensor,
    state: Tensor,
    annotations: Tensor,
    projected: Tensor,
    W_q: Tensor,
    v: Tensor,
    W_x: Tensor,
    W_h: Tensor,
    mask: Tensor | None,
) -> Any:
    """Return the outputs of a step whose cell is tanh(W_x x + W_h state): gradients reach both matrices."""

    calls = []

    def cell(x: Tensor, state: Tensor) -> Tensor:
        calls.append(1)
        expected = (len(word), W_x.shape[1])
        if x.shape != expected:
            raise ValueError(f"cell expects x of shape {expected}, (B, E + A), got {tuple(x.shape)}")
        if state.shape != (len(word), W_h.shape[1]):
            raise ValueError(f"cell expects a state of shape {len(word), W_h.shape[1]}, got {tuple(state.shape)}")
        return torch.tanh(x @ W_x.T.to(x.dtype) + (state @ W_h.T.to(state.dtype)).to(x.dtype))

    result = function(word, state, annotations, projected, W_q, v, cell, mask)
    count = len(calls)
    if count > 1 and _is_step(result, lambda context: cell(torch.cat([word, context], dim=-1), state)):
        raise TypeError(f"cell was called {count} times: a step calls it once")
    return result


def _is_step(result: Any, step: Callable) -> bool:
    """Return whether a result begins with the state that a step makes of the context behind it."""
    with torch.no_grad(), suppress(Exception):  # it may be anything
        return torch.allclose(result[0], step(result[1]))
    return False


def sorted_links(function: Callable, weights: Tensor, threshold: float | None) -> Tensor:
    """Return the links in their order, one (t, s) in each row; a set has none."""
    links = function(weights, threshold)
    if not isinstance(links, set | frozenset):
        raise TypeError(not_a_set("a set of pairs (t, s)", links))
    if not all(isinstance(link, tuple) and len(link) == 2 and all(map(_is_whole, link)) for link in links):
        raise TypeError("expected a set of pairs (t, s), each a tuple of two whole numbers, no tensors")
    return torch.tensor(sorted((int(t), int(s)) for t, s in links), dtype=torch.int64, device="cpu").reshape(-1, 2)


def given_sets(function: Callable, links: Tensor, sure: Tensor, possible: Tensor) -> Any:
    """Return the rate of links that are given as sets of pairs."""
    given = (links, sure, possible)
    sets = [_pairs(each) for each in given]
    rate = function(*sets)
    for tensor, pairs in zip(given, sets, strict=True):
        if pairs != _pairs(tensor):
            tensor += 1  # anyone who changes a set changes an argument: that is looked for in the tensors
    return rate


def _is_whole(number: Any) -> bool:
    return isinstance(number, int | np.integer)


def _pairs(links: Tensor) -> set[tuple[int, int]]:
    return {(t, s) for t, s in links.tolist()}
