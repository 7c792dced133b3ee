"""Laws of attention in tiles, by distance and with a state, checked on the functions that are shown."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from solutions.language_model.attention import rope
from solutions.long_context.attention import (
    alibi_bias,
    chosen_attention,
    delta_step,
    features,
    flash_backward,
    flash_forward,
    linear_attention,
    linear_step,
    stretched,
    with_sink,
)
from solutions.long_context.chunks import chunked

B, T, S, D, V = 3, 5, 11, 4, 6
ENDS = torch.arange(S) < torch.tensor([S, 4, 7])[:, None]  # padding on the right
TILES = (1, 2, 3, 4, 11, 20)  # 3 divides nothing, 11 is all keys


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)), dtype=torch.float64)


def given(target: int = T) -> tuple[Tensor, Tensor, Tensor]:
    return normal(B, target, D), normal(B, S, D), normal(B, S, V)


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("target", [1, T, S])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("mask", [None, ENDS])
def test_tiles_of_any_size_are_torchs_attention(tile: int, target: int, causal: bool, mask: Tensor | None) -> None:
    query, key, value = given(target)
    seen = torch.ones(target, S, dtype=torch.bool).tril(S - target) if causal else torch.ones(target, S).bool()
    seen = seen.expand(B, -1, -1) if mask is None else seen & mask[:, None]
    context, logsumexp = flash_forward(query, key, value, tile, causal, mask)
    torch.testing.assert_close(context, F.scaled_dot_product_attention(query, key, value, attn_mask=seen))
    scores = (query @ key.transpose(1, 2) / D**0.5).masked_fill(~seen, -torch.inf)
    torch.testing.assert_close(logsumexp, scores.logsumexp(dim=-1))


@pytest.mark.parametrize("tile", TILES)
def test_gradients_in_tiles_are_those_of_autograd(tile: int) -> None:
    arguments = [each.requires_grad_() for each in given()]
    context, logsumexp = flash_forward(*arguments, tile=4)
    plain = F.scaled_dot_product_attention(*arguments)
    grad = normal(B, T, V, seed=1)
    wanted = torch.autograd.grad(plain, arguments, grad)
    with torch.no_grad():
        torch.testing.assert_close(flash_backward(*arguments, context, logsumexp, grad, tile), wanted)
    torch.testing.assert_close(torch.autograd.grad(context, arguments, grad), wanted)


def text() -> tuple[Tensor, Tensor, Tensor]:
    return normal(B, S, D), normal(B, S, D, seed=1), normal(B, S, V, seed=2)


def slopes_of_the_authors(heads: int) -> list[float]:
    """Return what `get_slopes` of the authors' code returns, which calls itself where heads is no power of two."""
    if heads & (heads - 1) == 0:
        ratio = 2.0 ** (-8 / heads)
        return [ratio * ratio**i for i in range(heads)]
    near = 1 << (heads.bit_length() - 1)
    return slopes_of_the_authors(near) + slopes_of_the_authors(2 * near)[::2][: heads - near]


@pytest.mark.parametrize("heads", [*range(1, 18), 40])
def test_alibis_slopes_are_those_of_the_authors_code(heads: int) -> None:
    bias = alibi_bias(heads, 4)
    assert bias.shape == (heads, 4, 4)
    torch.testing.assert_close(bias[:, 1, 0], -torch.tensor(slopes_of_the_authors(heads)))
    future = torch.ones(4, 4, dtype=torch.bool).triu(1)
    assert torch.equal(bias == -torch.inf, future.expand(heads, 4, 4))


def test_linear_attention_is_the_same_in_parallel_step_by_step_and_in_chunks() -> None:
    query, key, value = text()
    parallel = linear_attention(query, key, value)
    state, total, outputs = normal(B, D, V) * 0, normal(B, D) * 0, []
    for t in range(S):
        output, state, total = linear_step(state, total, query[:, t], key[:, t], value[:, t])
        outputs.append(output)
    torch.testing.assert_close(torch.stack(outputs, dim=1), parallel)
    torch.testing.assert_close(state, features(key).transpose(1, 2) @ value)
    torch.testing.assert_close(total, features(key).sum(dim=1))
    with_ones = torch.cat([value, torch.ones(B, S, 1, dtype=value.dtype)], dim=-1)
    for chunk in (1, 2, 3, 4, S - 1, S, S + 5):
        read = chunked(features(query), features(key), with_ones, chunk)
        torch.testing.assert_close(read[..., :-1] / read[..., -1:], parallel)


@pytest.mark.parametrize("far", ["query", "key"])
@pytest.mark.parametrize("place", [-20.0, -80.0])
def test_features_far_below_0_are_positive_in_float32(far: str, place: float) -> None:
    low, zeros, value = torch.full((1, 3, 2), place), torch.zeros(1, 3, 2), torch.tensor([[[1.0], [2.0], [3.0]]])
    query, key = (low, zeros) if far == "query" else (zeros, low)
    torch.testing.assert_close(linear_attention(query, key, value).flatten(), torch.tensor([1.0, 1.5, 2.0]))
    state, total = torch.zeros(1, 2, 1), torch.zeros(1, 2)
    for t, right in enumerate((1.0, 1.5, 2.0)):
        output, state, total = linear_step(state, total, query[:, t], key[:, t], value[:, t])
        torch.testing.assert_close(output.item(), right)


