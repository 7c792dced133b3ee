"""Tests of the Transformer's functions: what must hold for any right implementation, checked on the one shown."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from solutions.transformer.attention import (
    cached_heads,
    decoder_layer,
    encoder_layer,
    greedy_cached,
    label_smoothed_loss,
    layer_norm,
    make_masks,
    merge_heads,
    multi_head_attention,
    noam_rate,
    positional_encoding,
    pre_norm_stack,
    sinusoids,
    split_heads,
)

B, T, S, D, H, INNER, V = 3, 4, 5, 6, 2, 7, 8
LENGTHS = torch.tensor([5, 1, 3])
MASK = torch.arange(S) < LENGTHS[:, None]
CAUSAL = torch.ones(T, T, dtype=torch.bool).tril()
ENDS = ("", "_cross")


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)), dtype=torch.float64)


def params_of(norms: int = 3) -> dict[str, Tensor]:
    """Return the parameters of a layer, all different, none a zero or an identity."""
    shapes = {f"W_{n}{end}": (D, D) for n in "qkvo" for end in ENDS} | {
        f"b_{n}{end}": (D,) for n in "qkvo" for end in ENDS
    }
    shapes |= {"W_1": (INNER, D), "b_1": (INNER,), "W_2": (D, INNER), "b_2": (D,)}
    shapes |= {f"{name}_{i}": (D,) for name in ("gamma", "beta") for i in range(1, norms + 1)}
    return {name: normal(*shape, seed=seed) for seed, (name, shape) in enumerate(shapes.items())}


PARAMS = params_of()


def theirs(module: nn.Module, attentions: dict[str, str]) -> nn.Module:
    """Return a module of torch's with our parameters; `attentions` say which of its attentions has which ending."""
    state = {
        f"linear{i}.{kind}": PARAMS[f"{ours}_{i}"] for i in (1, 2) for kind, ours in (("weight", "W"), ("bias", "b"))
    }
    state |= {
        f"norm{i}.{kind}": PARAMS[f"{ours}_{i}"]
        for i in (1, 2, 3)
        for kind, ours in (("weight", "gamma"), ("bias", "beta"))
    }
    for name, end in attentions.items():
        state[f"{name}in_proj_weight"] = torch.cat([PARAMS[f"W_{n}{end}"] for n in "qkv"])
        state[f"{name}in_proj_bias"] = torch.cat([PARAMS[f"b_{n}{end}"] for n in "qkv"])
        state |= {f"{name}out_proj.weight": PARAMS[f"W_o{end}"], f"{name}out_proj.bias": PARAMS[f"b_o{end}"]}
    wanted = module.state_dict().keys()
    module.double().load_state_dict({name: tensor for name, tensor in state.items() if name in wanted})
    return module


