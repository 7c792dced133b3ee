"""A language model's parts as today's models have them: rotary positions, shared keys and values, a cache, sampling."""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax
from solutions.self_attention.attention import scaled_dot_product
from solutions.transformer.attention import merge_heads, split_heads


def causal_mean(x: Float[Tensor, "batch length d_model"]) -> Float[Tensor, "batch length d_model"]:
    """Return the mean of each position and all before it: y_t = (x_0 + … + x_t) / (t + 1).

    As a product with a matrix whose rows are attention weights: equal up to the diagonal, 0 beyond it.
    """
    length = x.shape[1]
    weights = torch.ones(length, length).to(x).tril()
    return weights / weights.sum(dim=-1, keepdim=True) @ x


def rms_norm(
    x: Float[Tensor, "*batch d_model"], gamma: Float[Tensor, " d_model"], eps: float = 1e-6
) -> Float[Tensor, "*batch d_model"]:
    """Return γ ∘ x / √(mean(x²) + ε), the mean over the features of each position.

    Zhang and Sennrich (2019), equation 4; ε is ours and keeps the divisor above 0.
    """
    return gamma * x / torch.sqrt((x**2).mean(dim=-1, keepdim=True) + eps)


def swiglu(
    x: Float[Tensor, "*batch d_model"],
    W_1: Float[Tensor, "inner d_model"],
    W_gate: Float[Tensor, "inner d_model"],
    W_2: Float[Tensor, "d_model inner"],
) -> Float[Tensor, "*batch d_model"]:
    """Return W_2 (silu(W_gate x) ∘ W_1 x), with silu(z) = z · sigmoid(z).

    Shazeer (2020), equation 6, without biases.
    """
    gate = x @ W_gate.T
    return (gate * torch.sigmoid(gate) * (x @ W_1.T)) @ W_2.T


def rope(
    x: Float[Tensor, "*batch length head_dim"], positions: Int[Tensor, " length"], base: float = 10000.0
) -> Float[Tensor, "*batch length head_dim"]:
    """Return x with each pair of features (i, i + d/2) turned by the angle position / base^(2i/d).

    The product of a query at m with a key at n then depends on the two vectors, and on positions only through m - n.

    Su et al. (2021), equation 34. They pair features (2i, 2i + 1); the halves are a permutation of that.
    """
    half = x.shape[-1] // 2
    angle = positions[:, None] / base ** (torch.arange(half, device=x.device) / half)
    cos, sin = angle.cos().to(x), angle.sin().to(x)
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


def grouped_query_attention(
    query: Float[Tensor, "batch heads target head_dim"],
    key: Float[Tensor, "batch kv_heads source head_dim"],
    value: Float[Tensor, "batch kv_heads source value_dim"],
    mask: Bool[Tensor, "batch source"] | None = None,
) -> tuple[Float[Tensor, "batch heads target value_dim"], Float[Tensor, "batch heads target source"]]:
    """Return the context and the weights of causal attention whose heads share keys and values in groups.

    Query heads g·i to g·i + g - 1 read key–value head i, with g = heads / kv_heads. The queries are those of the last
    positions of the source, so the newest sees everything. `mask` is False at padding.

    Ainslie et al. (2023), section 2.2; one key–value head is Shazeer's (2019) multi-query attention.
    """
    group, (target, source) = query.shape[1] // key.shape[1], (query.shape[2], key.shape[2])
    seen = torch.ones(target, source, dtype=torch.bool, device=query.device).tril(source - target)
    if mask is not None:
        seen = seen & mask[:, None, None]
    key, value = (each.repeat_interleave(group, dim=1) for each in (key, value))
    return scaled_dot_product(query, key, value, seen)


def cached_step(
    x: Float[Tensor, "batch d_model"],
    cache: Float[Tensor, "2 batch kv_heads past head_dim"],
    params: dict[str, Tensor],
    mask: Bool[Tensor, "batch past+1"] | None = None,
) -> tuple[Float[Tensor, "batch d_model"], Float[Tensor, "2 batch kv_heads past+1 head_dim"]]:
    """Return the attention's output at the newest position, and the cache with its key and value.

    Keys are kept turned, so that none is turned twice. `mask` is False at the padding on the left: positions count
    from there too, which changes nothing: positions enter a product only through their distance.
    """
    kv_heads, past, head_dim = cache.shape[2:]
    heads = len(params["W_q"]) // head_dim
    q, k, v = (
        split_heads((x @ params[f"W_{name}"].T)[:, None], count)
        for name, count in (("q", heads), ("k", kv_heads), ("v", kv_heads))
    )
    here = torch.tensor([past], device=x.device)
    cache = torch.cat([cache, torch.stack([rope(k, here), v])], dim=-2)
    context, _ = grouped_query_attention(rope(q, here), cache[0], cache[1], mask)
    return merge_heads(context)[:, 0] @ params["W_o"].T, cache


def next_probabilities(
    logits: Float[Tensor, "*batch vocabulary"], temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0
) -> Float[Tensor, "*batch vocabulary"]:
    """Return the probabilities from which the next token is drawn: temperature, then top-k, then top-p.

    Top-k keeps the k largest (0: all); top-p keeps the fewest most probable tokens that have p together, the one that
    crosses p included (1: all). What is left is divided by its sum.

    Holtzman et al. (2020) for top-p; Fan et al. (2018) for top-k.
    """
    scores = logits - logits.amax(dim=-1, keepdim=True)  # a temperature near 0 may make -∞ of them, never ∞
    probabilities = (scores / max(temperature, torch.finfo(scores.dtype).tiny)).softmax(dim=-1)
    ordered, order = probabilities.sort(dim=-1, descending=True, stable=True)
    if top_k:
        ordered = torch.where(torch.arange(ordered.shape[-1], device=logits.device) < top_k, ordered, 0.0)
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    if top_p < 1:
        before = ordered.cumsum(dim=-1) - ordered
        ordered = torch.where(before < top_p, ordered, 0.0)
    kept = torch.zeros_like(probabilities).scatter(-1, order, ordered)
    return kept / kept.sum(dim=-1, keepdim=True)


