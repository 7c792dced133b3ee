"""What goes wrong by hand, and in the numbers that say how alike two hops are."""

import torch
from torch import Tensor

from solutions.structured.attention import hop_overlap


def other_hop():
    """In (a) this is the first row of M. The second hop's weights come from the second row of W_s2."""
    return 5.75, 0.5604


def padding_has_weight():
    """In (a) the third word has weight, although it is padding. Leave it out of the sum of the exponentials."""
    return 5.875, 0.5604


def masked_at_the_end():
    """In (a) padding was left out only after the division: the weights that are left no longer add up to 1."""
    return 2.5, 0.5604


def not_divided():
    """In (a) the exponentials were not divided by their sum. The weights of a hop add up to 1."""
    return 10.0, 0.5604


def no_exponential():
    """In (a) the scores themselves were divided by their sum. Take the exponential of each first."""
    return 2.0, 0.5604


def softmax_over_hops():
    """In (a) the softmax runs over the two hops of each word. It runs over the words, in each hop by itself."""
    return 2.95, 0.5604


def equal_weights():
    """In (a) this is the plain mean of the two words. The hop weighs them."""
    return 4.5, 0.5604


def root_taken():
    """In (b) this is the norm itself, with a root. The penalty is its square."""
    return 4.0, 0.7486


def identity_missing():
    """In (b) the identity is not subtracted: these are the squares of AAᵀ."""
    return 4.0, 0.6004


def diagonal_left_out():
    """In (b) only what the two hops share is counted. The diagonal of AAᵀ - I belongs to the penalty too."""
    return 4.0, 0.08


def shared_once():
    """In (b) what the hops share is counted once. It stands in AAᵀ twice, above and below the diagonal."""
    return 4.0, 0.5204


def ones_subtracted():
    """In (b) 1 was subtracted from every entry of AAᵀ. The identity has zeros beside its diagonal."""
    return 4.0, 1.7604


def absolute_values():
    """In (b) the absolute values were added up. The Frobenius norm adds up squares."""
    return 4.0, 1.38


def words_compared():
    """In (b) the product is AᵀA, three by three, which compares words with words. AAᵀ is two by two."""
    return 4.0, 1.5604


BY_HAND = (
    other_hop,
    padding_has_weight,
    masked_at_the_end,
    not_divided,
    no_exponential,
    softmax_over_hops,
    equal_weights,
    root_taken,
    identity_missing,
    diagonal_left_out,
    shared_once,
    ones_subtracted,
    absolute_values,
    words_compared,
)


def _kept(A: Tensor, mask: Tensor | None) -> Tensor:
    return A if mask is None else A * mask[:, None]


def _norms(A: Tensor) -> Tensor:
    """Return the lengths of the rows, (B, r, 1)."""
    return torch.linalg.vector_norm(A, dim=-1, keepdim=True)


def _products(A: Tensor) -> Tensor:
    return A @ A.transpose(1, 2)


def not_normalised(A, mask):
    """These are the dot products of the rows, AAᵀ. Divide each by the lengths of both rows: compared with
    itself a hop then has 1, however far it spreads."""
    return _products(_kept(A, mask))


def divided_by_one(A, mask):
    """The dot product is divided by the length of one of the two rows. Divide by both."""
    A = _kept(A, mask)
    return _products(A) / _norms(A)


def divided_by_squares(A, mask):
    """The dot product is divided by the squares of the lengths. The length is the root of the sum of the squares."""
    A = _kept(A, mask)
    return _products(A / _norms(A).square())


def divided_by_sums(A, mask):
    """Each row is divided by its sum. The length of a row is the root of the sum of its squares."""
    A = _kept(A, mask)
    return _products(A / A.sum(-1, keepdim=True))


def divided_by_largest(A, mask):
    """Each row is divided by its largest weight. The length of a row is the root of the sum of its squares."""
    A = _kept(A, mask)
    return _products(A / A.amax(-1, keepdim=True))


def length_of_the_sentence(A, mask):
    """All rows of a sentence are divided by one and the same number, the norm of the whole matrix. Each row has a
    length of its own."""
    A = _kept(A, mask)
    return _products(A / torch.linalg.matrix_norm(A, keepdim=True))