def test_splitting_and_merging_heads_undo_each_other() -> None:
    x = normal(B, T, D)
    heads = split_heads(x, H)
    torch.testing.assert_close(heads[:, 1], x[:, :, D // H :])  # the second head has the second block
    torch.testing.assert_close(merge_heads(heads), x)


@pytest.mark.parametrize("heads", [0, -2, 4, 5, 12])
def test_heads_that_do_not_divide_the_width_are_refused_with_those_that_do(heads: int) -> None:
    x = normal(B, T, D)
    with pytest.raises(ValueError, match=rf"divide d_model = 6, got {heads}; choose one of 1, 2, 3, 6"):
        multi_head_attention(x, x, x, PARAMS, heads)


@pytest.mark.parametrize("heads", [1, H, D])
def test_multi_head_attention_is_torchs(heads: int) -> None:
    query, key, value = normal(B, T, D), normal(B, S, D), normal(B, S, D, seed=1)
    module = theirs(nn.MultiheadAttention(D, heads, batch_first=True), {"": ""})
    out, attended = multi_head_attention(query, key, value, PARAMS, heads, MASK[:, None])
    expected, weights = module(query, key, value, key_padding_mask=~MASK, average_attn_weights=False)
    torch.testing.assert_close(out, expected)
    torch.testing.assert_close(attended, weights)


def test_a_query_that_may_look_nowhere_gets_the_bias_alone_and_no_nan() -> None:
    query, key = normal(B, T, D), normal(B, S, D)
    mask = MASK.clone()
    mask[1] = False
    out, attended = multi_head_attention(query, key, key, PARAMS, H, mask[:, None])
    assert (attended[1] == 0).all()
    torch.testing.assert_close(out[1], PARAMS["b_o"].expand(T, D))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_every_floating_point_type_keeps_masked_keys_at_zero(dtype: torch.dtype) -> None:
    params = {name: weight.to(dtype) for name, weight in PARAMS.items()}
    query, key = 30 * normal(B, T, D).to(dtype), 30 * normal(B, S, D).to(dtype)
    out, attended = multi_head_attention(query, key, key, params, H, MASK[:, None])
    assert out.dtype == attended.dtype == dtype
    assert torch.isfinite(out).all()
    assert (attended.masked_select(~MASK[:, None, None].expand_as(attended)) == 0).all()


@pytest.mark.parametrize("d", [1, 2, 5, 7])
def test_an_odd_width_ends_with_a_sine(d: int) -> None:
    table = sinusoids(9, d)
    assert table.shape == (9, d)
    for position in range(9):
        for i in range(d):
            angle = position / 10000 ** ((i - i % 2) / d)
            assert table[position, i].item() == pytest.approx(math.cos(angle) if i % 2 else math.sin(angle), abs=1e-6)


def test_positions_are_added_alike_to_every_sentence_and_in_x_s_own_type() -> None:
    x = normal(B, S, D)
    added = positional_encoding(x) - x
    for sentence in added:
        torch.testing.assert_close(sentence, sinusoids(S, D).double())
    assert positional_encoding(x.half()).dtype == torch.float16


def test_masks_hide_padding_and_the_future_and_nothing_else() -> None:
    pad, generator = 4, torch.Generator().manual_seed(0)
    source, target = (torch.randint(0, 9, (B, length), generator=generator) for length in (S, T))
    of_source, causal, of_target = make_masks(source, target, pad)
    for b in range(B):
        for t in range(T):
            assert of_source[b, 0].tolist() == [word != pad for word in source[b].tolist()]
            assert causal[t].tolist() == [s <= t for s in range(T)]
            assert of_target[b, t].tolist() == [s <= t and target[b, s].item() != pad for s in range(T)]


def test_layer_norm_is_torchs_and_its_result_has_mean_0_and_variance_1() -> None:
    x, gamma, beta = normal(B, S, D), PARAMS["gamma_1"], PARAMS["beta_1"]
    for eps in (1e-5, 0.5):
        torch.testing.assert_close(layer_norm(x, gamma, beta, eps), F.layer_norm(x, (D,), gamma, beta, eps))
    plain = layer_norm(x, torch.ones(D).double(), torch.zeros(D).double(), 0)
    torch.testing.assert_close(plain.mean(dim=-1), torch.zeros(B, S).double())
    torch.testing.assert_close((plain**2).mean(dim=-1), torch.ones(B, S).double())


@pytest.mark.parametrize("eps", [1e-5, 0.5])
def test_an_encoder_layer_is_torchs(eps: float) -> None:
    x = normal(B, S, D)
    layer = nn.TransformerEncoderLayer(D, H, INNER, dropout=0, batch_first=True, layer_norm_eps=eps)
    expected = theirs(layer, {"self_attn.": ""})(x, src_key_padding_mask=~MASK)
    ours = encoder_layer(x, PARAMS, H, MASK, eps)
    torch.testing.assert_close(ours[MASK], expected[MASK])


@pytest.mark.parametrize("eps", [1e-5, 0.5])
def test_a_decoder_layer_is_torchs(eps: float) -> None:
    y, memory = normal(B, T, D), normal(B, S, D)
    layer = nn.TransformerDecoderLayer(D, H, INNER, dropout=0, batch_first=True, layer_norm_eps=eps)
    theirs(layer, {"self_attn.": "", "multihead_attn.": "_cross"})
    expected = layer(y, memory, tgt_mask=~CAUSAL, memory_key_padding_mask=~MASK)
    ours = decoder_layer(y, memory, PARAMS, H, CAUSAL.expand(B, T, T), MASK[:, None], eps)
    torch.testing.assert_close(ours, expected)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.6, 1.0])
