"""How a check uses what a student wrote under these names, where that is no function from tensors to tensors.

Each use takes the student's object and the arguments of the case, and returns tensors or numbers.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import torch
from torch import Tensor, nn

from autograder.kit.proxy import Ask, stand_in
from autograder.kit.table_models import CachedSteps

# Who answers a student's questions in the running call: behind the wall the judge, who counts them.
ASKED: ContextVar[Ask | None] = ContextVar("asked", default=None)


def failing_input(function: Callable) -> tuple:
    """Return the arguments that the student hands in; None becomes a tensor without elements."""
    given = function()
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


def SelfAttention(made: type[nn.Module], X: Tensor, mask: Tensor | None, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Any:
    """Return output and weights of a module of these parameters: loaded, in evaluation mode, of the inputs' dtype."""
    module = made(X.shape[-1], W_q.shape[0], W_v.shape[0])
    if not isinstance(module, nn.Module):
        raise TypeError("expected a class that inherits from nn.Module")
    given = {"W_q": W_q, "W_k": W_k, "W_v": W_v}
    own = dict(module.named_parameters())
    if set(own) != set(given):
        raise TypeError(f"expected the parameters W_q, W_k and W_v, got {', '.join(own) or 'none that are registered'}")
    module.load_state_dict({name: tensor.detach() for name, tensor in given.items()})
    module.to(X.dtype).eval()
    return torch.func.functional_call(module, given, (X, mask))


def links_of(function: Callable, weights: Tensor, threshold: float | None) -> Tensor:
    """Return the links in their order, one (t, s) in each row; a set has none."""
    links = function(weights, threshold)
    if not isinstance(links, set | frozenset):
        raise TypeError(f"expected a set of pairs (t, s), got a {type(links).__name__}")
    if not all(isinstance(link, tuple) and len(link) == 2 for link in links):
        raise TypeError("expected a set of pairs (t, s), each a tuple of two whole numbers")
    return torch.tensor(sorted((int(t), int(s)) for t, s in links), dtype=torch.int64).reshape(-1, 2)


def alignment_error_rate(function: Callable, links: Tensor, sure: Tensor, possible: Tensor) -> Any:
    """Return the rate of links that are given as sets of pairs."""
    return function(*({(t, s) for t, s in each.tolist()} for each in (links, sure, possible)))


def greedy_cached(
    function: Callable, state: int, table: Tensor, bos: int, eos: int, max_len: int
) -> tuple[Tensor, int]:
    """Return the decoded tokens, and how many steps that took; `state` and `table` are the model's."""
    ask = ASKED.get() or CachedSteps(state, table.numpy()).answer
    steps = []

    def counted(question: dict) -> dict:
        steps.append(question)
        return ask(question)

    tokens = function(0, stand_in("step", [["token"], ["cache"]], counted), bos, eos, max_len)
    if not isinstance(tokens, list | tuple | Tensor):
        raise TypeError(f"expected a list of tokens, got a {type(tokens).__name__}")
    return torch.as_tensor([int(token) for token in tokens], dtype=torch.int64), len(steps)


def gru_step_backward(
    function: Callable, gradient: Tensor, x: Tensor, h: Tensor, W: Tensor, R: Tensor, b: Tensor, c: Tensor
) -> Any:
    """Return the gradients that are worked out by hand: in inference mode there is no autograd."""
    with torch.inference_mode():
        return function(gradient, x, h, W, R, b, c)


USES: dict[str, Callable] = {
    use.__name__: use
    for use in (
        failing_input,
        diagnosis,
        SelfAttention,
        links_of,
        alignment_error_rate,
        greedy_cached,
        gru_step_backward,
    )
}


def used(name: str, target: Any) -> Callable:
    """Return what is called with a case's arguments: the student's function, or the use of what has this name."""
    use = USES.get(name)
    return (lambda *arguments: use(target, *arguments)) if use else target
