"""The Transformer's parts (Vaswani et al., 2017): heads, positions, masks, layers, loss, rate, steps of decoding."""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from solutions.self_attention.attention import scaled_dot_product


def head_dim(d_model: int, heads: int) -> int:
    """Return the features of one head, d_model / heads, or refuse what does not divide."""
    if heads < 1 or d_model % heads:
        raise ValueError(
            f"heads share the features in equal blocks: expected heads to divide d_model = {d_model}, got {heads}; "
            f"choose one of {', '.join(str(n) for n in range(1, d_model + 1) if d_model % n == 0)}"
        )
    return d_model // heads


def split_heads(x: Float[Tensor, "batch length d_model"], heads: int) -> Float[Tensor, "batch heads length head_dim"]:
    """Return x cut into heads: head i has the i-th block of d_model / heads features."""
    return x.unflatten(-1, (heads, head_dim(x.shape[-1], heads))).transpose(1, 2)


def merge_heads(x: Float[Tensor, "batch heads length head_dim"]) -> Float[Tensor, "batch length d_model"]:
    """Return the heads side by side again: Concat(head_1, …, head_h)."""
    return x.transpose(1, 2).flatten(-2)


def multi_head_attention(
    query: Float[Tensor, "batch target d_model"],
    key: Float[Tensor, "batch source d_model"],
    value: Float[Tensor, "batch source d_model"],
    params: dict[str, Tensor],
    heads: int,
    mask: Bool[Tensor, "*#sentences #target source"] | None = None,
) -> tuple[Float[Tensor, "batch target d_model"], Float[Tensor, "batch heads target source"]]:
    """Return Concat(head_1, …, head_h) W_oᵀ + b_o and the weights of every head.

    head_i = Attention(Q_i, K_i, V_i), where Q_i is the i-th block of features of Q = query W_qᵀ + b_q, and so on.

    Vaswani et al. (2017), section 3.2.2. The biases are ours, as in PyTorch: the paper's formula has none.
    """
    q = split_heads(query @ params["W_q"].T + params["b_q"], heads)
    k = split_heads(key @ params["W_k"].T + params["b_k"], heads)
    v = split_heads(value @ params["W_v"].T + params["b_v"], heads)
    every_head = None if mask is None else mask.unsqueeze(-3)
    context, attended = scaled_dot_product(q, k, v, every_head)
    return merge_heads(context) @ params["W_o"].T + params["b_o"], attended


def sinusoids(length: int, d_model: int) -> Float[Tensor, "length d_model"]:
    """Return PE: PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos(pos / 10000^(2i/d)).

    Positions count from 0. Where d is odd, the last feature is a sine without its cosine.

    Vaswani et al. (2017), section 3.5.
    """
    position = torch.arange(length, dtype=torch.float32)[:, None]
    angle = position / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    pairs = torch.stack([angle.sin(), angle.cos()], dim=-1)
    return pairs.flatten(-2)[:, :d_model]


def positional_encoding(x: Float[Tensor, "batch length d_model"]) -> Float[Tensor, "batch length d_model"]:
    """Return x + PE, the same table for every sentence; x is not scaled here.

    Vaswani et al. (2017), section 3.5. The paper's model multiplies its embeddings by √d_model before.
    """
    return x + sinusoids(x.shape[1], x.shape[2]).to(x)


def make_masks(
    source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"], pad: int
) -> tuple[Bool[Tensor, "batch 1 source"], Bool[Tensor, "target target"], Bool[Tensor, "batch target target"]]:
    """Return the mask of the source, the causal mask, and the target's: causal, and no padding among the keys.

    causal[t, s] is True where s ≤ t: a position sees itself and those before it.

    Vaswani et al. (2017), section 3.2.3. The padding is ours, for sentences of unequal length.
    """
    length = target.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool, device=target.device).tril()
    return (source != pad)[:, None], causal, causal & (target != pad)[:, None]


def layer_norm(
    x: Float[Tensor, "*batch d_model"],
    gamma: Float[Tensor, " d_model"],
    beta: Float[Tensor, " d_model"],
    eps: int | float = 1e-5,
) -> Float[Tensor, "*batch d_model"]:
    """Return γ ∘ (x - μ) / √(σ² + ε) + β, with mean and variance over the features of each position.

    Ba, Kiros and Hinton (2016), equations 3 and 4; ε, inside the root, is ours and keeps the divisor above 0.
    """
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = (centred**2).mean(dim=-1, keepdim=True)  # divided by d_model, not by d_model - 1
    return gamma * centred / torch.sqrt(variance + eps) + beta


def feed_forward(
    x: Float[Tensor, "batch length d_model"], params: dict[str, Tensor]
) -> Float[Tensor, "batch length d_model"]:
    """Return FFN(x) = W_2 max(0, W_1 x + b_1) + b_2, the same for every position.

    Vaswani et al. (2017), equation 2.
    """
    inner = torch.relu(x @ params["W_1"].T + params["b_1"])
    return inner @ params["W_2"].T + params["b_2"]


def encoder_layer(
    x: Float[Tensor, "batch source d_model"],
    params: dict[str, Tensor],
    heads: int,
    mask: Bool[Tensor, "batch source"] | None = None,
    eps: int | float = 1e-5,
) -> Float[Tensor, "batch source d_model"]:
    """Return x after self-attention and the feed-forward network, each as LayerNorm(x + Sublayer(x)).

    Vaswani et al. (2017), section 3.1, without dropout: the norm comes after the sum, "post-norm".
    """
    keys = None if mask is None else mask[:, None]
    attended, _ = multi_head_attention(x, x, x, params, heads, keys)
    x = layer_norm(x + attended, params["gamma_1"], params["beta_1"], eps)
    return layer_norm(x + feed_forward(x, params), params["gamma_2"], params["beta_2"], eps)