def test_the_smoothed_loss_is_torchs(epsilon: float) -> None:
    logits, pad = 3 * normal(B, T, V), 2
    target = torch.randint(0, V, (B, T), generator=torch.Generator().manual_seed(1))
    target[0, 1:] = pad
    expected = F.cross_entropy(logits.transpose(1, 2), target, ignore_index=pad, label_smoothing=epsilon)
    torch.testing.assert_close(label_smoothed_loss(logits, target, epsilon, pad), expected)
    torch.testing.assert_close(label_smoothed_loss(logits + 800, target, epsilon, pad), expected)


@pytest.mark.parametrize(("d_model", "warmup"), [(512, 4000), (4, 16), (7, 1)])
def test_the_rate_rises_in_a_line_and_falls_as_a_root(d_model: int, warmup: int) -> None:
    peak = noam_rate(warmup, d_model, warmup)
    assert peak == pytest.approx((d_model * warmup) ** -0.5)
    assert noam_rate(1, d_model, warmup) == pytest.approx(peak / warmup)
    assert noam_rate(4 * warmup, d_model, warmup) == pytest.approx(peak / 2)
    assert noam_rate(warmup, d_model, warmup, 3.0) == pytest.approx(3 * peak)
    rates = [noam_rate(step, d_model, warmup) for step in range(1, 3 * warmup + 2)]
    assert max(rates) == rates[warmup - 1]


@pytest.mark.parametrize("step", [0, -1])
def test_a_step_before_the_first_is_refused(step: int) -> None:
    with pytest.raises(ValueError, match=rf"expected step ≥ 1, got {step}; add 1"):
        noam_rate(step, 512, 4000)


@pytest.mark.parametrize("heads", [1, H, D])
def test_steps_with_a_cache_are_the_rows_of_causal_attention(heads: int) -> None:
    x, cache = normal(B, T, D), torch.zeros(2, B, heads, 0, D // heads, dtype=torch.float64)
    rows = []
    for t in range(T):
        out, cache = cached_heads(x[:, t], cache, PARAMS, heads)
        rows.append(out)
    torch.testing.assert_close(torch.stack(rows, dim=1), multi_head_attention(x, x, x, PARAMS, heads, CAUSAL)[0])
    for name, kept in zip("kv", cache, strict=True):
        torch.testing.assert_close(kept, split_heads(x @ PARAMS[f"W_{name}"].T + PARAMS[f"b_{name}"], heads))


@pytest.mark.parametrize("eps", [1e-5, 0.5])
def test_a_stack_with_pre_norm_is_torchs(eps: float) -> None:
    layers = 3
    layer = nn.TransformerEncoderLayer(D, H, INNER, dropout=0.0, layer_norm_eps=eps, batch_first=True, norm_first=True)
    norm = nn.LayerNorm(D, eps=eps)
    module = nn.TransformerEncoder(layer, layers, norm, enable_nested_tensor=False).double()
    params = {name: torch.stack([weight * (1 + i / 5) for i in range(layers)]) for name, weight in PARAMS.items()}
    for number, own in enumerate(module.layers):
        theirs(own, {"self_attn.": ""})
        with torch.no_grad():
            for weight in own.parameters():
                weight *= 1 + number / 5
    gamma, beta = normal(D, seed=3), normal(D, seed=4)
    norm.load_state_dict({"weight": gamma, "bias": beta})
    x = normal(B, S, D)
    ours = pre_norm_stack(x, params, gamma, beta, H, MASK, eps)
    torch.testing.assert_close(ours[MASK], module(x, src_key_padding_mask=~MASK)[MASK])


def test_greedy_decoding_asks_one_step_for_each_token_and_hands_the_cache_on() -> None:
    expected, bos, eos = [5, 1, 0, 4, 2], 1, 2
    asked: list[tuple[int, int]] = []

    def step(token: int, cache: int) -> tuple[Tensor, int]:
        asked.append((token, cache))
        return F.one_hot(torch.tensor(expected[cache]), 6) - 3.0, cache + 1

    assert greedy_cached(0, step, bos, eos, 9) == expected
    assert asked == list(zip([bos, *expected], range(5), strict=False))
    assert greedy_cached(0, step, bos, eos, 5) == expected
    assert greedy_cached(0, step, bos, eos, 3) == expected[:3]
    assert len(asked) == 5 + 5 + 3
