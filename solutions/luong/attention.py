"""Multiplicative attention (Luong, Pham and Manning, 2015): three scores, a window, and attention that is fed back."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax, weighted_sum


def scores_by_hand() -> tuple[float, float]:
    """Return the score of (a) and the weight of (b), worked out on paper."""
    return 14.0, 0.2597


def dot_score(
    h_t: Float[Tensor, "batch target units"], h_s: Float[Tensor, "batch source units"]
) -> Float[Tensor, "batch target source"]:
    """Return the score of every source state for every target state: h_tᵀ h_s.

    Luong et al. (2015), section 3.1, "dot".
    """
    return h_t @ h_s.transpose(1, 2)


def general_score(
    h_t: Float[Tensor, "batch target units"],
    h_s: Float[Tensor, "batch source key_dim"],
    W_a: Float[Tensor, "units key_dim"],
) -> Float[Tensor, "batch target source"]:
    """Return the score of every source state for every target state: h_tᵀ W_a h_s.

    Luong et al. (2015), section 3.1, "general".
    """
    return h_t @ W_a @ h_s.transpose(1, 2)


def concat_score(
    h_t: Float[Tensor, "batch target units"],
    h_s: Float[Tensor, "batch source key_dim"],
    W_a: Float[Tensor, "hidden units_and_key_dim"],
    v_a: Float[Tensor, " hidden"],
) -> Float[Tensor, "batch target source"]:
    """Return the score of every source state for every target state: v_a · tanh(W_a [h_t ; h_s]).

    Luong et al. (2015), section 3.1, "concat".
    """
    units = h_t.shape[-1]
    # W_a times a concatenation is the sum of two products: each state is projected once, not once for each pair.
    from_target = h_t @ W_a[:, :units].T
    from_source = h_s @ W_a[:, units:].T
    return torch.tanh(from_target[:, :, None] + from_source[:, None]) @ v_a


def attentional_state(
    h_t: Float[Tensor, "batch units"],
    h_s: Float[Tensor, "batch source key_dim"],
    W_a: Float[Tensor, "units key_dim"],
    W_c: Float[Tensor, "units key_dim_and_units"],
    mask: Bool[Tensor, "batch source"] | None = None,
) -> tuple[Float[Tensor, "batch units"], Float[Tensor, "batch source"]]:
    """Return h̃_t = tanh(W_c [c_t ; h_t]) and the weights, with the general score: c_t = Σ_s a_t(s) h_s.

    Luong et al. (2015), equations 5 and 7.
    """
    scores = general_score(h_t[:, None], h_s, W_a)[:, 0]
    weights = masked_softmax(scores, mask)
    context = weighted_sum(weights, h_s)
    return torch.tanh(torch.cat([context, h_t], dim=-1) @ W_c.T), weights


def predicted_position(
    h_t: Float[Tensor, "*batch units"],
    W_p: Float[Tensor, "hidden units"],
    v_p: Float[Tensor, " hidden"],
    lengths: Int[Tensor, "*batch"],
) -> Float[Tensor, "*batch"]:
    """Return the position to look at, between 0 and the sentence's length: p_t = S · sigmoid(v_p · tanh(W_p h_t)).

    Luong et al. (2015), equation 9.
    """
    return lengths * torch.sigmoid(torch.tanh(h_t @ W_p.T) @ v_p)


def window(
    p: Float[Tensor, "*batch"], lengths: Int[Tensor, "*batch"], source: int, D: int | float
) -> Bool[Tensor, "*batch source"]:
    """Return True for the positions of the sentence that are at most D away from p.

    Luong et al. (2015), section 3.2: what lies outside the sentence is ignored (footnote 8).
    """
    s = torch.arange(source, device=p.device)
    return (s < lengths[..., None]) & ((s - p[..., None]).abs() <= D)


def gaussian(p: Float[Tensor, "*batch"], source: int, D: int | float) -> Float[Tensor, "*batch source"]:
    """Return for each position exp(-(s - p)² / (2σ²)) with σ = D/2: 1 at p, and less the further away.

    Luong et al. (2015), equation 10.
    """
    s = torch.arange(source, device=p.device)
    return torch.exp(-((s - p[..., None]) ** 2) / (2 * (D / 2) ** 2))


def local_p_weights(
    h_t: Float[Tensor, "batch units"],
    h_s: Float[Tensor, "batch source units"],
    W_a: Float[Tensor, "units units"],
    W_p: Float[Tensor, "hidden units"],
    v_p: Float[Tensor, " hidden"],
    lengths: Int[Tensor, " batch"],
    D: int | float,
) -> tuple[Float[Tensor, "batch source"], Float[Tensor, " batch"]]:
    """Return the weights of local attention, and the position p that it predicts.

    a_t(s) = align(h_t, h_s) · exp(-(s - p)² / (2σ²)), σ = D/2; align is the softmax of the general score over the
    real positions s with |s - p| ≤ D. The product is not divided by its sum.

    Luong et al. (2015), equations 9 and 10.
    """
    source = h_s.shape[1]
    p = predicted_position(h_t, W_p, v_p, lengths)
    scores = general_score(h_t[:, None], h_s, W_a)[:, 0]
    align = masked_softmax(scores, window(p, lengths, source, D))
    return align * gaussian(p, source, D), p


def input_feeding(
    emb: Float[Tensor, "batch target embedding_dim"],
    h0: Float[Tensor, "batch units"],
    enc: Float[Tensor, "batch source units"],
    W_x: Float[Tensor, "units embedding_dim_and_units"],
    W_h: Float[Tensor, "units units"],
    W_c: Float[Tensor, "units twice_units"],
    mask: Bool[Tensor, "batch source"] | None = None,
) -> tuple[Float[Tensor, "batch target units"], Float[Tensor, "batch target source"]]:
    """Return h̃_1 … h̃_T and the weights of a decoder that is told where it has attended.

    h_t = tanh(W_x [y_{t-1} ; h̃_{t-1}] + W_h h_{t-1}) with h̃_0 = 0; then attention with the dot score,
    and h̃_t = tanh(W_c [c_t ; h_t]). `emb` holds y_0 … y_{T-1}: step t reads the word before the one that it predicts.

    Luong et al. (2015), section 3.3. There the network is a stack of LSTMs.
    """
    h, fed = h0, torch.zeros_like(h0)
    states, all_weights = [], []
    for word in emb.unbind(dim=1):
        h = torch.tanh(torch.cat([word, fed], dim=-1) @ W_x.T + h @ W_h.T)
        weights = masked_softmax(dot_score(h[:, None], enc)[:, 0], mask)
        fed = torch.tanh(torch.cat([weighted_sum(weights, enc), h], dim=-1) @ W_c.T)
        states.append(fed)
        all_weights.append(weights)
    return torch.stack(states, dim=1), torch.stack(all_weights, dim=1)


def replaced_unknowns(
    tokens: Int[Tensor, " target"],
    weights: Float[Tensor, "target columns"],
    source: Int[Tensor, " source"],
    lexicon: Int[Tensor, " vocabulary"],
    unk: int,
) -> Int[Tensor, " target"]:
    """Return a translation with each unk replaced by what the lexicon has for the source word with the largest weight.

    Where the lexicon has nothing, -1, the source word itself is taken. Columns after the last source word do not count.

    Luong et al. (2015), section 4.2.
    """
    words = source[weights[:, : len(source)].argmax(dim=1)]
    translated = lexicon[words]
    return torch.where(tokens == unk, torch.where(translated < 0, words, translated), tokens)


def window_positions(p: Float[Tensor, "batch target"], D: int | float) -> Int[Tensor, "batch target slots"]:
    """Return the 2D + 2 whole numbers from the one below p - D on: all that are at most D away from p are among them.

    Some lie outside the window or the sentence; windowed_attention masks them.
    """
    return (p.detach() - D).floor().long()[..., None] + torch.arange(int(2 * D) + 2, device=p.device)


def windowed_attention(
    h_t: Float[Tensor, "batch target units"],
    h_s: Float[Tensor, "batch source key_dim"],
    W_a: Float[Tensor, "units key_dim"],
    p: Float[Tensor, "batch target"],
    lengths: Int[Tensor, " batch"],
    D: int | float,
) -> Float[Tensor, "batch target key_dim"]:
    """Return the contexts of local attention around p, computed from the states of the windows alone.

    c_t = Σ_s a_t(s) h_s, with a_t(s) = align(h_t, h_s) · exp(-(s - p)² / (2σ²)) and σ = D/2, as in local_p_weights.

    Luong et al. (2015), section 3.2 and equation 10.
    """
    s = window_positions(p, D)
    distance = s - p[..., None]
    inside = (distance.abs() <= D) & (s >= 0) & (s < lengths[:, None, None])
    # The states of the window, copied for each target word: (batch, target, slots, key_dim).
    sentence = torch.arange(len(h_s), device=h_s.device)[:, None, None]
    near = h_s[sentence, s.clamp(0, h_s.shape[1] - 1)]
    scores = (near @ (h_t @ W_a)[..., None])[..., 0]
    weights = masked_softmax(scores, inside) * torch.exp(-(distance**2) / (2 * (D / 2) ** 2))
    return (weights[..., None, :] @ near)[..., 0, :]
