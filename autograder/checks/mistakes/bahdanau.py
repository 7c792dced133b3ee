"""What goes wrong in additive attention."""

import torch
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax


def mask_ignored(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The mask has no effect. `masked_fill` returns a new tensor and leaves the old one alone: is its result used?"""
    return scores.softmax(-1)


def mask_upside_down(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The mask is read upside down. True means: may be attended to. Fill where it is False."""
    return masked_softmax(scores, None if mask is None else ~mask)


def tiny_fill(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Masked scores become 0 or a tiny number such as 1e-9. exp(0) is 1, so they still win weight: the fill has to be
    far below every score, like -1e9."""
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, 1e-9).softmax(-1) * mask.any(-1, True)


def scores_times_mask(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The scores are multiplied by the mask before the softmax, or filled with 0. A score of 0 is no weight of 0:
    exp(0) is 1."""
    return scores.softmax(-1) if mask is None else (scores * mask).softmax(-1)


def small_fill(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Masked scores are filled with -1, which is not low enough: scores themselves can be lower, and then the padding
    wins. Fill with -1e9, or with the smallest finite number of the dtype."""
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -1.0).softmax(-1) * mask.any(-1, True)


def mask_after_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The mask comes after the softmax and nothing is divided again: the weights that are left no longer sum to 1."""
    return scores.softmax(-1) if mask is None else scores.softmax(-1) * mask


def first_axis(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The softmax runs over the first axis, the sentences of the batch. It has to run over the last, the positions."""
    if mask is None:
        return scores.softmax(0)
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(0) * mask


def second_axis(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The softmax runs over axis 1, which is the last one only for two axes. dim=-1 is the last one always."""
    if mask is None:
        return scores.softmax(1)
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(1) * mask


def empty_rows_nan(scores: Tensor, mask: Tensor | None) -> Tensor:
    """A row with no True gives NaN: the softmax of -inf alone is 0/0. Such a row has to give zeros."""
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -torch.inf).softmax(-1)


def empty_rows_uniform(scores: Tensor, mask: Tensor | None) -> Tensor:
    """A row with no True gives equal weights: all its scores got the same fill. Such a row has to give zeros:
    multiply by the mask after the softmax."""
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -1e9).softmax(-1)


def no_maximum(scores: Tensor, mask: Tensor | None) -> Tensor:
    """exp of large scores overflows (or all of them vanish). Subtract the largest score of the row first: the softmax
    does not change."""
    grown = scores.exp() if mask is None else scores.exp() * mask
    total = grown.sum(-1, keepdim=True)
    return grown / total if mask is None else torch.where(mask.any(-1, True), grown / total, 0.0)


def logarithm(scores: Tensor, mask: Tensor | None) -> Tensor:
    """These are the logarithms of the weights. The function returns the weights themselves."""
    return masked_softmax(scores, mask).log()


SOFTMAX = (
    mask_ignored,
    mask_upside_down,
    tiny_fill,
    scores_times_mask,
    small_fill,
    mask_after_softmax,
    first_axis,
    second_axis,
    empty_rows_nan,
    empty_rows_uniform,
    no_maximum,
    logarithm,
)
