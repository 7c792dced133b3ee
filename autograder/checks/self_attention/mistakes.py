"""What goes wrong in self-attention, without parameters and with them."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder.checks.bahdanau import softmax_mistakes as masking
from autograder.checks.renamed import renamed
from autograder.checks.together import instead_of
from solutions.bahdanau.attention import masked_softmax
from solutions.self_attention.attention import simple_self_attention


def padding_attended(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Words attend to padding as if there were no mask. Either the mask has no effect (`masked_fill` returns a new
    tensor: is its result used?), or it stands on the axis of those who ask. Keys are the last axis."""
    return scores.softmax(-1)


def over_queries(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The softmax runs over those who ask, dim=-2: the columns sum to 1. It runs over those who answer, dim=-1: each
    row is one word's weights for all words."""
    return masking.axis_before_last(scores, mask)


def over_batch(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The softmax runs over the first axis, the sentences of the batch. It has to run over the last: dim=-1."""
    return masking.first_axis(scores, mask)


FILLED = tuple(
    masking.filled(mistake, axis, fill)
    for mistake, axis in ((over_queries, -2), (over_batch, 0))
    for fill in masking.FILLS
)

# What a masked softmax can do wrong where every row may look somewhere and the rows of padding are not compared.
SOFTMAXES = (
    padding_attended,
    over_queries,
    over_batch,
    *FILLED,
    masking.mask_upside_down,
    masking.scores_times_mask,
    masking.filled_and_masked,
    masking.small_fill,
    masking.mask_after_softmax,
    masking.no_maximum,
    masking.epsilon_in_denominator,
    masking.fills_where_true,
    masking.infinity_where_true,
    masking.fills_the_rest,
    masking.sigmoid_weights,
    masking.over_everything,
    masking.infinity_times_mask,
    masking.not_divided,
    masking.softmax_twice,
    masking.first_mask_for_all,
)


def rows(mask: Tensor | None, scores: Tensor) -> Tensor | None:
    """Return the mask of the keys once for every word that asks."""
    return None if mask is None else mask[:, None].expand_as(scores)


def simple_with(softmax: Callable) -> Callable:
    """Return self-attention without parameters with a wrong masked softmax: the same mistake, the same hint."""

    @renamed(softmax)
    def attention(X, mask):
        scores = X @ X.mT
        weights = softmax(scores, rows(mask, scores))
        return weights @ X, weights

    return instead_of(masked_softmax, softmax, attention)


def with_scores(X: Tensor, scores: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return context and weights from scores that may be wrong."""
    weights = masked_softmax(scores, rows(mask, scores))
    return weights @ X, weights


def scaled(X, mask):
    """The scores are divided by √d. The form without parameters is softmax(XXᵀ)X: it does not scale."""
    return with_scores(X, X @ X.mT / X.shape[-1] ** 0.5, mask)


def cosine(X, mask):
    """The words are divided by their lengths first: these are cosines. The score is the dot product of the words as
    they are."""
    normal = torch.nn.functional.normalize(X, dim=-1)
    return with_scores(X, normal @ normal.mT, mask)


def mask_without_axis(X, mask):
    """The mask (B, S) meets the scores (B, S, S) without a new axis. Where B and S happen to be equal this runs, and
    masks word i of every sentence with the mask of sentence i. Keys are the last axis: mask[:, None]."""
    scores = X @ X.mT
    weights = masked_softmax(scores, None if mask is None else mask.expand_as(scores))
    return weights @ X, weights


def itself_left_out(X, mask):
    """No word attends to itself: the diagonal is masked. A word is one of those that answer itself, too."""
    scores = X @ X.mT
    return with_scores(X, scores - 1e4 * torch.eye(X.shape[1]), mask)


def viewed(X, mask):
    """X is given another shape by `view` or `reshape`, or not turned at all. That does not move a number: swap the last
    two axes with `transpose(1, 2)`."""
    return with_scores(X, X @ X.reshape(X.shape[0], X.shape[2], X.shape[1]), mask)


def all_axes_turned(X, mask):
    """`.T` turns all three axes round, the batch too. Swap the last two: `transpose(1, 2)`."""
    return with_scores(X, X @ X.permute(2, 1, 0), mask)


def features_attend(X, mask):
    """The scores are XᵀX: features are compared with features. Words are compared with words: XXᵀ, (B, S, S)."""
    weights = (X.mT @ X).softmax(-1)
    return X @ weights.mT, weights


def first_sentence(X, mask):
    """Every sentence attends to the words of the first one. Each attends to its own."""
    return with_scores(X[:1].expand_as(X), X @ X[:1].mT, mask)


def padding_zeroed(X, mask):
    """The padding is set to 0 before the scores are computed. A score of 0 is no weight of 0: exp(0) is 1. Mask the
    scores."""
    return simple_self_attention(X if mask is None else X * mask[..., None], None)


def values_masked(X, mask):
    """The mask takes the padding out of the sum, and not out of the softmax: padding still takes its share of the
    weight. Mask the scores."""
    weights = (X @ X.mT).softmax(-1)
    return weights @ (X if mask is None else X * mask[..., None]), weights


def scores_summed(X, mask):
    """The context is made with the scores. It is made with the weights, after the softmax."""
    _, weights = simple_self_attention(X, mask)
    return X @ X.mT @ X, weights


def sums_over_queries(X, mask):
    """The weights are transposed before the sum. Row i holds word i's weights: context = weights @ X."""
    _, weights = simple_self_attention(X, mask)
    return weights.mT @ X, weights


def averaged(X, mask):
    """The context is divided by the number of positions. The weights already sum to 1: add up, do not average."""
    context, weights = simple_self_attention(X, mask)
    return context / X.shape[1], weights


def words_added(X, mask):
    """The word itself is added to its context. That comes with the Transformer; here the sum stands alone."""
    context, weights = simple_self_attention(X, mask)
    return X + context, weights


def sentence_summed(X, mask):
    """There is one context for the whole sentence. Every word has its own: (B, S, d)."""
    context, weights = simple_self_attention(X, mask)
    return context.sum(1), weights


def scores_returned(X, mask):
    """The second result holds the scores. Return the weights, after the softmax."""
    return simple_self_attention(X, mask)[0], X @ X.mT


def results_swapped(X, mask):
    """The results have changed places. The context comes first, then the weights."""
    return simple_self_attention(X, mask)[::-1]


SIMPLE = (
    *(simple_with(softmax) for softmax in SOFTMAXES),
    scaled,
    cosine,
    mask_without_axis,
    itself_left_out,
    viewed,
    all_axes_turned,
    features_attend,
    first_sentence,
    padding_zeroed,
    values_masked,
    scores_summed,
    sums_over_queries,
    averaged,
    words_added,
    sentence_summed,
    scores_returned,
    results_swapped,
)