def induction_score(weights: Float[Tensor, "heads length length"], period: int) -> Float[Tensor, " heads"]:
    """Return, for each head, the mean weight on the token that followed the last time, on a text that repeats itself.

    The text is a random one of `period` tokens, several times. From its second round on, position t has read the same
    token at t - period, and what came next stands at t - period + 1.

    Olsson et al. (2022), "prefix matching" score, which counts the weights on all earlier rounds.
    """
    rows = torch.arange(period, weights.shape[-1], device=weights.device)
    return weights[:, rows, rows - period + 1].mean(dim=-1)


def latent_attention(
    x: Float[Tensor, "batch length d_model"], params: dict[str, Tensor], heads: int
) -> tuple[
    Float[Tensor, "batch length d_model"], Float[Tensor, "batch length latent"], Float[Tensor, "batch length turned"]
]:
    """Return causal attention whose keys and values are made of one narrow vector a position, and what is kept.

    c = W_down x; in head i: k = [W_uk c; R W_kr x] and q = [W_q x; R W_qr x], v = W_uv c. The turned part of a key is
    one for all heads. Kept are c and that part, which together are narrower than the keys and values of the heads.

    DeepSeek-AI (2024), equations 9 to 11 and 14 to 19, without compressed queries and norms.
    """
    positions = torch.arange(x.shape[1], device=x.device)
    latent, turned = x @ params["W_down"].T, rope(x @ params["W_kr"].T, positions)
    q, q_turned = (split_heads(x @ params[name].T, heads) for name in ("W_q", "W_qr"))
    k, v = (split_heads(latent @ params[name].T, heads) for name in ("W_uk", "W_uv"))
    query = torch.cat([q, rope(q_turned, positions)], dim=-1)
    key = torch.cat([k, turned[:, None].expand(-1, heads, -1, -1)], dim=-1)
    context, _ = grouped_query_attention(query, key, v)
    return merge_heads(context) @ params["W_o"].T, latent, turned


def latent_step(
    x: Float[Tensor, "batch d_model"],
    latent: Float[Tensor, "batch past latent"],
    turned: Float[Tensor, "batch past turned"],
    params: dict[str, Tensor],
    mask: Bool[Tensor, "batch past+1"] | None = None,
) -> tuple[Float[Tensor, "batch d_model"], Float[Tensor, "batch past+1 latent"], Float[Tensor, "batch past+1 turned"]]:
    """Return latent attention's output at the newest position, and the two caches with its numbers.

    The score of head i is ((W_ukᵀ q)ᵀ c_s + q_turnedᵀ k_turned_s) / √(head_dim + turned), its result W_uv Σ_s α_s c_s:
    no key and no value of a head is built. `mask` is False at the padding on the left, which counts as positions.

    DeepSeek-AI (2024), section 2.1.2 and equations 14 to 19, without compressed queries and norms.
    """
    past, width = turned.shape[1:]
    heads, here = len(params["W_qr"]) // width, torch.tensor([past], device=x.device)
    latent = torch.cat([latent, (x @ params["W_down"].T)[:, None]], dim=1)
    turned = torch.cat([turned, rope((x @ params["W_kr"].T)[:, None], here)], dim=1)
    q, q_turned = ((x @ params[name].T).unflatten(-1, (heads, -1)) for name in ("W_q", "W_qr"))
    up_k, up_v = (params[name].unflatten(0, (heads, -1)) for name in ("W_uk", "W_uv"))  # (heads, head_dim, latent)
    content = torch.einsum("bhd,hdl->bhl", q, up_k) @ latent.mT
    place = rope(q_turned[:, :, None], here)[:, :, 0] @ turned.mT
    scores = (content + place) / math.sqrt(q.shape[-1] + width)
    weights = masked_softmax(scores, None if mask is None else mask[:, None].expand_as(scores))
    mixed = weights @ latent
    return torch.einsum("bhl,hdl->bhd", mixed, up_v).flatten(1) @ params["W_o"].T, latent, turned


def accept(
    draft: Float[Tensor, "*batch vocabulary"],
    target: Float[Tensor, "*batch vocabulary"],
    token: Int[Tensor, "*batch"],
) -> tuple[Float[Tensor, "*batch"], Float[Tensor, "*batch vocabulary"]]:
    """Return the probability of keeping a token that the draft has drawn, and what to draw from if it is refused.

    Kept: min(1, p(x) / q(x)), with q the draft's probabilities and p the target's; else drawn from max(0, p - q),
    divided by its sum. Then the token is distributed as p. Where p = q, nothing is refused, and p itself is returned.

    Leviathan et al. (2023), section 2.3 and algorithm 1; Chen et al. (2023), algorithm 2.
    """
    q, p = (each.gather(-1, token[..., None])[..., 0] for each in (draft, target))
    keep = torch.where(p < q, p / q, 1.0)  # where q is 0, there is nothing to divide
    rest = (target - draft).clamp(min=0)
    total = rest.sum(dim=-1, keepdim=True)
    return keep, torch.where(total > 0, rest / total, target)
