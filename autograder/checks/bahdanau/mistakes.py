"""What goes wrong in additive attention."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from autograder.checks.bahdanau import softmax_mistakes as masking
from autograder.checks.renamed import renamed
from autograder.checks.together import instead_of
from solutions.bahdanau.attention import additive_attention, masked_softmax


def added(asked: Tensor, keys: Tensor) -> Tensor:
    return asked[:, None] + keys


@dataclass(frozen=True)
class Additive:
    """Additive attention in parts, each of which can be put wrong."""

    project: Callable = lambda query, keys, W_q, W_k: (query @ W_q.T, keys @ W_k.T)
    meet: Callable = added
    squash: Callable = torch.tanh
    score: Callable = lambda hidden, v: hidden @ v
    softmax: Callable = masked_softmax

    def __call__(self, query, keys, values, W_q, W_k, v, mask):
        hidden = self.squash(self.meet(*self.project(query, keys, W_q, W_k)))
        weights = self.softmax(self.score(hidden, v), mask)
        return torch.einsum("bs,bsd->bd", weights, values), weights


def with_softmax(softmax: Callable) -> Callable:
    """Return additive attention with a wrong masked softmax: the same mistake, the same hint."""

    @renamed(softmax)
    def attention(*arguments):
        return Additive(softmax=softmax)(*arguments)

    return instead_of(masked_softmax, softmax, attention)


def query_cancels(*arguments):
    """The weights do not depend on the query: it is left out, or its tanh is taken apart from the keys' tanh. Then it
    adds the same number to every score and cancels in the softmax. Add first, then tanh."""
    return Additive(meet=lambda asked, keys: keys)(*arguments)


def no_tanh(*arguments):
    """The tanh is missing. Without it the query adds the same number to every score and cancels in the softmax."""
    return Additive(squash=lambda x: x)(*arguments)


def relu(*arguments):
    """There is a ReLU where the formula has a tanh."""
    return Additive(squash=torch.relu)(*arguments)


def sigmoid(*arguments):
    """There is a sigmoid where the formula has a tanh."""
    return Additive(squash=torch.sigmoid)(*arguments)


def tanh_outside(*arguments):
    """The tanh comes after the product with v. It stands inside: v · tanh(W_q query + W_k key)."""
    return Additive(squash=lambda x: x, score=lambda hidden, v: torch.tanh(hidden @ v))(*arguments)


def scaled(*arguments):
    """The scores are divided by √h. Additive attention does not scale: that belongs to the dot product."""
    return Additive(score=lambda hidden, v: hidden @ v / len(v) ** 0.5)(*arguments)


def first_query_for_all(query, keys, values, W_q, W_k, v, mask):
    """Every sentence is asked with the query of the first one. Each has its own: which axis of the projected query is
    that of the sentences?"""
    return additive_attention(query[:1].expand_as(query), keys, values, W_q, W_k, v, mask)


def axes_mixed(*arguments):
    """The projected query (B,h) is added to the keys (B,S,h) without a new axis. Where B and S happen to be equal this
    runs, and gives the query of sentence j to position j. Where does the query need an axis of length 1?"""
    return Additive(meet=lambda asked, keys: asked + keys)(*arguments)


def not_transposed(*arguments):
    """The weight matrices are used as stored, (out, in), or turned by `view`, which moves no number: x @ W.T."""
    return Additive(project=lambda query, keys, W_q, W_k: (query @ W_q, keys @ W_k))(*arguments)


def query_not_transposed(*arguments):
    """W_q is applied without a transpose. It is stored as (out, in): query @ W_q.T."""
    return Additive(project=lambda query, keys, W_q, W_k: (query @ W_q, keys @ W_k.T))(*arguments)


def keys_not_transposed(*arguments):
    """W_k is applied without a transpose. It is stored as (out, in): keys @ W_k.T."""
    return Additive(project=lambda query, keys, W_q, W_k: (query @ W_q.T, keys @ W_k))(*arguments)


def projections_swapped(*arguments):
    """W_q is applied to the keys and W_k to the query. W_q belongs to the query."""
    return Additive(project=lambda query, keys, W_q, W_k: (query @ W_k.T, keys @ W_q.T))(*arguments)


def sums_keys(query, keys, values, W_q, W_k, v, mask):
    """The context is a weighted sum of the keys. It is one of the values."""
    return additive_attention(query, keys, keys, W_q, W_k, v, mask)


def sums_features(query, keys, values, W_q, W_k, v, mask):
    """The weighted values are added up over their features, (B, S). Add up over the positions: (B, d)."""
    _, weights = additive_attention(query, keys, values, W_q, W_k, v, mask)
    return (weights[..., None] * values).sum(2), weights


def every_sentence(query, keys, values, W_q, W_k, v, mask):
    """`weights @ values` multiplies the weights of every sentence with the values of every other: (B, B, d). Give the
    weights an axis for one product a sentence, `weights[:, None] @ values`, and take it away again."""
    _, weights = additive_attention(query, keys, values, W_q, W_k, v, mask)
    return weights @ values, weights


def mean_of_values(query, keys, values, W_q, W_k, v, mask):
    """The context is divided by the number of positions. The weights already sum to 1: add up, do not average."""
    context, weights = additive_attention(query, keys, values, W_q, W_k, v, mask)
    return context / keys.shape[1], weights


def scores_returned(query, keys, values, W_q, W_k, v, mask):
    """The second result holds the scores. Return the weights, after the softmax."""
    context, _ = additive_attention(query, keys, values, W_q, W_k, v, mask)
    return context, torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T) @ v


def order_swapped(query, keys, values, W_q, W_k, v, mask):
    """The results have changed places. The context comes first, then the weights."""
    return additive_attention(query, keys, values, W_q, W_k, v, mask)[::-1]


def without_v(*arguments):
    """v is missing: the scores are plain sums of the tanh. Each unit has its weight: v · tanh(W_q query + W_k key)."""
    return Additive(score=lambda hidden, v: hidden.sum(-1))(*arguments)


def product_of_projections(*arguments):
    """The projected query and key are multiplied. They are added: v · tanh(W_q query + W_k key)."""
    return Additive(meet=lambda asked, keys: asked[:, None] * keys)(*arguments)


def dot_product(*arguments):
    """The score is the dot product of the projected query and key. Here it is v · tanh(W_q query + W_k key)."""

    def meet(asked, keys):
        return asked[:, None] * keys

    return Additive(meet=meet, squash=lambda x: x, score=lambda hidden, v: hidden.sum(-1))(*arguments)


def context_keeps_axis(query, keys, values, W_q, W_k, v, mask):
    """The context is (B,1,d): the axis that the matrix product needed is still there. Take it away: `[:, 0]`."""
    context, weights = additive_attention(query, keys, values, W_q, W_k, v, mask)
    return context[:, None], weights


def weights_keep_axis(query, keys, values, W_q, W_k, v, mask):
    """The weights are (B,S,1): the axis that the matrix product needed is still there. Take it away: `[..., 0]`."""
    context, weights = additive_attention(query, keys, values, W_q, W_k, v, mask)
    return context, weights[..., None]


# tiny_fill is scores_times_mask where every row may look somewhere: their numbers cannot be told apart.
MASKING = tuple(
    with_softmax(softmax)
    for softmax in (
        *masking.MASK_MISREAD,
        masking.filled_and_masked,
        *masking.WEIGHTS_WRONG,
        masking.over_everything,
        masking.infinity_times_mask,
        masking.not_divided,
        masking.softmax_twice,
        masking.first_mask_for_all,
    )
)

ADDITIVE = (
    *MASKING,
    query_cancels,
    no_tanh,
    relu,
    sigmoid,
    tanh_outside,
    scaled,
    first_query_for_all,
    axes_mixed,
    not_transposed,
    query_not_transposed,
    keys_not_transposed,
    projections_swapped,
    sums_keys,
    sums_features,
    every_sentence,
    mean_of_values,
    scores_returned,
    order_swapped,
    without_v,
    product_of_projections,
    dot_product,
    context_keeps_axis,
    weights_keep_axis,
)
