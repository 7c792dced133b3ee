"""What goes wrong in structured self-attention and in its penalty."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder.checks.bahdanau import softmax_mistakes as masking
from autograder.checks.renamed import renamed
from autograder.checks.together import instead_of
from solutions.bahdanau.attention import masked_softmax
from solutions.structured.attention import hop_weights, penalization, structured_attention


def _residue(A: Tensor) -> Tensor:
    """Return AAᵀ - I, (B, r, r)."""
    return A @ A.transpose(1, 2) - torch.eye(A.shape[1])


def not_squared(A):
    """The root is still there: this is the norm itself. The penalty is its square, the plain sum of all squares."""
    return penalization(A).sqrt()


def over_the_batch(A):
    """This is one number for the whole batch, the sum over all sentences. Each sentence has its penalty: sum over the
    last two axes alone."""
    return penalization(A).sum()


def norm_over_the_batch(A):
    """This is one number, the norm of everything in the batch, not even squared. Each sentence has its penalty: the sum
    of squares over the last two axes alone."""
    return penalization(A).sum().sqrt()


def mean_over_the_batch(A):
    """This is one number, the mean over the sentences. Return one penalty for each of them."""
    return penalization(A).mean()


def identity_missing(A):
    """The identity is not subtracted: these are the squares of AAᵀ itself. That would be smallest for hops that spread
    over all words, which is the opposite of what is wanted."""
    return (A @ A.transpose(1, 2)).square().sum((1, 2))


def ones_subtracted(A):
    """1 is subtracted from every entry of AAᵀ. The identity has ones on its diagonal only: torch.eye(r)."""
    return (A @ A.transpose(1, 2) - 1).square().sum((1, 2))


def words_with_words(A):
    """The product is AᵀA, (B, S, S): it compares words with words. AAᵀ, (B, r, r), compares hops with hops."""
    return penalization(A.transpose(1, 2))


def viewed(A):
    """Aᵀ is made by `view` or `reshape`. That does not move a number: swap the last two axes with `transpose(1, 2)`."""
    return (A @ A.reshape(A.shape[0], A.shape[2], A.shape[1]) - torch.eye(A.shape[1])).square().sum((1, 2))


def all_axes_turned(A):
    """`.T` turns all three axes round, the batch too. Swap the last two: `transpose(1, 2)`."""
    return (A @ A.permute(2, 1, 0) - torch.eye(A.shape[1])).square().sum((1, 2))


def diagonal_left_out(A):
    """Only what two different hops share is counted. The diagonal belongs to the penalty too: there each hop is asked
    to look at few words."""
    overlap = A @ A.transpose(1, 2)
    return (overlap * (1 - torch.eye(A.shape[1]))).square().sum((1, 2))


def absolute_values(A):
    """Absolute values are added up. The Frobenius norm adds up squares."""
    return _residue(A).abs().sum((1, 2))


def mean_of_squares(A):
    """The squares are averaged over the r × r entries. The Frobenius norm adds them up. (The authors' own program takes
    a mean too, but of AᵀA - I.)"""
    return _residue(A).square().mean((1, 2))


def sum_squared(A):
    """The entries are added up first, and the sum is squared. Square each entry, then add."""
    return _residue(A).sum((1, 2)).square()


def norms_of_rows(A):
    """These are the norms of the rows, added up. The Frobenius norm takes all entries of the matrix together."""
    return torch.linalg.vector_norm(_residue(A), dim=-1).sum(-1)


def spectral_norm(A):
    """This is the largest singular value, squared: `ord=2` of a matrix is the spectral norm. The Frobenius norm is the
    one that is meant, `ord="fro"`: the root of the sum of all squares."""
    return torch.linalg.matrix_norm(_residue(A), ord=2).square()


def divided_by_batch(A):
    """The penalties are divided by the number of sentences. Averaging is the business of the loss, not of this
    function."""
    return penalization(A) / len(A)


def divided_by_hops(A):
    """The penalty is divided by the number of hops. The formula adds up all squares and divides by nothing."""
    return penalization(A) / A.shape[1]


def first_sentence(A):
    """All penalties are those of the first sentence. Each sentence has its own."""
    return penalization(A)[:1].expand(len(A))


def one_for_each_hop(A):
    """These are the sums of the rows of squares, (B, r), one for each hop. Add up over the last two axes: the penalty
    is one number for each sentence."""
    return _residue(A).square().sum(-1)


def still_a_matrix(A):
    """This is a matrix for each sentence, the squares that are not yet added up. The penalty is one number each."""
    return _residue(A).square()


PENALTY = (
    not_squared,
    over_the_batch,
    norm_over_the_batch,
    mean_over_the_batch,
    identity_missing,
    ones_subtracted,
    words_with_words,
    viewed,
    all_axes_turned,
    diagonal_left_out,
    absolute_values,
    mean_of_squares,
    sum_squared,
    norms_of_rows,
    spectral_norm,
    divided_by_batch,
    divided_by_hops,
    first_sentence,
    one_for_each_hop,
    still_a_matrix,
)


def _scores(H: Tensor, W_s1: Tensor, W_s2: Tensor, squash: Callable = torch.tanh) -> Tensor:
    """Return the scores of all hops, (B, r, S)."""
    return W_s2 @ squash(W_s1 @ H.transpose(1, 2))


def _weights(scores: Tensor, mask: Tensor | None) -> Tensor:
    return masked_softmax(scores, None if mask is None else mask[:, None].expand_as(scores))


def _attended(A: Tensor, H: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return A @ H, A, penalization(A)


def _scored(scores: Tensor, H: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    return _attended(_weights(scores, mask), H)


def with_softmax(softmax: Callable) -> Callable:
    """Return structured attention with a wrong masked softmax: the same mistake, the same hint."""

    @renamed(softmax)
    def attention(H, W_s1, W_s2, mask):
        scores = _scores(H, W_s1, W_s2)
        return _attended(softmax(scores, None if mask is None else mask[:, None].expand_as(scores)), H)

    return instead_of(masked_softmax, softmax, attention)


def with_penalty(penalty: Callable) -> Callable:
    """Return structured attention with a wrong penalty: the same mistake, the same hint."""

    @renamed(penalty)
    def attention(H, W_s1, W_s2, mask):
        M, A, _ = structured_attention(H, W_s1, W_s2, mask)
        return M, A, penalty(A)

    return instead_of(penalization, penalty, attention)


def softmax_over_hops(H, W_s1, W_s2, mask):
    """The softmax runs over the hops: for each word the hops compete. It has to run over the words, in each hop."""
    A = _scores(H, W_s1, W_s2).softmax(1)
    return _attended(A if mask is None else A * mask[:, None], H)


def softmax_over_hops_masked(H, W_s1, W_s2, mask):
    """The softmax runs over the hops, also where all of them are masked: for each word the hops compete. It has to run
    over the words, in each hop."""
    return _attended(_scores(H, W_s1, W_s2).softmax(1), H)


HOPS_FILLED = tuple(with_softmax(masking.filled(softmax_over_hops, 1, fill)) for fill in masking.FILLS)


def mask_without_axis(H, W_s1, W_s2, mask):
    """The mask (B, S) meets the scores (B, r, S) without a new axis. Where B and r happen to be equal this runs, and
    masks hop i of every sentence with the mask of sentence i. The axis of the hops is missing: mask[:, None]."""
    scores = _scores(H, W_s1, W_s2)
    return _attended(masked_softmax(scores, None if mask is None else mask.expand_as(scores)), H)


def scores_viewed(H, W_s1, W_s2, mask):
    """The scores (B, S, r) become (B, r, S) by `view` or `reshape`. That does not move a number, so the scores of one
    word are read as those of one hop: swap the axes with `transpose(1, 2)`."""
    scores = torch.tanh(H @ W_s1.T) @ W_s2.T
    return _scored(scores.reshape(len(H), len(W_s2), -1), H, mask)


def weights_viewed(H, W_s1, W_s2, mask):
    """The softmax is right, but then (B, S, r) becomes (B, r, S) by `view` or `reshape`. That does not move a number:
    swap the axes with `transpose(1, 2)`."""
    A = hop_weights(H, W_s1, W_s2, mask).transpose(1, 2)
    return _attended(A.reshape(len(H), len(W_s2), -1), H)


def states_viewed(H, W_s1, W_s2, mask):
    """Hᵀ is made by `view` or `reshape`. That does not move a number: swap the last two axes with `transpose(1, 2)`."""
    turned = H.reshape(H.shape[0], H.shape[2], H.shape[1])
    return _scored(W_s2 @ torch.tanh(W_s1 @ turned), H, mask)


def no_tanh(H, W_s1, W_s2, mask):
    """The tanh is missing. Two matrices with nothing between them are one: W_s1 and W_s2 could be replaced by their
    product."""
    return _scored(_scores(H, W_s1, W_s2, lambda x: x), H, mask)


def relu(H, W_s1, W_s2, mask):
    """There is a ReLU where the formula has a tanh."""
    return _scored(_scores(H, W_s1, W_s2, torch.relu), H, mask)


def sigmoid(H, W_s1, W_s2, mask):
    """There is a sigmoid where the formula has a tanh."""
    return _scored(_scores(H, W_s1, W_s2, torch.sigmoid), H, mask)


def tanh_outside(H, W_s1, W_s2, mask):
    """The tanh comes after W_s2. It stands between the two matrices: W_s2 tanh(W_s1 Hᵀ)."""
    return _scored(torch.tanh(_scores(H, W_s1, W_s2, lambda x: x)), H, mask)


def matrices_swapped(H, W_s1, W_s2, mask):
    """W_s1 and W_s2 have changed places. W_s1 comes first, at the states; W_s2 has one row for each hop."""
    return _scored(_scores(H, W_s2, W_s1), H, mask)


def not_transposed(H, W_s1, W_s2, mask):
    """The weight matrices are applied without a transpose. They are stored as (out, in): H @ W_s1.T, then @ W_s2.T."""
    return _scored((torch.tanh(H @ W_s1) @ W_s2).transpose(1, 2), H, mask)


def scaled(H, W_s1, W_s2, mask):
    """The scores are divided by √a. Nothing is scaled here: that belongs to the dot product."""
    return _scored(_scores(H, W_s1, W_s2) / len(W_s1) ** 0.5, H, mask)


def scaled_by_states(H, W_s1, W_s2, mask):
    """The scores are divided by √d. Nothing is scaled here: that belongs to the dot product."""
    return _scored(_scores(H, W_s1, W_s2) / H.shape[-1] ** 0.5, H, mask)


def projected_summed(H, W_s1, W_s2, mask):
    """M is a sum of projected states, tanh(W_s1 h). It is the weighted sum of the states themselves: M = AH."""
    A = hop_weights(H, W_s1, W_s2, mask)
    return A @ torch.tanh(H @ W_s1.T), A, penalization(A)


def tanh_of_states_summed(H, W_s1, W_s2, mask):
    """M is a sum of tanh(h). It is the weighted sum of the states as they are: M = AH."""
    A = hop_weights(H, W_s1, W_s2, mask)
    return A @ torch.tanh(H), A, penalization(A)


def averaged(H, W_s1, W_s2, mask):
    """M is divided by the number of words. The weights already sum to 1: add up, do not average."""
    M, A, penalty = structured_attention(H, W_s1, W_s2, mask)
    return M / H.shape[1], A, penalty


def flattened(H, W_s1, W_s2, mask):
    """M has lost an axis: its rows stand behind each other, (B, r·d). The classifier may flatten it; this function
    returns (B, r, d)."""
    M, A, penalty = structured_attention(H, W_s1, W_s2, mask)
    return M.flatten(1), A, penalty


def hops_averaged(H, W_s1, W_s2, mask):
    """M is the mean over the hops, one vector a sentence. It has a row for each hop: (B, r, d)."""
    M, A, penalty = structured_attention(H, W_s1, W_s2, mask)
    return M.mean(1), A, penalty


def weights_transposed(H, W_s1, W_s2, mask):
    """The weights come back as (B, S, r). A has a row for each hop: (B, r, S)."""
    M, A, penalty = structured_attention(H, W_s1, W_s2, mask)
    return M, A.transpose(1, 2), penalty


def scores_returned(H, W_s1, W_s2, mask):
    """The second result holds the scores. Return the weights, after the softmax."""
    M, _, penalty = structured_attention(H, W_s1, W_s2, mask)
    return M, _scores(H, W_s1, W_s2), penalty


def order_swapped(H, W_s1, W_s2, mask):
    """The results have changed places. M comes first, then A, then the penalty."""
    M, A, penalty = structured_attention(H, W_s1, W_s2, mask)
    return A, M, penalty


def penalty_of_the_sentence(H, W_s1, W_s2, mask):
    """The penalty is made from M, MMᵀ - I. It is made from the weights: AAᵀ - I."""
    M, A, _ = structured_attention(H, W_s1, W_s2, mask)
    return M, A, penalization(M)


def penalty_before_the_mask(H, W_s1, W_s2, mask):
    """The penalty is made from weights that look at padding too. Make it from the A that you return."""
    M, A, _ = structured_attention(H, W_s1, W_s2, mask)
    return M, A, penalization(hop_weights(H, W_s1, W_s2, None))


def sentence_before_the_mask(H, W_s1, W_s2, mask):
    """M is made with weights that look at padding too. Make it with the A that you return."""
    _, A, penalty = structured_attention(H, W_s1, W_s2, mask)
    return hop_weights(H, W_s1, W_s2, None) @ H, A, penalty


MASKING = tuple(with_softmax(softmax) for softmax in masking.MASKED)

OTHER_SOFTMAX = (softmax_over_hops, softmax_over_hops_masked, *HOPS_FILLED)

ATTENTION = (
    *MASKING,
    *OTHER_SOFTMAX,
    mask_without_axis,
    scores_viewed,
    weights_viewed,
    states_viewed,
    no_tanh,
    relu,
    sigmoid,
    tanh_outside,
    matrices_swapped,
    not_transposed,
    scaled,
    scaled_by_states,
    projected_summed,
    tanh_of_states_summed,
    averaged,
    flattened,
    hops_averaged,
    weights_transposed,
    scores_returned,
    order_swapped,
    penalty_of_the_sentence,
    penalty_before_the_mask,
    sentence_before_the_mask,
    *(
        with_penalty(penalty)
        for penalty in (
            not_squared,
            over_the_batch,
            mean_over_the_batch,
            identity_missing,
            words_with_words,
            diagonal_left_out,
            mean_of_squares,
            still_a_matrix,
        )
    ),
)