def length_of_the_columns(A, mask):
    """What is divided by is the length of the columns, over the hops. The length of a row is taken over the words:
    dim=-1."""
    A = _kept(A, mask)
    return _products(A / torch.linalg.vector_norm(A, dim=1, keepdim=True))


def words_with_words(A, mask):
    """This is (B, S, S): words are compared with words. Compare the rows of A, hops with hops."""
    return hop_overlap(_kept(A, mask).transpose(1, 2), None)


def mask_ignored(A, mask):
    """The mask has no effect: weight at padding counts."""
    return hop_overlap(A, None)


def mask_upside_down(A, mask):
    """The mask is read upside down: the words are left out, and padding counts. True means: a word."""
    return hop_overlap(A, None if mask is None else ~mask)


def words_left_out(A, mask):
    """The words are set to 0 instead of the padding, and a row without weight has no length: 0/0 is NaN. True means: a
    word."""
    rest = A if mask is None else A.masked_fill(mask[:, None], 0)
    rows = rest / rest.norm(dim=-1, keepdim=True)
    return rows @ rows.transpose(1, 2)


def padding_filled(A, mask):
    """Padding is filled with a large negative number, as before a softmax. These are weights already: what does not
    count is 0."""
    return hop_overlap(A if mask is None else A.masked_fill(~mask[:, None], -1e9), None)


def lengths_without_axis(A, mask):
    """The lengths (B, r) meet the rows (B, r, S) without an axis of length 1: a row is not divided by its own length.
    Where the sizes fit this runs. Keep the axis: keepdim=True."""
    A = _kept(A, mask)
    rows = A / A.norm(dim=-1)
    return rows @ rows.transpose(1, 2)


def mask_after_the_lengths(A, mask):
    """The lengths of the rows are taken before the mask, with the weight at padding in them. Leave padding out
    first."""
    return _products(_kept(A / _norms(A), mask))


def centred(A, mask):
    """The mean of each row is subtracted first: this is a correlation. The cosine takes the rows as they are."""
    A = _kept(A, mask)
    return hop_overlap(A - A.mean(-1, keepdim=True), None)


def squared(A, mask):
    """These are the squares of the cosines."""
    return hop_overlap(A, mask).square()


def angles(A, mask):
    """These are the angles between the rows. Return their cosines."""
    return torch.arccos(hop_overlap(A, mask).clamp(-1, 1))


def distances(A, mask):
    """This is 1 minus the cosine: how far apart two hops are. Return how alike they are."""
    return 1 - hop_overlap(A, mask)


def diagonal_emptied(A, mask):
    """The diagonal is 0. There each hop is compared with itself, and the cosine is 1."""
    return hop_overlap(A, mask) * (1 - torch.eye(A.shape[1]))


def viewed(A, mask):
    """Aᵀ is made by `view` or `reshape`. That does not move a number: swap the last two axes with `transpose(1, 2)`."""
    A = _kept(A, mask)
    rows = A / _norms(A)
    return rows @ rows.reshape(A.shape[0], A.shape[2], A.shape[1])


def first_sentence(A, mask):
    """All sentences have the numbers of the first one. Each has its own hops."""
    return hop_overlap(A, mask)[:1].expand(len(A), -1, -1)


def mean_of_the_pairs(A, mask):
    """This is one number for each sentence, the mean over the hops. Return a number for each two of them, (B, r, r)."""
    return hop_overlap(A, mask).mean((1, 2))


OVERLAP = (
    not_normalised,
    divided_by_one,
    divided_by_squares,
    divided_by_sums,
    divided_by_largest,
    length_of_the_sentence,
    length_of_the_columns,
    words_with_words,
    mask_ignored,
    mask_upside_down,
    words_left_out,
    padding_filled,
    lengths_without_axis,
    mask_after_the_lengths,
    centred,
    squared,
    angles,
    distances,
    diagonal_emptied,
    viewed,
    first_sentence,
    mean_of_the_pairs,
)
