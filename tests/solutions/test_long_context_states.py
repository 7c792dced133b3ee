"""Laws of attention by distance, within a window and with a state: what must hold for any right implementation."""

import functools

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from solutions.long_context.attention import (
    alibi_bias,
    delta_step,
    features,
    kv_bytes,
    linear_attention,
    linear_step,
    sliding_window,
)
from solutions.long_context.chunks import chunked

B, S, D, V, H = 3, 11, 4, 5, 6  # texts, positions, features of keys and of values, heads
close = functools.partial(torch.testing.assert_close, rtol=1e-9, atol=1e-9)

PROVES = {
    "alibi_bias": "test_attention_with_alibi_is_torchs_with_the_bias_of_the_rule",
    "sliding_window": "test_a_window_with_sinks_is_attention_with_a_dense_mask",
    "linear_attention": "test_linear_attention_is_the_same_in_parallel_step_by_step_and_in_chunks",
    "linear_step": "test_linear_attention_is_the_same_in_parallel_step_by_step_and_in_chunks",
    "delta_step": "test_the_delta_rule_writes_exactly_and_leaves_orthogonal_keys_as_they_are",
    "kv_bytes": "test_the_bytes_are_those_of_the_tensors_that_are_kept",
}


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)), dtype=torch.float64)


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


def test_attention_with_alibi_is_torchs_with_the_bias_of_the_rule() -> None:
    query, key, value = normal(B, H, S, D), normal(B, H, S, D, seed=1), normal(B, H, S, V, seed=2)
    rule = torch.full((H, S, S), -torch.inf, dtype=torch.float64)
    for head, slope in enumerate(slopes_of_the_authors(H)):
        for i in range(S):
            for j in range(i + 1):
                rule[head, i, j] = -slope * (i - j)
    weights = (query @ key.transpose(-2, -1) / D**0.5 + alibi_bias(H, S).double()).softmax(dim=-1)
    torch.testing.assert_close(weights @ value, F.scaled_dot_product_attention(query, key, value, rule))


@pytest.mark.parametrize("window", [1, 3, S - 1, S, S + 7])
@pytest.mark.parametrize("sinks", [0, 1, 4, S + 2])
def test_a_window_with_sinks_is_attention_with_a_dense_mask(window: int, sinks: int) -> None:
    query, key, value = text()
    seen = torch.zeros(S, S, dtype=torch.bool)
    for t in range(S):
        seen[t, max(0, t - window + 1) : t + 1] = True
        seen[t, : min(sinks, t + 1)] = True
    close(sliding_window(query, key, value, window, sinks), F.scaled_dot_product_attention(query, key, value, seen))


def test_linear_attention_is_the_same_in_parallel_step_by_step_and_in_chunks() -> None:
    query, key, value = text()
    parallel = linear_attention(query, key, value)
    state, total, outputs = normal(B, D, V) * 0, normal(B, D) * 0, []
    for t in range(S):
        output, state, total = linear_step(state, total, query[:, t], key[:, t], value[:, t])
        outputs.append(output)
    close(torch.stack(outputs, dim=1), parallel)
    close(state, features(key).transpose(1, 2) @ value)
    close(total, features(key).sum(dim=1))
    with_ones = torch.cat([value, torch.ones(B, S, 1, dtype=value.dtype)], dim=-1)
    for chunk in (1, 2, 3, 4, S - 1, S, S + 5):
        read = chunked(features(query), features(key), with_ones, chunk)
        close(read[..., :-1] / read[..., -1:], parallel)


@pytest.mark.parametrize("chunk", [1, 4, S, S + 5])
def test_a_gate_lets_the_past_decay(chunk: int) -> None:
    query, key, value = text()
    gate = -normal(B, S).abs()
    state, outputs = normal(B, D, V) * 0, []
    for t in range(S):
        state = gate[:, t, None, None].exp() * state + key[:, t, :, None] * value[:, t, None]
        outputs.append(torch.einsum("bk,bkv->bv", query[:, t], state))
    close(chunked(query, key, value, chunk, gate), torch.stack(outputs, dim=1))
    distance = torch.arange(S)[:, None] - torch.arange(S)
    decay = torch.where(distance >= 0, 0.5**distance, 0.0).double()
    halved = torch.full((B, S), 0.5, dtype=torch.float64).log()
    close(chunked(query, key, value, chunk, halved), (query @ key.transpose(1, 2) * decay) @ value)


def test_the_delta_rule_writes_exactly_and_leaves_orthogonal_keys_as_they_are() -> None:
    state, value = normal(B, D, V), normal(B, V)
    keys = torch.linalg.qr(normal(B, D, D)).Q  # rows of length 1, orthogonal to each other
    key, ones = keys[:, 0], torch.ones(B, dtype=torch.float64)
    new = delta_step(state, key, value, ones)
    close(torch.einsum("bk,bkv->bv", key, new), value)
    close(keys[:, 1:] @ new, keys[:, 1:] @ state)
    again = delta_step(new, key, 2 * value, ones)  # replaced, not added
    close(torch.einsum("bk,bkv->bv", key, again), 2 * value)
    close(keys[:, 1:] @ again, keys[:, 1:] @ state)
    old, half = torch.einsum("bk,bkv->bv", key, state), delta_step(state, key, value, ones / 4)
    close(torch.einsum("bk,bkv->bv", key, half), 0.75 * old + 0.25 * value)
    close(delta_step(state, key, value, 0 * ones), state)


def test_the_delta_rule_is_a_product_with_a_matrix_for_keys_of_any_length() -> None:
    state, key, value, beta = normal(B, D, V), 2 * normal(B, D), normal(B, V), torch.tensor([0.2, 0.9, 0.5]).double()
    new = delta_step(state, key, value, beta)
    for b in range(B):
        erased = torch.eye(D).double() - beta[b] * torch.outer(key[b], key[b])
        close(new[b], erased @ state[b] + beta[b] * torch.outer(key[b], value[b]))


@pytest.mark.parametrize(("tokens", "window"), [(13, 4), (13, 13), (3, 4), (13, 0)])
def test_the_bytes_are_those_of_the_tensors_that_are_kept(tokens: int, window: int) -> None:
    layers, local, heads, width = 7, 2, 3, 5
    for dtype, size in ((torch.float16, 2), (torch.float64, 8), (torch.int8, 1)):
        kept = [torch.zeros(2, heads, tokens, width, dtype=dtype) for _ in range(layers)]
        kept[:local] = [each[:, :, max(0, tokens - window) :].clone() for each in kept[:local]]
        assert kv_bytes(tokens, layers, heads, width, local, window, size) == sum(each.nbytes for each in kept)


def test_the_bytes_of_large_models_are_whole_numbers() -> None:
    assert kv_bytes(8192, layers=32, kv_heads=32, head_dim=128) == 4 << 30
    assert kv_bytes(8192, layers=32, kv_heads=8, head_dim=128) == 1 << 30
    assert kv_bytes(131_072, layers=32, kv_heads=32, head_dim=128) == 64 << 30
    assert kv_bytes(131_072, 32, 32, 128, local_layers=32, window=4096) == 2 << 30
    million = kv_bytes(1_000_001, layers=61, kv_heads=7, head_dim=129)
    assert isinstance(million, int)
    assert million == 2 * 1_000_001 * 61 * 7 * 129 * 2
