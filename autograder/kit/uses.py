"""How a check uses what a student wrote under these names, where that is no function from tensors to tensors.

Each use takes the student's object and the arguments of the case, and returns tensors or numbers.
"""

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograder.kit.proxy import Ask, stand_in
from autograder.kit.table_models import CachedSteps

# Who answers a student's questions in the running call: behind the wall the judge, who counts them.
ASKED: ContextVar[Ask | None] = ContextVar("asked", default=None)


def failing_input(function: Callable) -> tuple:
    """Return the arguments that the student hands in; None becomes a tensor without elements."""
    given = function()
    if given is None:
        raise TypeError("expected a tuple of arguments, got None: is a `return` missing?")
    given = given if isinstance(given, tuple | list) else (given,)
    return tuple(torch.zeros(0) if each is None else each for each in given)


def diagnosis(function: Callable) -> tuple[int, int]:
    """Return the line and the place of the kind's letter in the alphabet, from 0: 3, "b" → 3, 1."""
    given = function()
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise TypeError('expected two things, the number of the line and the letter of the kind: return 3, "b"')
    line, kind = given
    if not isinstance(line, int) or not isinstance(kind, str) or len(kind.strip()) != 1:
        raise TypeError(f'expected a whole number and one letter, as in 3, "b"; got {line!r:.20}, {kind!r:.20}')
    return line, ord(kind.strip().lower()) - ord("a")


def SelfAttention(
    made: type[nn.Module], X: Tensor, mask: Tensor | None, W_q: Tensor, W_k: Tensor, W_v: Tensor, dtype: str
) -> tuple[Tensor, Tensor]:
    """Return output and weights of a module that has loaded these parameters, in evaluation mode, moved to a dtype.

    Where gradients are asked for, the module is called with the parameters themselves in the place of its own.
    """
    module = made(X.shape[-1], W_q.shape[0], W_v.shape[0])
    given = {"W_q": W_q, "W_k": W_k, "W_v": W_v}
    _demand_parameters(module, given)
    module.load_state_dict({name: tensor.detach() for name, tensor in given.items()})
    kind = getattr(torch, dtype)
    module.to(X.device, kind).eval()
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


def _demand_parameters(module: Any, given: dict[str, Tensor]) -> None:
    """Raise TypeError unless a module registers trainable parameters of these names and shapes, and nothing else."""
    if not isinstance(module, nn.Module):
        raise TypeError("expected a class that inherits from nn.Module")
    own = dict(module.named_parameters())
    if set(own) != set(given):
        raise TypeError(f"expected the parameters W_q, W_k and W_v, got {', '.join(own) or 'none that are registered'}")
    for name, tensor in given.items():
        if own[name].shape != tensor.shape:
            sizes = "(value_dim, embedding_dim)" if name == "W_v" else "(key_dim, embedding_dim)"
            raise TypeError(f"{name} has shape {tuple(own[name].shape)}, expected {sizes}, here {tuple(tensor.shape)}")
        if not own[name].requires_grad:
            raise TypeError(f"{name} is not trained: its requires_grad is False")
    if more := set(module.state_dict()) - set(given):
        raise TypeError(f"the state dict holds {', '.join(sorted(more))} beside W_q, W_k and W_v: register no more")


