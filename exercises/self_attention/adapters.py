"""How the checks call a class, which makes a module that loads parameters, and attention in chunks of keys."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor, nn

from autograder.kit.verdict.by_hand import ExponentialCounter

MANY_CHUNKS = 32


def loaded_module(
    made: type[nn.Module], X: Tensor, mask: Tensor | None, W_q: Tensor, W_k: Tensor, W_v: Tensor, dtype: str
) -> tuple[Tensor, Tensor]:
    """Return output and weights of a module that has loaded these parameters, in evaluation mode, moved to a dtype.

    Where gradients are asked for, the module is called with the parameters themselves in place of its own.
    """
    module = made(X.shape[-1], W_q.shape[0], W_v.shape[0])
    given = {"W_q": W_q, "W_k": W_k, "W_v": W_v}
    _demand_parameters(module, given)
    module.load_state_dict({name: tensor.detach() for name, tensor in given.items()})
    kind = getattr(torch, dtype)
    module.to(X.device, kind).eval()
    _call_with_another(module, X.detach().to(kind), mask)
    if W_q.requires_grad:
        moved = {name: tensor.to(kind) for name, tensor in given.items()}
        result = torch.func.functional_call(module, moved, (X.to(kind), mask))
    else:
        result = module(X.to(kind), mask)
    if not isinstance(result, tuple | list) or len(result) != 2 or not all(isinstance(each, Tensor) for each in result):
        raise TypeError("expected forward to return two tensors: output, weights")
    if dtype == "float64" and any(each.dtype != kind for each in result):
        raise TypeError(
            f"after module.to(torch.float64) forward returns {result[0].dtype} and {result[1].dtype}: "
            "let X and the parameters decide the dtype"
        )
    return result[0], result[1]


def _call_with_another(module: nn.Module, X: Tensor, mask: Tensor | None) -> None:
    """Call a module with the words turned round and another mask: what it keeps for the next call shows there."""
    other = None if mask is not None or X.shape[1] == 1 else torch.arange(X.shape[1]).expand(X.shape[:2]) > 0
    with torch.no_grad(), suppress(Exception):  # what is wrong, the next call says
        module(X.flip(1).clone(), other)


def few_at_a_time(function: Callable, Q: Tensor, K: Tensor, V: Tensor, chunk: int, mask: Tensor | None = None) -> Any:
    """Call attention in chunks; where the keys are many chunks, see that it reads a few at a time."""
    if K.shape[-2] < MANY_CHUNKS * chunk:
        return function(Q, K, V, chunk, mask)
    with ExponentialCounter() as counter:
        result = function(Q, K, V, chunk, mask)
    most = Q[..., 0].numel() * chunk
    if counter.largest > 4 * most:  # the running maximum and sum may stand beside the scores
        raise ValueError(f"takes {counter.largest} exponentials at once: a chunk of {chunk} keys has {most} scores")
    return result


def _demand_parameters(module: Any, given: dict[str, Tensor]) -> None:
    """Raise TypeError unless a module registers trainable parameters of these names and shapes, and nothing else."""
    if not isinstance(module, nn.Module):
        raise TypeError("expected a class that inherits from nn.Module")
    own = dict(module.named_parameters())
    if set(own) != set(given):
        raise TypeError(
            f"expected the parameters W_q, W_k and W_v, got {', '.join(own) or 'none that nn.Parameter has registered'}"
        )
    for name, tensor in given.items():
        if own[name].shape != tensor.shape:
            sizes = "(value_dim, embedding_dim)" if name == "W_v" else "(key_dim, embedding_dim)"
            raise TypeError(f"{name} has shape {tuple(own[name].shape)}, expected {sizes}, here {tuple(tensor.shape)}")
        if not own[name].requires_grad:
            raise TypeError(f"{name} is not trained: its requires_grad is False")
    if more := {*module.state_dict(), *dict(module.named_buffers())} - set(given):
        raise TypeError(f"the module registers {', '.join(sorted(more))} beside W_q, W_k and W_v: register no more")