def test_features_are_elu_plus_1_with_its_gradient() -> None:
    x = torch.tensor([-9.0, -1.5, 0.0, 2.0, 300.0], dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(features(x), F.elu(x) + 1)
    ours, theirs = (torch.autograd.grad(each.sum(), x) for each in (features(x), F.elu(x) + 1))
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("chunk", [1, 4, S, S + 5])
def test_a_gate_lets_the_past_decay(chunk: int) -> None:
    query, key, value = text()
    gate = -normal(B, S).abs()
    state, outputs = normal(B, D, V) * 0, []
    for t in range(S):
        state = gate[:, t, None, None].exp() * state + key[:, t, :, None] * value[:, t, None]
        outputs.append(torch.einsum("bk,bkv->bv", query[:, t], state))
    torch.testing.assert_close(chunked(query, key, value, chunk, gate), torch.stack(outputs, dim=1))
    distance = torch.arange(S)[:, None] - torch.arange(S)
    decay = torch.where(distance >= 0, 0.5**distance, 0.0).double()
    halved = torch.full((B, S), 0.5, dtype=torch.float64).log()
    torch.testing.assert_close(chunked(query, key, value, chunk, halved), (query @ key.transpose(1, 2) * decay) @ value)


def test_a_learned_sink_is_a_key_more_whose_weight_is_dropped() -> None:
    query, key, value = given()  # B heads
    sink = normal(B)
    scores = query @ key.transpose(1, 2) / D**0.5
    with_one_more = torch.cat([scores, sink[:, None, None].expand(B, T, 1)], dim=-1).softmax(dim=-1)
    m = scores.amax(dim=-1)
    weights = (scores - m[..., None]).exp()
    part = m, weights.sum(dim=-1), weights @ value
    torch.testing.assert_close(with_sink(part, sink), with_one_more[..., :-1] @ value)
    torch.testing.assert_close(with_sink(part, sink - torch.inf), scores.softmax(dim=-1) @ value)
    torch.testing.assert_close(with_sink(part, sink + 1000), torch.zeros(B, T, V, dtype=value.dtype))


def test_stretched_angles_keep_fast_pairs_and_divide_slow_ones() -> None:
    head_dim, base, factor, trained = 64, 10_000.0, 8.0, 512
    plain, none = stretched(head_dim, base, 1.0, trained)
    assert none == 1.0
    angles, scale = stretched(head_dim, base, factor, trained)
    turns = trained * plain / (2 * torch.pi)
    assert 0 < (turns > 32).sum() < (turns > 1).sum() < head_dim // 2
    torch.testing.assert_close(angles[turns > 32], plain[turns > 32])
    torch.testing.assert_close(angles[turns < 1], plain[turns < 1] / factor)
    assert (angles.diff() < 0).all()
    torch.testing.assert_close(angles.clamp(plain / factor, plain), angles)
    assert scale == pytest.approx(1 + 0.1 * math.log(8))
    turned = rope(torch.ones(1, 2, head_dim), torch.tensor([0, 1]), base)[0, 1]  # by the plain angles
    torch.testing.assert_close(turned[: head_dim // 2], plain.cos() - plain.sin())


@pytest.mark.parametrize("count", [1, 3, S, S + 4])
def test_a_chosen_few_are_attention_that_sees_them_alone(count: int) -> None:
    query, key, value = text()
    index_query, index_key, index_weight = normal(B, S, 6, 3), normal(B, S, 3), normal(B, S, 6)
    context = chosen_attention(query, key, value, index_query, index_key, index_weight, count)
    seen = torch.zeros(B, S, S, dtype=torch.bool)
    for b in range(B):
        for t in range(S):
            products = (index_query[b, t] @ index_key[b, : t + 1].T).relu()
            order = (index_weight[b, t] @ products).argsort(descending=True)
            seen[b, t, order[:count]] = True
    torch.testing.assert_close(context, F.scaled_dot_product_attention(query, key, value, attn_mask=seen))
    if count >= S:
        torch.testing.assert_close(context, F.scaled_dot_product_attention(query, key, value, is_causal=True))


def test_the_gated_delta_rule_fades_and_replaces() -> None:
    state, key, value, beta, alpha = normal(B, D, V), normal(B, D), normal(B, V), normal(B).sigmoid(), normal(B).exp()
    eye = torch.eye(D, dtype=state.dtype)
    erased = eye - beta[:, None, None] * key[:, :, None] * key[:, None]  # Yang et al. (2025), equation 10, transposed
    wanted = alpha[:, None, None] * (erased @ state) + beta[:, None, None] * key[:, :, None] * value[:, None]
    torch.testing.assert_close(delta_step(state, key, value, beta, alpha), wanted)
    ungated = delta_step(state, key, value, beta)
    torch.testing.assert_close(delta_step(state, key, value, beta, torch.ones_like(beta)), ungated)


def test_causal_tiles_skip_the_future() -> None:
    query, key, value = given(S)
    key[:, 8:], value[:, 8:] = torch.nan, torch.nan  # a tile that is read spoils the first queries: 0 times nan is nan
    context, _ = flash_forward(query, key, value, 4, causal=True)
    assert torch.equal(context.isnan().any(-1), torch.arange(S).expand(B, S) >= 8)


PROVES = {
    "with_sink": "test_a_learned_sink_is_a_key_more_whose_weight_is_dropped",
    "stretched": "test_stretched_angles_keep_fast_pairs_and_divide_slow_ones",
    "chosen_attention": "test_a_chosen_few_are_attention_that_sees_them_alone",
}
