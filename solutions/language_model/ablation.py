"""A language model without some of its heads: the columns of W_o that read them are 0."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import cast

import torch

from solutions.language_model.layers import Attention
from solutions.language_model.model import Decoder


@contextmanager
def without_heads(model: Decoder, layer: int, heads: Iterable[int]) -> Iterator[None]:
    """Leave out some heads of a layer, counted from 0, inside the `with` block."""
    attention = cast(Attention, model.blocks[layer].attention)
    weight, width = attention.out.weight, attention.width
    kept = weight.detach().clone()
    try:
        with torch.no_grad():
            for head in heads:
                weight[:, head * width : (head + 1) * width] = 0.0
        yield
    finally:
        with torch.no_grad():
            weight.copy_(kept)
