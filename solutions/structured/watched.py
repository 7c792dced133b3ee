"""What the hops of a model share while it is trained, on reviews that are short enough to train on in a minute."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from lab.corpora import Labelled
from lab.corpora.reviews import LABELS, generate
from lab.kinds.runs import Solution
from solutions.structured.attention import structured_attention
from solutions.structured.model import SOLUTION, build

SHORT = {"train": 3000, "validation": 300}  # reviews of one to three sentences
EVERY = 5  # steps between two points of the curve


def short_reviews() -> Labelled:
    """Return reviews of one to three sentences."""
    parts = {name: generate(size, 2017 + number, name, 1, 3) for number, (name, size) in enumerate(SHORT.items())}
    return Labelled("reviews", LABELS, parts["train"], parts["validation"], {"test": parts["validation"]})


def overlap(A: Float[Tensor, "batch hops words"]) -> float:
    """Return the mean of what two different hops share, a_i · a_j, over all pairs and sentences."""
    products = A @ A.transpose(1, 2)
    hops = A.shape[1]
    own = products.diagonal(dim1=1, dim2=2).sum(dim=-1)
    return ((products.sum(dim=(1, 2)) - own) / (hops * (hops - 1))).mean().item()


def watching(curve: list[Any]) -> Solution:
    """Return the solution whose models append to the curve, in training, [step, what two hops share]."""
    steps = 0

    def attend(*given: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        nonlocal steps
        M, A, P = structured_attention(*given)
        if torch.is_grad_enabled():
            steps += 1
            if steps % EVERY == 0:
                curve.append([steps, overlap(A.detach())])
        return M, A, P

    watched: Callable[..., Any] = lambda *sizes: build(*sizes, attend=attend)  # noqa: E731
    return replace(SOLUTION, build=watched)