def rnnsearch_step(  # noqa: PLR0913 — the student's arguments
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
    """Return what a step gives whose cell is tanh(W_x x + W_h state): gradients reach both matrices."""

    def cell(x: Tensor, state: Tensor) -> Tensor:
        expected = (len(word), W_x.shape[1])
        if x.shape != expected:
            raise ValueError(f"cell expects x of shape {expected}, (B, E + A), got {tuple(x.shape)}")
        if state.shape != (len(word), W_h.shape[1]):
            raise ValueError(f"cell expects a state of shape {len(word), W_h.shape[1]}, got {tuple(state.shape)}")
        return torch.tanh(x @ W_x.T.to(x.dtype) + (state @ W_h.T.to(state.dtype)).to(x.dtype))

    return function(word, state, annotations, projected, W_q, v, cell, mask)


def links_of(function: Callable, weights: Tensor, threshold: float | None) -> Tensor:
    """Return the links in their order, one (t, s) in each row; a set has none."""
    links = function(weights, threshold)
    if not isinstance(links, set | frozenset):
        raise TypeError(f"expected a set of pairs (t, s), got a {type(links).__name__}")
    if not all(isinstance(link, tuple) and len(link) == 2 and all(map(_is_whole, link)) for link in links):
        raise TypeError("expected a set of pairs (t, s), each a tuple of two whole numbers, no tensors")
    return torch.tensor(sorted((int(t), int(s)) for t, s in links), dtype=torch.int64, device="cpu").reshape(-1, 2)


def alignment_error_rate(function: Callable, links: Tensor, sure: Tensor, possible: Tensor) -> Any:
    """Return the rate of links that are given as sets of pairs."""
    given = (links, sure, possible)
    sets = [_pairs(each) for each in given]
    rate = function(*sets)
    for tensor, pairs in zip(given, sets, strict=True):
        if pairs != _pairs(tensor):
            tensor += 1  # whoever changes a set changes an argument: that is looked for in the tensors
    return rate


def _is_whole(number: Any) -> bool:
    return isinstance(number, int | np.integer)


def _pairs(links: Tensor) -> set[tuple[int, int]]:
    return {(t, s) for t, s in links.tolist()}


def greedy_cached(
    function: Callable, state: int, table: Tensor, bos: int, eos: int, max_len: int
) -> tuple[Tensor, int]:
    """Return the decoded tokens, and how many steps that took; `state` and `table` are the model's."""
    ask = ASKED.get() or CachedSteps(state, table.numpy()).answer
    steps = []

    def counted(question: dict) -> dict:
        steps.append(question)
        return ask(question)

    tokens = function(0, stand_in("step", [["token"], ["cache"]], counted, suffix=""), bos, eos, max_len)
    if tokens is None:
        raise TypeError("expected a list of tokens, got None: is a `return` missing?")
    if not isinstance(tokens, list | tuple | Tensor):
        raise TypeError(f"expected a list of tokens, got a {type(tokens).__name__}")
    return torch.as_tensor([_token(token) for token in tokens], dtype=torch.int64, device="cpu"), len(steps)


def cached_heads(function: Callable, x: Tensor, cache: Tensor, weights: dict[str, Tensor], heads: int) -> Any:
    """Return what a step gives; keys and values apart are no cache, which is one tensor."""
    result = function(x, cache, weights, heads)
    if isinstance(result, tuple | list) and len(result) == 2 and isinstance(result[1], tuple | list):
        kind = type(result[1]).__name__
        raise TypeError(
            f"expected the new cache as one tensor (2, B, heads, t + 1, d/heads), got a {kind} in its place"
        )
    return result


def _token(token: Any) -> int:
    """Return a token as a number; raise TypeError unless it is a whole one, or a tensor that holds one."""
    if isinstance(token, Tensor | np.ndarray) and len(token.reshape(-1)) == 1:
        token = token.item()
    if not _is_whole(token):
        raise TypeError(f"expected a list of whole numbers, got {token!r:.40}, a {type(token).__name__}, in it")
    return int(token)


def windowed_attention(
    function: Callable,
    h_t: Tensor,
    h_s: Tensor,
    W_a: Tensor,
    p: Tensor,
    lengths: Tensor,
    D: int,
    before: int = 0,
) -> Any:
    """Return what a window gives in sources that begin with `before` states of zeros; p and lengths count these too.

    Zeros that nobody has written take no memory, so that a long source costs only what is made of it.
    """
    if before:
        B, S, A = h_s.shape
        whole = np.zeros((B, before + S, A), np.float32)
        whole[:, before:] = h_s.detach().cpu().numpy()
        h_s = torch.from_numpy(whole).to(h_s.device)
    return function(h_t, h_s, W_a, p, lengths, D)


USES: dict[str, Callable] = {
    use.__name__: use
    for use in (
        failing_input,
        diagnosis,
        SelfAttention,
        rnnsearch_step,
        links_of,
        alignment_error_rate,
        greedy_cached,
        cached_heads,
        windowed_attention,
    )
}


# Gradients that are worked out by hand: in inference mode there is no autograd.
BY_HAND = frozenset({"additive_attention_backward", "gru_step_backward", "penalty_backward"})


def without_autograd(target: Callable) -> Callable:
    """Return a function that calls the target with autograd off, and says so where the target asks for a gradient."""

    @wraps(target)
    @torch.inference_mode()
    def call(*arguments: Any) -> Any:
        try:
            return target(*arguments)
        except RuntimeError as error:
            if "does not require grad" in str(error):
                error.args = ("autograd is switched off in this check: work the gradient out with tensor operations",)
            raise

    return call


def used(name: str, target: Any) -> Callable:
    """Return what is called with a case's arguments: the student's function, or the use of what has this name."""
    if name in BY_HAND:
        return without_autograd(target)
    use = USES.get(name)
    return (lambda *arguments: use(target, *arguments)) if use else target
