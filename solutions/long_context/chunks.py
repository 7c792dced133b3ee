"""Linear attention in pieces: parallel within a chunk, a state from one chunk to the next, with or without a gate."""

import torch
from jaxtyping import Float
from torch import Tensor


def chunked(
    query: Float[Tensor, "batch length key_dim"],
    key: Float[Tensor, "batch length key_dim"],
    value: Float[Tensor, "batch length value_dim"],
    chunk: int,
    log_gate: Float[Tensor, "batch length"] | None = None,
) -> Float[Tensor, "batch length value_dim"]:
    """Return y_t = Σ_{s ≤ t} exp(g_{s+1} + … + g_t) (q_t · k_s) v_s, with g the logarithm of a gate, or 0.

    That is S_t = exp(g_t) S_{t-1} + k_t v_tᵀ, y_t = S_tᵀ q_t: a chunk's positions are read all at once, the chunks one
    after the other. With features of queries and keys, and a column of ones behind the values for the divisor, it is
    `linear_attention`.

    Yang et al. (2024), "Gated Linear Attention Transformers", for the chunks; the scalar gate is of Dao and Gu (2024).
    """
    gate = query.new_zeros(query.shape[:2]) if log_gate is None else log_gate
    state, outputs = query.new_zeros(len(query), query.shape[-1], value.shape[-1]), []
    for start in range(0, query.shape[1], chunk):
        q, k, v, g = (each[:, start : start + chunk] for each in (query, key, value, gate))
        since = g.cumsum(dim=1)  # (batch, chunk), from the beginning of the chunk
        decay = (since[:, :, None] - since[:, None]).tril().exp().tril()
        outputs.append((q @ k.transpose(1, 2) * decay) @ v + since.exp()[..., None] * (q @ state))
        left = (since[:, -1:] - since).exp()
        state = since[:, -1].exp()[:, None, None] * state + (k * left[..., None]).transpose(1, 2) @ v
    return torch.cat(outputs, dim=1)
