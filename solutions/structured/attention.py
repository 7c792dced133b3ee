"""Structured self-attention (Lin et al., 2017): a sentence becomes a matrix, one row for each look at it."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax


def penalty_by_hand() -> tuple[float, float]:
    """Return the entry of M that (a) asks for and the penalty of (b), worked out on paper."""
    return 4.0, 0.5604


def hop_weights(
    H: Float[Tensor, "batch source value_dim"],
    W_s1: Float[Tensor, "hidden value_dim"],
    W_s2: Float[Tensor, "hops hidden"],
    mask: Bool[Tensor, "batch source"] | None = None,
) -> Float[Tensor, "batch hops source"]:
    """Return the weights of all hops, a row for each, over the words of the sentence: A = softmax(W_s2 tanh(W_s1 Hᵀ)).

    Lin et al. (2017), the model. The mask, for sentences of unequal length, is that of the authors' program.
    """
    scores = W_s2 @ torch.tanh(W_s1 @ H.transpose(1, 2))  # (batch, hops, source)
    return masked_softmax(scores, None if mask is None else mask[:, None].expand_as(scores))


def penalization(A: Float[Tensor, "batch hops source"]) -> Float[Tensor, " batch"]:
    """Return for each sentence how far its hops are from one word each, all of them different: ‖AAᵀ - I‖²_F.

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


def hop_overlap(
    A: Float[Tensor, "batch hops source"], mask: Bool[Tensor, "batch source"] | None = None
) -> Float[Tensor, "batch hops hops"]:
    """Return the similarity of each two hops of a sentence, the cosine of their rows: a_i · a_j / (‖a_i‖ ‖a_j‖).

    Weight at padding, where mask is False, does not count. The paper compares its hops by eye; the number is
    ours.
    """
    if mask is not None:
        A = A.masked_fill(~mask[:, None], 0)
    rows = torch.nn.functional.normalize(A, dim=-1)
    return rows @ rows.transpose(1, 2)


def pruned_output(
    M: Float[Tensor, "batch hops value_dim"],
    W_v: Float[Tensor, "hops per_hop value_dim"],
    W_h: Float[Tensor, "value_dim per_feature hops"],
) -> Float[Tensor, "batch hidden_units"]:
    """Return the pruned hidden layer, after ReLU: units of each row of M, and behind them units of each column.

    Row i becomes W_v[i] m_i, and column j becomes W_h[j] m'_j: a unit reads one row or one column of M, and no other.

    Lin et al. (2017), appendix A. The layout of the matrices and the order of the units are ours.
    """
    of_rows = torch.einsum("brd,rpd->brp", M, W_v)
    of_columns = torch.einsum("brd,dqr->bdq", M, W_h)
    return torch.cat([of_rows.flatten(1), of_columns.flatten(1)], dim=1).relu()


def penalty_backward(
    d_penalty: Float[Tensor, " batch"],
    scores: Float[Tensor, "batch hops source"],
    mask: Bool[Tensor, "batch source"] | None = None,
) -> Float[Tensor, "batch hops source"]:
    """Return ∂L/∂scores, given ∂L/∂P of each sentence, where P = ‖AAᵀ - I‖²_F and A = softmax(scores); no autograd.

    The chain rule on the penalization term of Lin et al. (2017); padding gets 0.
    """
    A = masked_softmax(scores, None if mask is None else mask[:, None].expand_as(scores))
    identity = torch.eye(A.shape[1], dtype=A.dtype, device=A.device)
    G = 4 * (A @ A.transpose(1, 2) - identity) @ A  # ∂P/∂A
    of_one = A * (G - (A * G).sum(dim=-1, keepdim=True))  # ∂P/∂e_ij = a_ij (g_ij - Σ_k a_ik g_ik): of one sentence
    return d_penalty[:, None, None] * of_one
