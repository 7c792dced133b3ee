"""Structured self-attention (Lin et al., 2017): a sentence becomes a matrix, one row for each look at it."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax


def hop_weights(
    H: Float[Tensor, "batch source value_dim"],
    W_s1: Float[Tensor, "hidden value_dim"],
    W_s2: Float[Tensor, "hops hidden"],
    mask: Bool[Tensor, "batch source"] | None = None,
) -> Float[Tensor, "batch hops source"]:
    """Return the weights of all hops, each row over the words of its sentence: A = softmax(W_s2 tanh(W_s1 Hᵀ)).

    Lin et al. (2017), the model. The mask is ours, for sentences of unequal length.
    """
    scores = W_s2 @ torch.tanh(W_s1 @ H.transpose(1, 2))  # (batch, hops, source)
    return masked_softmax(scores, None if mask is None else mask[:, None].expand_as(scores))


def penalization(A: Float[Tensor, "batch hops source"]) -> Float[Tensor, " batch"]:
    """Return for each sentence how far its hops are from looking at one word each, all different: ‖AAᵀ - I‖²_F.

    Lin et al. (2017), the penalization term.
    """
    overlap = A @ A.transpose(1, 2)  # (batch, hops, hops)
    identity = torch.eye(A.shape[1], dtype=A.dtype, device=A.device)
    return (overlap - identity).square().sum(dim=(1, 2))


def structured_attention(
    H: Float[Tensor, "batch source value_dim"],
    W_s1: Float[Tensor, "hidden value_dim"],
    W_s2: Float[Tensor, "hops hidden"],
    mask: Bool[Tensor, "batch source"] | None = None,
) -> tuple[
    Float[Tensor, "batch hops value_dim"],
    Float[Tensor, "batch hops source"],
    Float[Tensor, " batch"],
]:
    """Return the sentences as matrices M = AH, the weights A of their hops, and the penalty of each sentence.

    A = softmax(W_s2 tanh(W_s1 Hᵀ)), with the softmax along the words; the penalty is ‖AAᵀ - I‖²_F.

    Lin et al. (2017), the model and its penalization term.
    """
    A = hop_weights(H, W_s1, W_s2, mask)
    return torch.bmm(A, H), A, penalization(A)
