"""Speculative decoding: a small model drafts some tokens, a large one reads them in one pass and keeps what it may."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lab.text.tokenizers import EOS

Logits = Callable[[Int[Tensor, "1 length"]], Float[Tensor, "1 length vocabulary"]]


class Written(NamedTuple):
    """What was written, in how many calls of the large model, and how many drafted tokens it judged and kept."""

    tokens: list[int]
    calls: int
    judged: int
    kept: int


@torch.no_grad()
def write_ahead(
    large: Logits,
    draft: Logits,
    accept: Callable[..., tuple[Tensor, Tensor]],
    beginning: Sequence[int],
    count: int,
    ahead: int,
    generator: torch.Generator,
) -> Written:
    """Return up to `count` tokens behind a `beginning`, fewer if </s> comes, as if the large model drew each of them.

    The draft draws `ahead` tokens one after another. The large model reads all of them in one call; at the first that
    is refused it draws another, and if none is, one more. `accept` is that of attention.py, or yours; `generator` has
    the random numbers.

    Leviathan et al. (2023), algorithm 1. Both models read the whole text anew each time; a cache would keep it.
    """

    def draw(probabilities: Float[Tensor, " vocabulary"]) -> int:
        return int(torch.multinomial(probabilities, 1, generator=generator))

    def shares(model: Logits, more: list[int], last: int) -> Float[Tensor, "{last} vocabulary"]:
        return model(torch.tensor([[*beginning, *more]]))[0, -last:].softmax(dim=-1)

    written, calls, judged, kept = [], 0, 0, 0
    while len(written) < count and EOS not in written[-1:]:
        guesses, q = [], []
        while len(guesses) < ahead and EOS not in guesses:
            q.append(shares(draft, written + guesses, 1)[0])
            guesses.append(draw(q[-1]))
        p = shares(large, written + guesses, len(guesses) + 1)
        keep, rest = accept(torch.stack(q), p[:-1], torch.tensor(guesses))
        refused = (torch.rand(len(guesses), generator=generator) >= keep).tolist()
        first = refused.index(True) if True in refused else len(guesses)
        calls, judged, kept = calls + 1, judged + min(first + 1, len(guesses)), kept + first
        written += guesses[:first]
        if EOS not in written[-1:]:
            written.append(draw([*rest, p[-1]][first]))
    return Written(written[:count], calls, judged, kept)
