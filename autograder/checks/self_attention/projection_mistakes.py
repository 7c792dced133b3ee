"""What goes wrong in self-attention with projections, and in the scaled dot product that it calls."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from autograder.checks.renamed import renamed
from autograder.checks.self_attention.mistakes import SOFTMAXES, rows
from autograder.checks.together import instead_of
from solutions.bahdanau.attention import masked_softmax
from solutions.self_attention.attention import scaled_dot_product, self_attention


def scores_of(query: Tensor, key: Tensor) -> Tensor:
    """Return the right scores."""
    return query @ key.mT / query.shape[-1] ** 0.5


def root_of_width(query: Tensor, key: Tensor, value: Tensor) -> float:
    return query.shape[-1] ** 0.5


@dataclass(frozen=True)
class Product:
    """The scaled dot product in parts, each of which can be put wrong."""

    products: Callable = lambda query, key: query @ key.mT
    divisor: Callable = root_of_width
    softmax: Callable = masked_softmax

    def __call__(self, query, key, value, mask):
        scores = self.products(query, key) / self.divisor(query, key, value)
        weights = self.softmax(scores, None if mask is None else mask.expand_as(scores))
        return weights @ value, weights


def product_with(softmax: Callable) -> Callable:
    """Return the scaled dot product with a wrong masked softmax: the same mistake, the same hint."""

    @renamed(softmax)
    def product(*arguments):
        return Product(softmax=softmax)(*arguments)

    return instead_of(masked_softmax, softmax, product)


def not_scaled(*arguments):
    """The scores are not divided by √d_k. Without it they grow with the width, and the softmax is nearly all on one
    word."""
    return Product(divisor=lambda query, key, value: 1)(*arguments)


def scaled_twice(*arguments):
    """The scores are divided by d_k. It is the square root: √d_k. (Or √d_k divides both queries and scores.)"""
    return Product(divisor=lambda query, key, value: query.shape[-1])(*arguments)


def multiplied_by_root(*arguments):
    """The scores are multiplied by √d_k. They should be divided by it."""

    def products(query, key):
        return query @ key.mT * query.shape[-1] ** 0.5

    return Product(products=products, divisor=lambda query, key, value: 1)(*arguments)


def root_of_positions(*arguments):
    """The scores are divided by the root of the number of positions, √S. It is the width of a key: √d_k."""
    return Product(divisor=lambda query, key, value: key.shape[-2] ** 0.5)(*arguments)


def root_of_value_width(*arguments):
    """The scores are divided by the root of the width of a value. It is the width of a key: √d_k."""
    return Product(divisor=lambda query, key, value: value.shape[-1] ** 0.5)(*arguments)


def scaled_after_softmax(query, key, value, mask):
    """The weights are divided by √d_k: they no longer sum to 1. The scores are divided, before the softmax."""
    weights = Product(divisor=lambda *_: 1)(query, key, value, mask)[1] / query.shape[-1] ** 0.5
    return weights @ value, weights


def key_viewed(*arguments):
    """The keys are given another shape by `view` or `reshape`, or not turned at all. That does not move a number: swap
    the last two axes with `transpose(-2, -1)`."""

    def products(query, key):
        return query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])

    return Product(products=products)(*arguments)


def key_asks(*arguments):
    """The keys ask and the queries answer: KQᵀ, or W_q and W_k have changed places. Rows belong to queries: QKᵀ."""
    return Product(products=lambda query, key: key @ query.mT)(*arguments)


def keys_summed(query, key, value, mask):
    """The sum is one of the keys. The weights come from the keys; what is added up are the values."""
    return scaled_dot_product(query, key, key, mask)


def queries_summed(query, key, value, mask):
    """The sum is one of the queries. What is added up are the values."""
    return scaled_dot_product(query, key, query, mask)


def first_of_batch(query, key, value, mask):
    """Every sentence attends to the words of the first one. Each attends to its own."""
    return scaled_dot_product(query, key[:1].expand_as(key), value[:1].expand_as(value), mask)


def values_masked(query, key, value, mask):
    """The mask takes the padding out of the sum, and not out of the softmax: padding still takes its share of the
    weight. Mask the scores."""
    weights = scores_of(query, key).softmax(-1)
    return (weights if mask is None else weights * mask) @ value, weights


def scores_summed(query, key, value, mask):
    """The output is made with the scores. It is made with the weights, after the softmax."""
    return scores_of(query, key) @ value, scaled_dot_product(query, key, value, mask)[1]


def sums_over_queries(query, key, value, mask):
    """The weights are transposed before the sum. Row i holds query i's weights: weights @ value."""
    weights = scaled_dot_product(query, key, value, mask)[1]
    return weights.mT @ value, weights


