"""Attention that pools: one vector for a sentence (Zhou et al., 2016), and one for a document (Yang et al., 2016)."""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax, weighted_sum


def pooled_by_hand() -> tuple[float, float]:
    """Return h* of (a) and the document of (b), worked out on paper."""
    return 0.664, 7.0  # tanh 0.8


def attention_pool(
    H: Float[Tensor, "batch source value_dim"],
    w: Float[Tensor, " value_dim"],
    mask: Bool[Tensor, "batch source"] | None = None,
) -> tuple[Float[Tensor, "batch value_dim"], Float[Tensor, "batch source"]]:
    """Return one vector for each sentence, h* = tanh(r), and the weights α it was made with.

    M = tanh(H), α = softmax(M w), r = Σ_s α_s h_s. The states are the rows of H.

    Zhou et al. (2016), equations 9 to 12. There the states are the columns of H.
    """
    weights = masked_softmax(torch.tanh(H) @ w, mask)
    return torch.tanh(weighted_sum(weights, H)), weights


def context_attention(
    H: Float[Tensor, "batch words value_dim"],
    W: Float[Tensor, "hidden value_dim"],
    b: Float[Tensor, " hidden"],
    u: Float[Tensor, " hidden"],
    mask: Bool[Tensor, "batch words"] | None = None,
) -> tuple[Float[Tensor, "batch value_dim"], Float[Tensor, "batch words"]]:
    """Return one vector for each sentence, s = Σ_t α_t h_t, and the weights α.

    u_t = tanh(W h_t + b), α = softmax of u_t · u over t. The vector u is learned: it is a query that never changes.

    Yang et al. (2016), equations 5 to 7, and 8 to 10 with sentences in place of words.
    """
    weights = masked_softmax(torch.tanh(H @ W.T + b) @ u, mask)
    return weighted_sum(weights, H), weights


def hierarchical_attention(
    H: Float[Tensor, "batch sentences words value_dim"],
    W_w: Float[Tensor, "hidden value_dim"],
    b_w: Float[Tensor, " hidden"],
    u_w: Float[Tensor, " hidden"],
    W_s: Float[Tensor, "hidden value_dim"],
    b_s: Float[Tensor, " hidden"],
    u_s: Float[Tensor, " hidden"],
    mask: Bool[Tensor, "batch sentences words"] | None = None,
    sentence_encoder: Callable[
        [Float[Tensor, "batch sentences value_dim"], Bool[Tensor, "batch sentences"]],
        Float[Tensor, "batch sentences value_dim"],
    ]
    | None = None,
) -> tuple[
    Float[Tensor, "batch value_dim"],
    Float[Tensor, "batch sentences words"],
    Float[Tensor, "batch sentences"],
]:
    """Return one vector for each document, the weights of its words and the weights of its sentences.

    Attention over the words of each sentence gives a vector for the sentence, attention over these one for the
    document. A sentence without words gets zeros: for its vector, its words and itself.

    Yang et al. (2016), equations 5 to 10. `sentence_encoder` is the GRU over the sentences that stands between the
    two attentions (section 2.2); None leaves the sentences as they are.
    """
    if mask is None:
        mask = torch.ones(H.shape[:3], dtype=torch.bool, device=H.device)
    batch, sentences = H.shape[:2]
    # To the attention over words, the sentences of all documents are one large batch.
    vectors, word_weights = context_attention(H.flatten(0, 1), W_w, b_w, u_w, mask.flatten(0, 1))
    vectors = vectors.unflatten(0, (batch, sentences))
    not_empty = mask.any(dim=-1)
    if sentence_encoder is not None:
        vectors = sentence_encoder(vectors, not_empty)
    document, sentence_weights = context_attention(vectors, W_s, b_s, u_s, not_empty)
    return document, word_weights.unflatten(0, (batch, sentences)), sentence_weights


def leave_one_out(
    values: Float[Tensor, "batch source value_dim"],
    weights: Float[Tensor, "batch source"],
    mask: Bool[Tensor, "batch source"] | None = None,
) -> Float[Tensor, "batch source value_dim"]:
    """Return for each position s the pooled vector without it: Σ_{j≠s} α_j v_j / Σ_{j≠s} α_j.

    Zeros at padding, and where the other positions have no weight.

    After the leave-one-out measure of Jain and Wallace (2019), section 4.1. They run the whole model without a word;
    here the word's value alone is left out.
    """
    length = values.shape[1]
    others = weights[:, None] * ~torch.eye(length, dtype=torch.bool, device=weights.device)
    # Added up without α_s, not taken from 1: the difference of nearly equal numbers would be rounding.
    rest = others.sum(dim=-1, keepdim=True)
    pooled = others @ values / rest.masked_fill(rest == 0, 1)
    return pooled if mask is None else pooled.masked_fill(~mask[..., None], 0)


def adversarial_weights(
    weights: Float[Tensor, " source"], values: Float[Tensor, "source value_dim"], direction: Float[Tensor, " source"]
) -> Float[Tensor, " source"]:
    """Return other weights with the same pooled vector and the same sum, as far along `direction` as none is negative.

    A has the columns of `values` and a column of ones as its rows, p is the projection of `direction` onto the x with
    A x = 0: the result is α + t p with the largest t. It is α where ‖p‖ is at most a thousandth of ‖direction‖.

    After Jain and Wallace (2019), section 4.2.2, who search for weights far from α by optimisation, and let the
    prediction change a little. The closed form along one direction is ours.
    """
    A = torch.cat([values, torch.ones_like(values[:, :1])], dim=1).T
    p = direction - torch.linalg.pinv(A) @ (A @ direction)
    if p.norm() <= 1e-3 * direction.norm():
        return weights.clone()
    falls = p < 0  # p adds up to 0, so that some weight falls
    return weights + (weights[falls] / -p[falls]).min() * p
