"""Additive attention (Bahdanau, Cho and Bengio, 2015): where should the decoder look?"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor


def masked_softmax(
    scores: Float[Tensor, "*batch source"], mask: Bool[Tensor, "*batch source"] | None = None
) -> Float[Tensor, "*batch source"]:
    """Return the softmax over the positions where mask is True; a row with no True gives zeros.

    α_j = exp(e_j) / Σ_k exp(e_k), with j and k over the positions that may be attended to.

    Bahdanau et al. (2015), equation 6. The mask is ours, for sentences of unequal length.
    """
    if mask is None:
        return scores.softmax(dim=-1)
    # The smallest finite number, not -inf: a row of -inf alone would give NaN.
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask


def additive_scores(
    projected_query: Float[Tensor, "batch hidden"],
    projected_keys: Float[Tensor, "batch source hidden"],
    v: Float[Tensor, " hidden"],
) -> Float[Tensor, "batch source"]:
    """Return how well each key fits the query, both projected: e_j = v · tanh(W_q s + W_k h_j).

    Bahdanau et al. (2015), appendix A.1.2. The keys do not change while a sentence is
    decoded: the caller projects them once.
    """
    return torch.tanh(projected_query[:, None] + projected_keys) @ v


def weighted_sum(
    weights: Float[Tensor, "batch source"], values: Float[Tensor, "batch source value_dim"]
) -> Float[Tensor, "batch value_dim"]:
    """Return the context, one vector per sentence: c = Σ_j α_j h_j.

    Bahdanau et al. (2015), equation 5.
    """
    return torch.bmm(weights[:, None], values)[:, 0]


def additive_attention(
    query: Float[Tensor, "batch query_dim"],
    keys: Float[Tensor, "batch source key_dim"],
    values: Float[Tensor, "batch source value_dim"],
    W_q: Float[Tensor, "hidden query_dim"],
    W_k: Float[Tensor, "hidden key_dim"],
    v: Float[Tensor, " hidden"],
    mask: Bool[Tensor, "batch source"] | None = None,
) -> tuple[Float[Tensor, "batch value_dim"], Float[Tensor, "batch source"]]:
    """Return the context and the weights of one query s: e_j = v · tanh(W_q s + W_k h_j).

    c = Σ_j α_j h_j, with α = softmax(e). In the paper keys and values are the same vectors h.

    Bahdanau et al. (2015), equations 5 and 6, and appendix A.1.2 for the score.
    """
    scores = additive_scores(query @ W_q.T, keys @ W_k.T, v)
    weights = masked_softmax(scores, mask)
    return weighted_sum(weights, values), weights
