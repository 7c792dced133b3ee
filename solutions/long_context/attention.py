"""Attention for long texts: in tiles, by distance, within a window, to a chosen few, with a state and no cache."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor

Part = tuple[Tensor, Tensor, Tensor]  # of a softmax: the maximum, the sum and the weighted sum of values


def merge_softmax(
    first: tuple[Float[Tensor, "*rows"], Float[Tensor, "*rows"], Float[Tensor, "*rows value_dim"]],
    second: tuple[Float[Tensor, "*rows"], Float[Tensor, "*rows"], Float[Tensor, "*rows value_dim"]],
) -> tuple[Float[Tensor, "*rows"], Float[Tensor, "*rows"], Float[Tensor, "*rows value_dim"]]:
    """Return the three numbers of a softmax over all keys from those over two parts of them.

    Of each part: m = max s_j, l = Σ exp(s_j - m), o = Σ exp(s_j - m) v_j. Together: m = max(m₁, m₂), and what was
    summed under another maximum is multiplied by exp(m_i - m). A part without keys has m = -∞ and zeros.

    Milakov and Gimelshein (2018), section 3.1, for m and l.
    """
    m = torch.maximum(first[0], second[0])
    base = m.masked_fill(m == -torch.inf, 0.0)  # two empty parts: -∞ - (-∞) is no number
    scales = [(part[0] - base).exp() for part in (first, second)]
    l = scales[0] * first[1] + scales[1] * second[1]
    o = scales[0][..., None] * first[2] + scales[1][..., None] * second[2]
    return m, l, o


def with_sink(
    part: tuple[Float[Tensor, "heads target"], Float[Tensor, "heads target"], Float[Tensor, "heads target value_dim"]],
    sink: Float[Tensor, " heads"],
) -> Float[Tensor, "heads target value_dim"]:
    """Return the context of a softmax over the part's keys and one more, of score `sink`, whose value is zeros.

    Weight of key j: exp(s_j) / (exp(sink) + Σ exp(s_i)). A learned sink is a part with m = sink, l = 1, o = 0.

    OpenAI (2025), gpt-oss, `sdpa` in its reference code.
    """
    m = sink[:, None].expand_as(part[0])
    _, l, o = merge_softmax(part, (m, torch.ones_like(m), torch.zeros_like(part[2])))
    return o / l[..., None]


def flash_forward(
    query: Float[Tensor, "batch target key_dim"],
    key: Float[Tensor, "batch source key_dim"],
    value: Float[Tensor, "batch source value_dim"],
    tile: int,
    causal: bool = False,
    mask: Bool[Tensor, "batch source"] | None = None,
) -> tuple[Float[Tensor, "batch target value_dim"], Float[Tensor, "batch target"]]:
    """Return attention's context, and log Σ exp(scores) of each query; no more than tile × tile scores exist at a time.

    The queries are those of the last positions of the source; `mask` is False at padding. context = o / l,
    logsumexp = m + log l.

    Dao et al. (2022), algorithm 1, with the loops in the order of Dao (2023), algorithm 1.
    """
    target, source = query.shape[1], key.shape[1]
    contexts, logsumexps = [], []
    for row in range(0, target, tile):
        q = query[:, row : row + tile]
        place = torch.arange(row, row + q.shape[1], device=q.device)[:, None] + source - target
        m = q.new_full(q.shape[:2], -torch.inf)
        part = m, torch.zeros_like(m), q.new_zeros(*q.shape[:2], value.shape[-1])
        for column in range(0, source, tile):
            if causal and column > place[-1]:
                break  # this tile and all after it are the future of every query here
            k, v = key[:, column : column + tile], value[:, column : column + tile]
            scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
            if causal:
                scores = scores.masked_fill(
                    torch.arange(column, column + k.shape[1], device=q.device) > place, -torch.inf
                )
            if mask is not None:
                scores = scores.masked_fill(~mask[:, None, column : column + tile], -torch.inf)
            m = scores.amax(dim=-1)
            weights = (scores - m.masked_fill(m == -torch.inf, 0.0)[..., None]).exp()
            part = merge_softmax(part, (m, weights.sum(dim=-1), weights @ v))
        contexts.append(part[2] / part[1][..., None])
        logsumexps.append(part[0] + part[1].log())
    return torch.cat(contexts, dim=1), torch.cat(logsumexps, dim=1)


def flash_backward(
    query: Float[Tensor, "batch target key_dim"],
    key: Float[Tensor, "batch source key_dim"],
    value: Float[Tensor, "batch source value_dim"],
    context: Float[Tensor, "batch target value_dim"],
    logsumexp: Float[Tensor, "batch target"],
    grad: Float[Tensor, "batch target value_dim"],
    tile: int,
) -> tuple[
    Float[Tensor, "batch target key_dim"],
    Float[Tensor, "batch source key_dim"],
    Float[Tensor, "batch source value_dim"],
]:
    """Return the gradients of query, key and value, from that of the context; weights are made again, tile by tile.

    With P = exp(S - logsumexp) and D_i = grad_i · context_i: dV = Pᵀ grad, dS = P ∘ (grad Vᵀ - D),
    dQ = dS K / √d, dK = dSᵀ Q / √d.

    Dao et al. (2022), appendix B.2 and algorithm 4, without mask and dropout.
    """
    scale = 1 / math.sqrt(query.shape[-1])
    total = (grad * context).sum(dim=-1, keepdim=True)
    of_query, of_key, of_value = (torch.zeros_like(each) for each in (query, key, value))
    for column in range(0, key.shape[1], tile):
        columns = slice(column, column + tile)
        for row in range(0, query.shape[1], tile):
            rows = slice(row, row + tile)
            scores = query[:, rows] @ key[:, columns].transpose(1, 2) * scale
            weights = (scores - logsumexp[:, rows, None]).exp()
            of_weights = grad[:, rows] @ value[:, columns].transpose(1, 2)
            of_scores = weights * (of_weights - total[:, rows]) * scale
            of_value[:, columns] += weights.transpose(1, 2) @ grad[:, rows]
            of_query[:, rows] += of_scores @ key[:, columns]
            of_key[:, columns] += of_scores.transpose(1, 2) @ query[:, rows]
    return of_query, of_key, of_value


def alibi_bias(heads: int, length: int) -> Float[Tensor, "heads length length"]:
    """Return ALiBi's term of the scores: -slope · distance for the past, -∞ for the future.

    For n heads, n a power of two, the slopes are 2^(-8/n), 2^(-16/n), …, 2^(-8). For others: those of the next smaller
    power of two, n', then the first, third, fifth, … of 2n'.

    Press et al. (2022), section 3; the rule for other numbers is that of the authors' code.
    """
    power = 2 ** int(math.log2(heads))
    usual = 2.0 ** (-8 / power * torch.arange(1, power + 1))
    between = 2.0 ** (-4 / power * torch.arange(1, 2 * power + 1, 2))
    slopes = torch.cat([usual, between])[:heads]
    distance = torch.arange(length)[:, None] - torch.arange(length)
    bias = -slopes[:, None, None] * distance
    return bias.masked_fill(distance < 0, -torch.inf)


def stretched(
    head_dim: int, base: float, factor: float, trained: int, slow: float = 1.0, fast: float = 32.0
) -> tuple[Float[Tensor, " pairs"], float]:
    """Return each pair's angle for texts `factor` times as long, and the scale of queries and keys.

    θ_i = base^(-2i / head_dim), and pair i makes r_i = trained · θ_i / 2π turns in the `trained` length.
    γ_i = (r_i - slow) / (fast - slow), not below 0 and not above 1. New: γ_i θ_i + (1 - γ_i) θ_i / factor.
    The scale is 0.1 ln(factor) + 1.

    Peng et al. (2024), sections 3.2 and 3.4.
    """
    angles = base ** (-2 * torch.arange(head_dim // 2) / head_dim)
    turns = trained * angles / (2 * math.pi)
    kept = ((turns - slow) / (fast - slow)).clamp(0, 1)
    return kept * angles + (1 - kept) * angles / factor, 0.1 * math.log(factor) + 1


def sliding_window(
    query: Float[Tensor, "batch length key_dim"],
    key: Float[Tensor, "batch length key_dim"],
    value: Float[Tensor, "batch length value_dim"],
    window: int,
    sinks: int = 0,
) -> Float[Tensor, "batch length value_dim"]:
    """Return causal attention to the last `window` positions, one's own included, and to the first `sinks`.

    Memory grows with length × (window + sinks), never with length². A position that is both counts once.

    Beltagy et al. (2020), section 3.1; Xiao et al. (2024), section 3.2, for the sinks.
    """
    length = query.shape[1]
    position = torch.arange(length, device=query.device)
    near = position[:, None] - torch.arange(window - 1, -1, -1, device=query.device)
    first = torch.arange(min(sinks, length), device=query.device).expand(length, -1)
    places = torch.cat([first, near], dim=1)  # (length, sinks + window)
    seen = torch.cat([first <= position[:, None] - window, near >= 0], dim=1)
    gathered = places.clamp(min=0)
    scores = torch.einsum("bld,blwd->blw", query, key[:, gathered]) / math.sqrt(query.shape[-1])
    weights = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1)
    return torch.einsum("blw,blwd->bld", weights, value[:, gathered])


def chosen_attention(
    query: Float[Tensor, "batch length key_dim"],
    key: Float[Tensor, "batch length key_dim"],
    value: Float[Tensor, "batch length value_dim"],
    index_query: Float[Tensor, "batch length index_heads index_dim"],
    index_key: Float[Tensor, "batch length index_dim"],
    index_weight: Float[Tensor, "batch length index_heads"],
    count: int,
) -> Float[Tensor, "batch length value_dim"]:
    """Return causal attention of each position to the `count` positions that its index scores put first.

    I_ts = Σ_j w_tj relu(q_tj · k_s) over the index heads j. Position t reads the `count` largest with s ≤ t, or all of
    them where there are fewer; softmax and values see these alone.

    DeepSeek-AI (2025), equations 1 and 2.
    """
    length = query.shape[1]
    future = torch.ones(length, length, dtype=torch.bool, device=query.device).triu(1)
    fits = torch.einsum("btji,bsi->btjs", index_query, index_key).relu()
    index = torch.einsum("btj,btjs->bts", index_weight, fits).masked_fill(future, -torch.inf)
    places = index.topk(min(count, length), dim=-1).indices  # the first rows reach into the future
    batch = torch.arange(len(query), device=query.device)[:, None, None]
    scores = torch.einsum("btd,btcd->btc", query, key[batch, places]) / math.sqrt(query.shape[-1])
    weights = scores.masked_fill(future.expand(len(query), -1, -1).gather(-1, places), -torch.inf).softmax(dim=-1)
    return torch.einsum("btc,btcv->btv", weights, value[batch, places])


def features(x: Float[Tensor, "*batch width"]) -> Float[Tensor, "*batch width"]:
    """Return elu(x) + 1: x + 1 above 0, exp(x) below.

    In this form it is positive down to -100 in float32; elu(x) + 1 rounds to 0 from -18 on.

    Katharopoulos et al. (2020), equation 7.
    """
    return torch.where(x >= 0, x + 1, x.clamp(max=0).exp())


def linear_attention(
    query: Float[Tensor, "batch length key_dim"],
    key: Float[Tensor, "batch length key_dim"],
    value: Float[Tensor, "batch length value_dim"],
) -> Float[Tensor, "batch length value_dim"]:
    """Return causal attention with weights φ(q_t) · φ(k_s), divided by their sum over s ≤ t, all positions at once.

    φ(x) = elu(x) + 1.

    Katharopoulos et al. (2020), equations 8 and 9.
    """
    weights = (features(query) @ features(key).transpose(1, 2)).tril()
    return weights @ value / weights.sum(dim=-1, keepdim=True)


def linear_step(
    state: Float[Tensor, "batch key_dim value_dim"],
    total: Float[Tensor, "batch key_dim"],
    query: Float[Tensor, "batch key_dim"],
    key: Float[Tensor, "batch key_dim"],
    value: Float[Tensor, "batch value_dim"],
) -> tuple[Float[Tensor, "batch value_dim"], Float[Tensor, "batch key_dim value_dim"], Float[Tensor, "batch key_dim"]]:
    """Return linear attention's output at the newest position, the state and the sum of keys with it.

    S ← S + φ(k) vᵀ, z ← z + φ(k), y = φ(q)ᵀ S / φ(q)ᵀ z.

    Katharopoulos et al. (2020), equations 16 to 20.
    """
    q, k = features(query), features(key)
    state = state + k[:, :, None] * value[:, None]
    total = total + k
    return (q[:, None] @ state)[:, 0] / (q * total).sum(dim=-1, keepdim=True), state, total


def delta_step(
    state: Float[Tensor, "batch key_dim value_dim"],
    key: Float[Tensor, "batch key_dim"],
    value: Float[Tensor, "batch value_dim"],
    beta: Float[Tensor, " batch"],
    alpha: Float[Tensor, " batch"] | None = None,
) -> Float[Tensor, "batch key_dim value_dim"]:
    """Return the state in which the key's old value is replaced: S ← S + β k (v - Sᵀ k)ᵀ; with a gate, of α S.

    With a key of length 1 and β = 1, the new state returns exactly v for it.

    Schlag et al. (2021), section 4.2; the delta rule is that of Widrow and Hoff (1960). The gate: Yang et al. (2025),
    equation 10.
    """
    if alpha is not None:
        state = alpha[:, None, None] * state
    old = (key[:, None] @ state)[:, 0]
    return state + beta[:, None, None] * key[:, :, None] * (value - old)[:, None]


def kv_bytes(
    tokens: int,
    layers: int,
    kv_heads: int,
    head_dim: int,
    local_layers: int = 0,
    window: int = 0,
    bytes_a_number: int = 2,
) -> int:
    """Return the bytes of a text's keys and values; `local_layers` of the layers keep the last `window` tokens only."""
    kept = (layers - local_layers) * tokens + local_layers * min(window, tokens)
    return 2 * kept * kv_heads * head_dim * bytes_a_number
