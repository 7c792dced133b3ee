"""Self-attention: every position of a sentence asks, and every position answers; and what a layer of it costs."""

import math

from jaxtyping import Bool, Float
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax


def scaled_dot_product(
    query: Float[Tensor, "*batch target key_dim"],
    key: Float[Tensor, "*batch source key_dim"],
    value: Float[Tensor, "*batch source value_dim"],
    mask: Bool[Tensor, "*#batch #target #source"] | None = None,
) -> tuple[Float[Tensor, "*batch target value_dim"], Float[Tensor, "*batch target source"]]:
    """Return the output and the weights: softmax(QKᵀ/√k) V, the softmax over the source; k is the width of a key.

    Vaswani et al. (2017), equation 1.
    """
    scaled = query / math.sqrt(query.shape[-1])  # not the scores: the same numbers, and float16 has room for them
    scores = scaled @ key.transpose(-2, -1)
    weights = masked_softmax(scores, None if mask is None else mask.expand_as(scores))
    return weights @ value, weights


def simple_self_attention(
    X: Float[Tensor, "batch source embedding_dim"], mask: Bool[Tensor, "batch source"] | None = None
) -> tuple[Float[Tensor, "batch source embedding_dim"], Float[Tensor, "batch source source"]]:
    """Return for each word the sum of all words, weighted by how well they fit it, and the weights: softmax(XXᵀ) X.

    There are no parameters and no scaling: what is left of equation 1 of Vaswani et al. (2017) when queries, keys and
    values are the words themselves; the update of Ramsauer et al. (2021) with X as stored patterns and states, β = 1.
    """
    scores = X @ X.transpose(1, 2)
    weights = masked_softmax(scores, None if mask is None else mask[:, None].expand_as(scores))
    return weights @ X, weights


def self_attention(
    X: Float[Tensor, "batch source embedding_dim"],
    W_q: Float[Tensor, "key_dim embedding_dim"],
    W_k: Float[Tensor, "key_dim embedding_dim"],
    W_v: Float[Tensor, "value_dim embedding_dim"],
    mask: Bool[Tensor, "batch source"] | None = None,
) -> tuple[Float[Tensor, "batch source value_dim"], Float[Tensor, "batch source source"]]:
    """Return the context and the weights of every word: softmax(QKᵀ/√k) V with Q = X W_qᵀ, K = X W_kᵀ, V = X W_vᵀ.

    Vaswani et al. (2017), equation 1 and section 3.2.3, with one head.
    """
    every_row = None if mask is None else mask[:, None]
    return scaled_dot_product(X @ W_q.T, X @ W_k.T, X @ W_v.T, every_row)


def layer_cost(kind: str, n: int, d: int, k: int, r: int) -> tuple[int, int, int | float]:
    """Return (cost, steps, path) of one layer that maps n vectors of width d to n vectors of width d.

    cost: operations; steps: how many have to wait for each other; path: the longest way from one position to another.
    k is the width of a convolution, r the neighbourhood of restricted self-attention; each O(·) has the constant 1.

    Vaswani et al. (2017), table 1.
    """
    if kind == "convolution" and k < 2:
        raise ValueError(f"layer_cost: a convolution must be at least 2 words wide; got k = {k}. Pass a larger k.")
    match kind:
        case "self_attention":
            return n * n * d, 1, 1
        case "recurrent":
            return n * d * d, n, n
        case "convolution":
            return k * n * d * d, 1, math.log(n, k)
        case "restricted":
            return r * n * d, 1, n / r
    raise ValueError(
        f"layer_cost: kind must be self_attention, recurrent, convolution or restricted; got '{kind}'. Choose one."
    )
