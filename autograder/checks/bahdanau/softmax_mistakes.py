"""What goes wrong in a masked softmax, wherever one is taken."""

from collections.abc import Callable

import torch
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax


def mask_ignored(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The mask has no effect. Is it handed on? And `masked_fill` returns a new tensor and leaves the old one alone: is
    its result used?"""
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


def filled_and_masked(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Masked scores become 0 or a tiny number such as 1e-9, and the mask comes once more after the softmax. By then the
    padding has taken its share: the weights that are left do not sum to 1. Fill with a number far below every score."""
    return scores.softmax(-1) if mask is None else (scores * mask).softmax(-1) * mask


def small_fill(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Masked scores are filled with -1, which is not low enough: scores themselves can be lower, and then the padding
    wins. Fill with -1e9, or with the smallest finite number of the dtype."""
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -1.0).softmax(-1) * mask.any(-1, True)


def fill_of_a_hundred(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Masked scores are filled with a number such as -100. A score can be lower than that, and then the padding wins:
    fill with -1e9, or with the smallest finite number of the dtype."""
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -100.0).softmax(-1) * mask


def mask_after_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The mask comes after the softmax and nothing is divided again: the weights that are left no longer sum to 1. If
    you call `masked_fill` before it: that returns a new tensor and leaves the old one alone. Is its result used?"""
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


def epsilon_in_denominator(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The softmax runs over padding too, and its weights are divided by their sum plus a small number, or by no less
    than that. Where padding scores far higher than the words, their sum is smaller still, and they lose everything.
    Mask before the softmax."""
    weights = scores.softmax(-1)
    return weights if mask is None else weights * mask / (weights * mask).sum(-1, keepdim=True).clamp_min(1e-9)


def fills_where_true(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The mask is read upside down: the scores are filled where it is True. True means: may be attended to."""
    return scores.softmax(-1) if mask is None else scores.masked_fill(mask, -1e9).softmax(-1)


def infinity_where_true(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The mask is read upside down: the scores become -inf where it is True, and NaN where all of it is. True means:
    may be attended to."""
    return scores.softmax(-1) if mask is None else scores.masked_fill(mask, -torch.inf).softmax(-1)


def fills_the_rest(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The scores are filled where the mask is True, and the weights are then kept there: nothing is left but 0, or
    equal weights. Fill where the mask is False."""
    return scores.softmax(-1) if mask is None else scores.masked_fill(mask, -1e9).softmax(-1) * mask


def sigmoid_weights(scores: Tensor, mask: Tensor | None) -> Tensor:
    """These are sigmoids, each score by itself. A softmax divides by the sum: the weights of a row add up to 1."""
    return scores.sigmoid() if mask is None else scores.sigmoid() * mask


def logarithm_masked(scores: Tensor, mask: Tensor | None) -> Tensor:
    """These are the logarithms of the weights, times the mask: `log_softmax` where a softmax belongs."""
    if mask is None:
        return scores.log_softmax(-1)
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).log_softmax(-1).masked_fill(~mask, 0.0)


def logarithm(scores: Tensor, mask: Tensor | None) -> Tensor:
    """These are the logarithms of the weights. The function returns the weights themselves."""
    return masked_softmax(scores, mask).log()


def axis_before_last(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The softmax runs over the axis before the last, dim=-2. It has to run over the last, the positions: dim=-1."""
    if mask is None:
        return scores.softmax(-2)
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-2) * mask


def filled(mistake: Callable, axis: int, fill: float) -> Callable:
    """Return a softmax over a wrong axis that fills and does not mask again: the same mistake, the same hint.

    Behind the double underscore of its name stands what tells it from its twins; see autograder.report.titles.
    """

    def softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
        return (scores if mask is None else scores.masked_fill(~mask, fill)).softmax(axis)

    softmax.__name__ = f"{mistake.__name__}__{'filled' if fill > -torch.inf else 'infinite'}"
    softmax.__doc__ = mistake.__doc__
    return softmax


FILLS = (-1e9, -torch.inf)
FIRST_AXIS_FILLED = tuple(filled(first_axis, 0, fill) for fill in FILLS)
SECOND_AXIS_FILLED = tuple(filled(second_axis, 1, fill) for fill in FILLS)
BEFORE_LAST_FILLED = tuple(filled(axis_before_last, -2, fill) for fill in FILLS)


def over_everything(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The softmax runs over all numbers of the tensor together. Each row has a softmax of its own: dim=-1."""
    return masked_softmax(scores.flatten(), None if mask is None else mask.flatten()).view(scores.shape)


def infinity_times_mask(scores: Tensor, mask: Tensor | None) -> Tensor:
    """-inf is multiplied by the mask and added: 0 · inf is NaN, so every row becomes NaN. Use masked_fill or where."""
    return scores.softmax(-1) if mask is None else (scores + ~mask * -torch.inf).softmax(-1)


def not_divided(scores: Tensor, mask: Tensor | None) -> Tensor:
    """These are exponentials that nobody divided by their sum. The weights of a row add up to 1."""
    grown = (scores - scores.amax(-1, keepdim=True)).exp()
    return grown if mask is None else grown * mask


def softmax_twice(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The softmax is taken twice: the weights of the first are the scores of the second, and nearly equal."""
    return masked_softmax(masked_softmax(scores, mask), mask)


def first_mask_for_all(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Every sentence is masked with the mask of the first one. Each has its own."""
    return masked_softmax(scores, None if mask is None else mask[:1].expand_as(mask))


SOFTMAX = (
    mask_ignored,
    mask_upside_down,
    tiny_fill,
    scores_times_mask,
    filled_and_masked,
    small_fill,
    fill_of_a_hundred,
    mask_after_softmax,
    first_axis,
    second_axis,
    axis_before_last,
    *FIRST_AXIS_FILLED,
    *SECOND_AXIS_FILLED,
    *BEFORE_LAST_FILLED,
    over_everything,
    infinity_times_mask,
    not_divided,
    softmax_twice,
    first_mask_for_all,
    empty_rows_nan,
    empty_rows_uniform,
    no_maximum,
    epsilon_in_denominator,
    fills_where_true,
    infinity_where_true,
    fills_the_rest,
    sigmoid_weights,
    logarithm,
    logarithm_masked,
)

# What a masked softmax can do wrong where every row may look somewhere.
MASK_MISREAD = (mask_ignored, mask_upside_down, scores_times_mask)
WEIGHTS_WRONG = (
    small_fill,
    mask_after_softmax,
    first_axis,
    *FIRST_AXIS_FILLED,
    no_maximum,
    epsilon_in_denominator,
    fills_where_true,
    infinity_where_true,
    fills_the_rest,
    sigmoid_weights,
)
MASKED = (*MASK_MISREAD, *WEIGHTS_WRONG)
