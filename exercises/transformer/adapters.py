"""How the checks of cached decoding call a decoder that asks for steps, and a step with its cache."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograder.kit.calls.adapters import ASKED
from autograder.kit.calls.proxy import remote_stub
from autograder.kit.known.table_models import CachedSteps


def counted_decoding(
    function: Callable, state: int, table: Tensor, bos: int, eos: int, max_len: int
) -> tuple[Tensor, int]:
    """Return the decoded tokens, and how many steps that took; `state` and `table` are the model's."""
    ask = ASKED.get() or CachedSteps(state, table.numpy()).answer
    steps = []

    def counted(question: dict) -> dict:
        if isinstance(question["arguments"][0], np.ndarray):
            raise TypeError("step expects the token as a whole number, got a tensor: its .item() is one")
        steps.append(question)
        return ask(question)

    stub = remote_stub("step", counted, suffix="")

    def step(token: Any, cache: Any) -> Any:
        return stub(token, cache)

    tokens = function(0, step, bos, eos, max_len)
    if tokens is None:
        raise TypeError("expected a list of tokens, got None: is a `return` missing?")
    if not isinstance(tokens, list | tuple):
        raise TypeError(f"expected a list of tokens, got a {type(tokens).__name__}")
    return torch.as_tensor([_token(token) for token in tokens], dtype=torch.int64, device="cpu"), len(steps)


def one_cache(function: Callable, x: Tensor, cache: Tensor, params: dict[str, Tensor], heads: int) -> Any:
    """Return a step's outputs; raise TypeError for keys and values apart, as a cache is one tensor."""
    result = function(x, cache, params, heads)
    if isinstance(result, tuple | list) and len(result) == 2 and isinstance(result[1], tuple | list):
        kind = type(result[1]).__name__
        raise TypeError(
            f"expected the new cache as one tensor (2, B, heads, t + 1, d/heads), got a {kind} in its place"
        )
    return result


def _token(token: Any) -> int:
    """Return a token as a number; raise TypeError unless it is a whole one."""
    if not isinstance(token, int | np.integer):
        raise TypeError(f"expected a list of whole numbers, got {token!r:.40}, a {type(token).__name__}, in it")
    return int(token)
