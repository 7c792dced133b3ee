"""What goes wrong when a softmax is computed chunk by chunk."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


def every_start(S: int, chunk: int) -> range:
    return range(0, S, chunk)


@dataclass(frozen=True)
class Online:
    """The online softmax in parts, each of which can be put wrong."""

    starts: Callable = every_start
    divisor: Callable = lambda Q, chunk: math.sqrt(Q.shape[-1])
    shown: Callable = lambda mask, start, here: mask[..., here]  # the part of the mask that belongs to a chunk
    fill: float = -math.inf
    largest: Callable = lambda old, new: torch.maximum(old, new)
    sum_shrinks: bool = True
    output_shrinks: bool = True
    divides: bool = True

    def __call__(self, Q, K, V, chunk, mask):
        S = K.shape[-2]
        mask = None if mask is None else mask.expand(*Q.shape[:-1], S)
        maximum = Q.new_full((*Q.shape[:-1], 1), -1e30)
        total: Any = torch.zeros_like(maximum)
        output: Any = 0
        for start in self.starts(S, chunk):
            here = slice(start, start + chunk)
            scores = Q @ K[..., here, :].mT / self.divisor(Q, chunk)
            if mask is not None:
                scores = scores.masked_fill(~self.shown(mask, start, here), self.fill)
            larger = self.largest(maximum, scores.amax(-1, keepdim=True))
            shrunk, grown = (maximum - larger).exp(), (scores - larger).exp()
            total = (shrunk if self.sum_shrinks else 1) * total + grown.sum(-1, keepdim=True)
            output = (shrunk if self.output_shrinks else 1) * output + grown @ V[..., here, :]
            maximum = larger
        return output / total if self.divides else output


def sum_not_rescaled(*arguments):
    """The sum of the exponentials is not rescaled when a larger maximum comes: its old terms were made with the old
    maximum. Multiply it by exp(old − new) too."""
    return Online(sum_shrinks=False)(*arguments)


def output_not_rescaled(*arguments):
    """The output so far is not rescaled when a larger maximum comes. Multiply it by exp(old − new), as the sum."""
    return Online(output_shrinks=False)(*arguments)


def nothing_rescaled(*arguments):
    """Neither the sum nor the output is rescaled when a larger maximum comes: chunks with other maxima do not add up.
    Multiply both by exp(old − new)."""
    return Online(sum_shrinks=False, output_shrinks=False)(*arguments)


def not_divided(*arguments):
    """The output is not divided by the sum of the exponentials at the end."""
    return Online(divides=False)(*arguments)


def no_maximum(*arguments):
    """No maximum is subtracted: the exponentials of large scores overflow, and those of very small ones vanish."""
    return Online(largest=lambda old, new: torch.zeros_like(new))(*arguments)


def not_scaled(*arguments):
    """The scores are not divided by √d_k."""
    return Online(divisor=lambda Q, chunk: 1)(*arguments)


def root_of_chunk(*arguments):
    """The scores are divided by the root of the chunk's size. It is the width of a key: √d_k."""
    return Online(divisor=lambda Q, chunk: math.sqrt(chunk))(*arguments)


def scaled_twice(*arguments):
    """The scores are divided by d_k. It is the square root: √d_k."""
    return Online(divisor=lambda Q, chunk: Q.shape[-1])(*arguments)


def rest_left_out(*arguments):
    """The keys behind the last whole chunk are left out. The last chunk may be shorter."""
    return Online(starts=lambda S, chunk: range(0, max(1, S - S % chunk), chunk))(*arguments)


def last_chunk_only(*arguments):
    """Only the last chunk is attended to: each chunk replaces the sum and the output of those before it."""
    return Online(starts=lambda S, chunk: every_start(S, chunk)[-1:])(*arguments)


def overlapping(*arguments):
    """Each chunk begins with the last key of the one before: that key counts twice."""
    return Online(starts=lambda S, chunk: range(0, S, chunk) if chunk < 2 else range(0, S, chunk - 1))(*arguments)


def mask_left_out(Q, K, V, chunk, mask):
    """The mask plays no part (`masked_fill` returns a new tensor: is its result used?)."""
    return Online()(Q, K, V, chunk, None)


def mask_upside_down(Q, K, V, chunk, mask):
    """True and False have changed places: True marks what may be attended to."""
    return Online(fill=-1e9)(Q, K, V, chunk, None if mask is None else ~mask)


def scores_set_to_zero(*arguments):
    """Masked scores are set to 0, a score like any other: they take their share. Set them to −∞."""
    return Online(fill=0.0)(*arguments)


def _first_part(mask: Tensor, start: int, here: slice) -> Tensor:
    width = min(mask.shape[-1], here.stop) - here.start
    return mask[..., :width]


def first_part_of_mask(*arguments):
    """Every chunk gets the mask of the first keys. Cut the mask where the keys are cut."""
    return Online(shown=_first_part, fill=-1e9)(*arguments)


def averaged(Q, K, V, chunk, mask):
    """Each chunk has a softmax of its own, and the results are averaged: a chunk with high scores weighs no more than
    one with low ones."""
    S = K.shape[-2]
    mask = None if mask is None else mask.expand(*Q.shape[:-1], S)
    outputs = []
    for start in every_start(S, chunk):
        here = slice(start, start + chunk)
        scores = Q @ K[..., here, :].mT / math.sqrt(Q.shape[-1])
        scores = scores if mask is None else scores.masked_fill(~mask[..., here], -1e9)
        outputs.append(scores.softmax(-1) @ V[..., here, :])
    return torch.stack(outputs).mean(0)


CHUNKED = (
    sum_not_rescaled,
    output_not_rescaled,
    nothing_rescaled,
    not_divided,
    no_maximum,
    not_scaled,
    root_of_chunk,
    scaled_twice,
    rest_left_out,
    last_chunk_only,
    overlapping,
    mask_left_out,
    mask_upside_down,
    scores_set_to_zero,
    first_part_of_mask,
    averaged,
)
