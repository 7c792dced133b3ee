"""Self-attention: every position of a sentence asks, and every position answers; and what a layer of it costs."""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from solutions.bahdanau.attention import masked_softmax


def scaled_dot_product(
    query: Float[Tensor, "*batch target key_dim"],
    key: Float[Tensor, "*batch source key_dim"],
    value: Float[Tensor, "*batch source value_dim"],
    mask: Bool[Tensor, "*#batch #target #source"] | None = None,
) -> tuple[Float[Tensor, "*batch target value_dim"], Float[Tensor, "*batch target source"]]:
    """Return the output and the weights: softmax(QKᵀ/√d_k) V, the softmax over the source; d_k is the width of a key.

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
    """Return the context and the weights of every word: softmax(QKᵀ/√d_k) V with Q = X W_qᵀ, K = X W_kᵀ, V = X W_vᵀ.

    Vaswani et al. (2017), equation 1 and section 3.2.3, with one head.
    """
    every_row = None if mask is None else mask[:, None]
    return scaled_dot_product(X @ W_q.T, X @ W_k.T, X @ W_v.T, every_row)


class SelfAttention(nn.Module):
    """Self-attention with its matrices: W_q and W_k (key_dim, embedding_dim), W_v (value_dim, embedding_dim).

    Vaswani et al. (2017), equation 1, as a layer with one head.
    """

    def __init__(self, embedding_dim: int, key_dim: int, value_dim: int) -> None:
        """Draw normal numbers over √embedding_dim: products keep about the size of the words."""
        super().__init__()
        size = 1 / math.sqrt(embedding_dim)
        self.W_q = nn.Parameter(size * torch.randn(key_dim, embedding_dim))
        self.W_k = nn.Parameter(size * torch.randn(key_dim, embedding_dim))
        self.W_v = nn.Parameter(size * torch.randn(value_dim, embedding_dim))

    def forward(
        self, X: Float[Tensor, "batch source embedding_dim"], mask: Bool[Tensor, "batch source"] | None = None
    ) -> tuple[Float[Tensor, "batch source value_dim"], Float[Tensor, "batch source source"]]:
        """Return the output and the weights of every word."""
        return self_attention(X, self.W_q, self.W_k, self.W_v, mask)


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


def exact_layer_cost(kind: str, n: int, d: int, k: int, r: int) -> int:
    """Return the number of multiplications in the matrix products of one layer, its projections included.

    The layer maps n vectors of width d to n vectors of width d; queries, keys and values are as wide, and a recurrent
    layer is tanh(Wx + Uh). The rows of table 1 of Vaswani et al. (2017), with what its O(·) leaves out.
    """
    projections = 3 * n * d * d
    match kind:
        case "self_attention":
            return projections + 2 * n * n * d
        case "recurrent":
            return 2 * n * d * d
        case "convolution":
            return k * n * d * d
        case "restricted":
            return projections + 2 * r * n * d
    raise ValueError(
        f"exact_layer_cost: kind must be self_attention, recurrent, convolution or restricted; got '{kind}'. "
        "Choose one."
    )


def crossing_length(d: int, gates: int) -> int:
    """Return the smallest n ≥ 1 from which on self-attention takes more multiplications than `gates` recurrent layers.

    Both are counted by `exact_layer_cost`. A GRU computes three such layers at each step, an LSTM four.
    """
    return max(1, (2 * gates - 3) * d // 2 + 1)  # 3nd² + 2n²d > 2 · gates · nd²


def rotated(
    x: Float[Tensor, "*batch source width"], positions: Int[Tensor, " source"], base: float
) -> Float[Tensor, "*batch source width"]:
    """Return x with the pair of features 2i and 2i + 1 at position p turned by the angle p · base^(−2i/width).

    Rotary position embedding, Su et al. (2021), equations 15 and 34. The width is even.
    """
    width = x.shape[-1]
    rates = base ** (-torch.arange(0, width, 2, device=x.device) / width)
    angles = positions[:, None] * rates
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


def chunked_attention(
    Q: Float[Tensor, "*batch target key_dim"],
    K: Float[Tensor, "*batch source key_dim"],
    V: Float[Tensor, "*batch source value_dim"],
    chunk: int,
    mask: Bool[Tensor, "*#batch #target #source"] | None = None,
) -> Float[Tensor, "*batch target value_dim"]:
    """Return softmax(QKᵀ/√d_k) V, reading `chunk` keys in each turn: target × chunk scores are in memory, never all.

    The softmax is online: Milakov and Gimelshein (2018), algorithm 3; with values, Rabe and Staats (2021), section 2.
    """
    scaled = Q / math.sqrt(Q.shape[-1])
    mask = None if mask is None else mask.expand(*Q.shape[:-1], K.shape[-2])
    maximum = Q.new_full((*Q.shape[:-1], 1), torch.finfo(Q.dtype).min)
    total, output = torch.zeros_like(maximum), Q.new_zeros(*Q.shape[:-1], V.shape[-1])
    for start in range(0, K.shape[-2], chunk):
        here = slice(start, start + chunk)
        scores = scaled @ K[..., here, :].transpose(-2, -1)
        if mask is not None:
            scores = scores.masked_fill(~mask[..., here], -math.inf)
        larger = torch.maximum(maximum, scores.amax(dim=-1, keepdim=True).detach())
        shrunk, grown = (maximum - larger).exp(), (scores - larger).exp()
        total = shrunk * total + grown.sum(dim=-1, keepdim=True)
        output = shrunk * output + grown @ V[..., here, :]
        maximum = larger
    return output / total


def weights_by_hand() -> tuple[list[list[float]], list[list[float]]]:
    """Return two rows of weights and two outputs: first without a mask, then with the third word as padding."""
    return [[1 / 3, 1 / 6, 1 / 2], [2 / 3, 1 / 3, 0.0]], [[3.0, 4.0], [4.0, 4.0]]