def decoder_layer(
    y: Float[Tensor, "batch target d_model"],
    memory: Float[Tensor, "batch source d_model"],
    params: dict[str, Tensor],
    heads: int,
    target_mask: Bool[Tensor, "batch target target"] | None = None,
    source_mask: Bool[Tensor, "batch 1 source"] | None = None,
    eps: int | float = 1e-5,
) -> Float[Tensor, "batch target d_model"]:
    """Return y after self-attention, attention to the encoder's output, and the feed-forward network.

    Each is LayerNorm(y + Sublayer(y)). In the second sublayer the decoder asks, and the encoder's output, `memory`,
    gives keys and values; its parameters are those whose names end in `_cross`.

    Vaswani et al. (2017), section 3.1.
    """
    attended, _ = multi_head_attention(y, y, y, params, heads, target_mask)
    y = layer_norm(y + attended, params["gamma_1"], params["beta_1"], eps)
    cross = {name.removesuffix("_cross"): weight for name, weight in params.items() if name.endswith("_cross")}
    attended, _ = multi_head_attention(y, memory, memory, cross, heads, source_mask)
    y = layer_norm(y + attended, params["gamma_2"], params["beta_2"], eps)
    return layer_norm(y + feed_forward(y, params), params["gamma_3"], params["beta_3"], eps)


def label_smoothed_loss(
    logits: Float[Tensor, "batch target vocabulary"],
    target: Int[Tensor, "batch target"],
    epsilon: int | float,
    pad: int,
) -> Float[Tensor, ""]:
    """Return the mean of -Σ_v q(v) log p(v) over the targets that are not pad.

    q gives ε/V to each of the V classes, the right one included, and the remaining 1 - ε to the right one.

    Szegedy et al. (2016), section 7; Vaswani et al. (2017), section 5.4, with ε = 0.1.
    """
    log_p = logits.log_softmax(dim=-1)
    of_target = log_p.gather(-1, target[..., None])[..., 0]
    loss = -(1 - epsilon) * of_target - epsilon * log_p.mean(dim=-1)
    return loss[target != pad].mean()


def noam_rate(step: int, d_model: int, warmup: int | float, factor: int | float = 1.0) -> float:
    """Return the learning rate of a step: factor · d_model^-½ · min(step^-½, step · warmup^-1½).

    It rises linearly for `warmup` steps, then falls as 1/√step.

    Vaswani et al. (2017), equation 3. The factor is that of the authors' code.
    """
    if step < 1:
        raise ValueError(f"the first step is step 1: expected step ≥ 1, got {step}; add 1 to a count from 0")
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def greedy_cached(
    start: Any,
    step: Callable[[int, Any], tuple[Float[Tensor, " vocabulary"], Any]],
    bos: int,
    eos: int,
    max_len: int,
) -> list[int]:
    """Return the greedy translation y_1, y_2, … with the eos that ends it, or its first max_len tokens.

    y_t = argmax(logits_t), where logits_t, cache_t = step(y_{t-1}, cache_{t-1}); y_0 is bos, and cache_0 is start.

    Vaswani et al. (2017), section 3.1: each step reads the token that was written before. The cache is everybody's.
    """
    tokens: list[int] = []
    token, cache = bos, start
    while len(tokens) < max_len:
        logits, cache = step(token, cache)
        token = int(logits.argmax())
        tokens.append(token)
        if token == eos:
            break
    return tokens


def pre_norm_stack(
    x: Float[Tensor, "batch source d_model"],
    params: dict[str, Tensor],
    gamma: Float[Tensor, " d_model"],
    beta: Float[Tensor, " d_model"],
    heads: int,
    mask: Bool[Tensor, "batch source"] | None = None,
    eps: int | float = 1e-5,
) -> Float[Tensor, "batch source d_model"]:
    """Return x after encoder layers with pre-norm, x + Sublayer(LayerNorm(x)), and one last LayerNorm.

    The first axis of each entry of `params` counts the layers. The last norm has `gamma` and `beta`.

    Xiong et al. (2020), table 1.
    """
    keys = None if mask is None else mask[:, None]
    for number in range(len(params["W_q"])):
        layer = {name: weight[number] for name, weight in params.items()}
        z = layer_norm(x, layer["gamma_1"], layer["beta_1"], eps)
        x = x + multi_head_attention(z, z, z, layer, heads, keys)[0]
        x = x + feed_forward(layer_norm(x, layer["gamma_2"], layer["beta_2"], eps), layer)
    return layer_norm(x, gamma, beta, eps)


def cached_heads(
    x: Float[Tensor, "batch d_model"],
    cache: Float[Tensor, "2 batch heads past head_dim"],
    params: dict[str, Tensor],
    heads: int,
) -> tuple[Float[Tensor, "batch d_model"], Float[Tensor, "2 batch heads past+1 head_dim"]]:
    """Return the output of causal multi-head self-attention at the newest position x, and the cache with it.

    The cache holds the keys of all positions so far, cut into heads, and their values: the newest come last.

    Shazeer (2019), section 2.4, with the biases of `multi_head_attention`.
    """
    q, k, v = (split_heads((x @ params[f"W_{n}"].T + params[f"b_{n}"])[:, None], heads) for n in "qkv")
    cache = torch.cat([cache, torch.stack([k, v])], dim=-2)
    context, _ = scaled_dot_product(q, cache[0], cache[1])
    return (merge_heads(context) @ params["W_o"].T + params["b_o"])[:, 0], cache