def averaged(query, key, value, mask):
    """The sum is divided by the number of positions. The weights already sum to 1: add up, do not average."""
    output, weights = scaled_dot_product(query, key, value, mask)
    return output / key.shape[-2], weights


def scores_returned(query, key, value, mask):
    """The second result holds the scores. Return the weights, after the softmax."""
    return scaled_dot_product(query, key, value, mask)[0], scores_of(query, key)


def results_swapped(query, key, value, mask):
    """The results have changed places. The output, the context, comes first, then the weights."""
    return scaled_dot_product(query, key, value, mask)[::-1]


def mask_turned(query, key, value, mask):
    """The mask is transposed. Its rows belong to the queries and its columns to the keys, as in the scores."""
    return scaled_dot_product(query, key, value, None if mask is None else mask.mT)


def first_row_of_mask(query, key, value, mask):
    """Every query gets the mask of the first. Each row of the mask belongs to a query of its own."""
    return scaled_dot_product(query, key, value, None if mask is None else mask[..., :1, :])


# What can be wrong in the product itself, whoever makes the queries, keys and values.
ANYWHERE = (
    *(product_with(softmax) for softmax in SOFTMAXES),
    not_scaled,
    scaled_twice,
    multiplied_by_root,
    root_of_positions,
    root_of_value_width,
    scaled_after_softmax,
    key_viewed,
    key_asks,
    keys_summed,
    queries_summed,
    first_of_batch,
    values_masked,
    scores_summed,
    sums_over_queries,
    averaged,
    scores_returned,
    results_swapped,
)

PRODUCT = (*ANYWHERE, mask_turned, first_row_of_mask)


def projected(product: Callable) -> Callable:
    """Return self-attention around a wrong product: the same mistake, the same hint."""

    @renamed(product)
    def attention(X, W_q, W_k, W_v, mask):
        return product(X @ W_q.T, X @ W_k.T, X @ W_v.T, rows(mask, X @ X.mT))

    return instead_of(scaled_dot_product, product, attention)


def root_of_model_width(X, W_q, W_k, W_v, mask):
    """The scores are divided by the root of the words' width, √d. It is the width of a key, √d_k: the sums have d_k
    terms."""
    wider = X.shape[-1] ** 0.5 / len(W_k) ** 0.5
    return self_attention(X, W_q / wider, W_k, W_v, mask)


def projections_viewed(X, W_q, W_k, W_v, mask):
    """The matrices are given another shape by `view` or `reshape`, or applied as they are. They are stored as
    (out, in): turn them, x @ W.T."""
    turned = [W.reshape(W.shape[::-1]).T for W in (W_q, W_k, W_v)]
    return self_attention(X, turned[0], turned[1], turned[2], mask)


def values_unprojected(X, W_q, W_k, W_v, mask):
    """The sum is one of the words themselves. Values are projected too: X @ W_v.T."""
    return self_attention(X, W_q, W_k, torch.eye(X.shape[-1]), mask)


def queries_unprojected(X, W_q, W_k, W_v, mask):
    """W_q plays no part: the words themselves ask. Queries are X @ W_q.T."""
    return self_attention(X, torch.eye(X.shape[-1]), W_k, W_v, mask)


def keys_unprojected(X, W_q, W_k, W_v, mask):
    """W_k plays no part: the words themselves are the keys. Keys are X @ W_k.T."""
    return self_attention(X, W_q, torch.eye(X.shape[-1]), W_v, mask)


def one_projection(X, W_q, W_k, W_v, mask):
    """Queries and keys are made with the same matrix, W_q. Keys have their own: W_k."""
    return self_attention(X, W_q, W_q, W_v, mask)


def padding_zeroed(X, W_q, W_k, W_v, mask):
    """The padding is set to 0 before it is projected. A score of 0 is no weight of 0: exp(0) is 1. Mask the scores."""
    return self_attention(X if mask is None else X * mask[..., None], W_q, W_k, W_v, None)


def words_added(X, W_q, W_k, W_v, mask):
    """The word itself is added to its context. That comes with the Transformer; here the sum stands alone."""
    context, weights = self_attention(X, W_q, W_k, W_v, mask)
    return X + context, weights


PROJECTED = (
    *(projected(product) for product in ANYWHERE),
    root_of_model_width,
    projections_viewed,
    values_unprojected,
    queries_unprojected,
    keys_unprojected,
    one_projection,
    padding_zeroed,
    words_added,
)
