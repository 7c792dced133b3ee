"""What goes wrong in the weights that are worked out by hand: one query, three words, once with the last as padding."""

import math

import torch
from torch import Tensor

PRODUCTS = torch.tensor([2 * math.log(2), 0.0, 2 * math.log(3)])  # of the query with the three keys
VALUES = torch.tensor([[6.0, 0.0], [0.0, 12.0], [2.0, 4.0]])
KEPT = torch.tensor([[True, True, True], [True, True, False]])


def both(scores: Tensor) -> tuple[Tensor, Tensor]:
    """Return weights and outputs of these scores, without a mask and with it."""
    weights = scores.expand(2, 3).masked_fill(~KEPT, -math.inf).softmax(-1)
    return weights, weights @ VALUES


def not_divided():
    """The scores are not divided by √d_k: here √4 = 2."""
    return both(PRODUCTS)


def divided_by_k():
    """The scores are divided by d_k = 4. It is the square root of the width: 2."""
    return both(PRODUCTS / 4)


def not_normalised():
    """These are the exponentials of the scores. Divide them by their sum: the weights of a row sum to 1."""
    grown = (PRODUCTS / 2).exp() * KEPT
    return grown, grown @ VALUES


def without_exponential():
    """The scores themselves are divided by their sum. A softmax divides their exponentials."""
    scores = PRODUCTS / 2 * KEPT
    weights = scores / scores.sum(-1, keepdim=True)
    return weights, weights @ VALUES


def padding_set_to_zero_afterwards():
    """With padding, the other weights are still those of three words, and sum to less than 1. Leave the word out before
    the softmax."""
    weights, _ = both(PRODUCTS / 2)
    weights = weights[0] * KEPT
    return weights, weights @ VALUES


def padding_scores_zero():
    """The score of padding is set to 0, and exp(0) = 1 still takes a share. Padding takes no part in the softmax."""
    weights = (PRODUCTS / 2 * KEPT).softmax(-1)
    return weights, weights @ VALUES


def averaged():
    """The outputs are divided by the number of words. The weights already sum to 1: add up, do not average."""
    weights, outputs = both(PRODUCTS / 2)
    return weights, outputs / KEPT.sum(-1, keepdim=True)


HAND = (
    not_divided,
    divided_by_k,
    not_normalised,
    without_exponential,
    padding_set_to_zero_afterwards,
    padding_scores_zero,
    averaged,
)
