"""Local attention that computes only its window: 2D + 2 scores a target word, however long the sentence is."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax


def window_positions(p: Float[Tensor, "batch target"], D: int | float) -> Int[Tensor, "batch target slots"]:
    """Return the 2D + 2 whole numbers from the one below p - D on: all that are at most D away from p are among them.

    Some lie outside the window or the sentence; window_attention masks them.
    """
    return (p.detach() - D).floor().long()[..., None] + torch.arange(int(2 * D) + 2, device=p.device)


def window_attention(
    h_t: Float[Tensor, "batch target units"],
    h_s: Float[Tensor, "batch source key_dim"],
    W_a: Float[Tensor, "units key_dim"],
    p: Float[Tensor, "batch target"],
    lengths: Int[Tensor, " batch"],
    D: int | float,
) -> tuple[Float[Tensor, "batch target key_dim"], Float[Tensor, "batch target slots"]]:
    """Return the context and the weights of local attention; the weights are those of `window_positions`, in order.

    a_t(s) = align(h_t, h_s) · exp(-(s - p)² / (2σ²)), σ = D/2: what local_p_weights computes over all positions.

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
    return (weights[..., None, :] @ near)[..., 0, :], weights
