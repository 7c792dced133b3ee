"""Additive attention (Bahdanau, Cho and Bengio, 2015): where should the decoder look?"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet

import torch
from jaxtyping import Bool, Float
from torch import Tensor

Links = AbstractSet[tuple[int, int]]  # (target word t, source word s), both from 0


def attention_by_hand() -> tuple[float, float]:
    """Return the context of (a) and the score of (b), worked out on paper."""
    return 6.0, -2.8


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
    """Return the score of each key for the query, both projected: e_j = v · tanh(W_q s + W_k h_j).

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

    c = Σ_j α_j value_j, with α = softmax(e); h_j is a key. In the paper keys and values are the same vectors h.

    Bahdanau et al. (2015), equations 5 and 6, and appendix A.1.2 for the score.
    """
    scores = additive_scores(query @ W_q.T, keys @ W_k.T, v)
    weights = masked_softmax(scores, mask)
    return weighted_sum(weights, values), weights


def rnnsearch_step(
    word: Float[Tensor, "batch embedding_dim"],
    state: Float[Tensor, "batch units"],
    annotations: Float[Tensor, "batch source both_units"],
    projected: Float[Tensor, "batch source hidden"],
    W_q: Float[Tensor, "hidden units"],
    v: Float[Tensor, " hidden"],
    cell: Callable[[Tensor, Tensor], Tensor],
    mask: Bool[Tensor, "batch source"] | None = None,
) -> tuple[Float[Tensor, "batch units"], Float[Tensor, "batch both_units"], Float[Tensor, "batch source"]]:
    """Return the new state s_i, the context c_i and the weights of one decoder step; the query is the state s_{i-1}.

    c_i = Σ_j α_ij h_j, with α_i = softmax_j(v · tanh(W_q s_{i-1} + projected_j)); s_i = cell([y_{i-1} ; c_i], s_{i-1}).

    Bahdanau et al. (2015), equations 4 to 6 and appendix A.1.2; `projected` holds W_k h_j, computed once per sentence.
    """
    scores = additive_scores(state @ W_q.T, projected, v)
    weights = masked_softmax(scores, mask)
    context = weighted_sum(weights, annotations)
    return cell(torch.cat([word, context], dim=-1), state), context, weights


def links_of(weights: Float[Tensor, "target source"], threshold: float | None) -> set[tuple[int, int]]:
    """Return the links (t, s) that one sentence's weights stand for.

    With a threshold, every pair whose weight is at least that; with None, for each target word t the source word with
    the largest weight, the first of several equal ones. Bahdanau et al. (2015), section 5.2.1, read them by eye.
    """
    if threshold is None:
        return set(enumerate(weights.argmax(dim=1).tolist()))
    return {(t, s) for t, s in (weights >= threshold).nonzero().tolist()}


def alignment_error_rate(links: Links, sure: Links, possible: Links) -> float:
    """Return AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|) of the links A; 0 where A and S have no element.

    Sure links count as possible ones too, whether P holds them or not: P stands for P ∪ S.

    Och and Ney (2003), section 5.
    """
    if not links and not sure:
        return 0.0
    right = len(links & sure) + len(links & (possible | sure))
    return 1 - right / (len(links) + len(sure))


def coverage_penalty(
    weights: Float[Tensor, "batch target source"], mask: Bool[Tensor, "batch source"] | None, beta: float
) -> Float[Tensor, " batch"]:
    """Return cp = β Σ_j log(min(Σ_i α_ij, 1)), j over the source words where mask is True, i over all target words.

    Wu et al. (2016), equation 14. Nothing is paid for padding.
    """
    covered = weights.sum(dim=1).clamp(max=1)
    if mask is not None:
        # Before the logarithm, not after it: that of 0 has no slope to multiply by 0.
        covered = covered.masked_fill(~mask, 1)
    return beta * covered.log().sum(dim=-1)


def additive_attention_backward(
    d_context: Float[Tensor, "batch value_dim"],
    query: Float[Tensor, "batch query_dim"],
    keys: Float[Tensor, "batch source key_dim"],
    values: Float[Tensor, "batch source value_dim"],
    W_q: Float[Tensor, "hidden query_dim"],
    W_k: Float[Tensor, "hidden key_dim"],
    v: Float[Tensor, " hidden"],
    mask: Bool[Tensor, "batch source"] | None = None,
) -> tuple[
    Float[Tensor, "batch query_dim"],
    Float[Tensor, "batch source key_dim"],
    Float[Tensor, "batch source value_dim"],
    Float[Tensor, " hidden"],
]:
    """Return ∂L/∂query, ∂L/∂keys, ∂L/∂values and ∂L/∂v of additive attention, given ∂L/∂context, without autograd.

    The chain rule on equations 5 and 6 of Bahdanau et al. (2015).
    """
    hidden = torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T)
    weights = masked_softmax(hidden @ v, mask)
    context = weighted_sum(weights, values)
    d_scores = weights * ((values - context[:, None]) * d_context[:, None]).sum(dim=-1)  # α_j gᵀ(value_j - c)
    d_sums = d_scores[..., None] * v * (1 - hidden**2)  # what arrives at the inside of the tanh
    d_values = weights[..., None] * d_context[:, None]
    return d_sums.sum(dim=1) @ W_q, d_sums @ W_k, d_values, (d_scores[..., None] * hidden).sum(dim=(0, 1))
