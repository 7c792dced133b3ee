"""Laws of the language model's functions: what must hold for any right implementation, checked on the one shown."""

import functools
import itertools
import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from solutions.language_model.attention import (
    absorbed_scores,
    cached_step,
    causal_mean,
    grouped_query_attention,
    induction_score,
    inside,
    latent_attention,
    next_probabilities,
    rms_norm,
    rope,
    swiglu,
)
from solutions.self_attention.attention import rotated
from solutions.transformer.attention import merge_heads, split_heads

B, T, S, D, H, KV, INNER, V = 3, 4, 5, 24, 6, 2, 7, 11
HD = 8  # of a head, so that heads together are wider than the model
close = functools.partial(torch.testing.assert_close, rtol=1e-5, atol=1e-5)  # rope's angles are of single precision
LEFT = torch.arange(S) >= torch.tensor([0, 3, 1])[:, None]  # padding on the left

PROVES = {
    "causal_mean": "test_the_causal_mean_is_that_of_a_loop",
    "rms_norm": "test_rms_norm_is_torchs_and_knows_no_scale",
    "swiglu": "test_swiglu_is_a_gate_by_torchs_silu",
    "rope": "test_both_pairings_of_rope_are_a_permutation_apart",
    "grouped_query_attention": "test_grouped_queries_are_torchs",
    "cached_step": "test_steps_with_a_cache_are_the_full_pass",
    "next_probabilities": "test_temperature_comes_first_then_top_k_then_top_p",
    "induction_score": "test_the_induction_score_is_that_of_a_loop_and_1_where_a_head_copies",
    "latent_attention": "test_latent_attention_is_torchs_and_its_scores_need_no_keys",
    "inside": "test_the_probabilities_of_all_sentences_are_those_of_their_trees",
}


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)), dtype=torch.float64)


def attention_params() -> dict[str, Tensor]:
    shapes = {"W_q": (H * HD, D), "W_k": (KV * HD, D), "W_v": (KV * HD, D), "W_o": (D, H * HD)}
    return {name: normal(*shape, seed=seed) / 4 for seed, (name, shape) in enumerate(shapes.items())}


def test_the_causal_mean_is_that_of_a_loop() -> None:
    x = normal(B, T, D)
    loop = [torch.stack(list(x[:, : t + 1].unbind(dim=1))).mean(dim=0) for t in range(T)]
    torch.testing.assert_close(causal_mean(x), torch.stack(loop, dim=1))


def test_rms_norm_is_torchs_and_knows_no_scale() -> None:
    x, gamma = normal(B, T, D), normal(D)
    theirs = nn.RMSNorm(D, eps=1e-6).double()
    theirs.load_state_dict({"weight": gamma})
    torch.testing.assert_close(rms_norm(x, gamma), theirs(x))
    torch.testing.assert_close(rms_norm(1000 * x, gamma, 0.0), rms_norm(x, gamma, 0.0))
    assert (rms_norm(torch.zeros(B, D), torch.ones(D)) == 0).all()


def test_swiglu_is_a_gate_by_torchs_silu() -> None:
    x, W_1, W_gate, W_2 = normal(B, T, D), normal(INNER, D), normal(INNER, D, seed=1), normal(D, INNER, seed=2)
    torch.testing.assert_close(
        swiglu(x, W_1, W_gate, W_2), F.linear(F.silu(F.linear(x, W_gate)) * F.linear(x, W_1), W_2)
    )


def test_both_pairings_of_rope_are_a_permutation_apart() -> None:
    x, positions = normal(B, T, HD), torch.tensor([3, 9, 0, 41])
    halves = torch.cat([torch.arange(0, HD, 2), torch.arange(1, HD, 2)])  # feature 2i to i, 2i + 1 to i + d/2
    torch.testing.assert_close(rope(x[..., halves], positions), rotated(x, positions, 10000.0)[..., halves])


@pytest.mark.parametrize("kv_heads", [1, KV, 3, H])
def test_grouped_queries_are_torchs(kv_heads: int) -> None:
    query, key, value = normal(B, H, S, HD), normal(B, kv_heads, S, HD), normal(B, kv_heads, S, HD, seed=1)
    context, weights = grouped_query_attention(query, key, value)
    theirs = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
    torch.testing.assert_close(context, theirs)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(B, H, S, dtype=torch.float64))
    assert (weights.triu(1) == 0).all()


def test_queries_are_the_newest_positions_and_padding_is_not_seen() -> None:
    query, key, value = normal(B, H, S, HD), normal(B, KV, S, HD), normal(B, KV, S, HD, seed=1)
    whole, weights = grouped_query_attention(query, key, value, LEFT)
    assert (weights * ~LEFT[:, None, None] == 0).all()
    newest, _ = grouped_query_attention(query[:, :, -2:], key, value, LEFT)
    torch.testing.assert_close(newest, whole[:, :, -2:])
    alone, _ = grouped_query_attention(query[1:2, :, 3:], key[1:2, :, 3:], value[1:2, :, 3:])
    torch.testing.assert_close(whole[1:2, :, 3:], alone)


def full_pass(x: Tensor, params: dict[str, Tensor], start: int = 0) -> Tensor:
    """Return the attention that `cached_step` computes step by step, at all positions at once."""
    positions = torch.arange(x.shape[1]) + start
    q, k, v = (split_heads(x @ params[f"W_{n}"].T, heads) for n, heads in (("q", H), ("k", KV), ("v", KV)))
    context, _ = grouped_query_attention(rope(q, positions), rope(k, positions), v)
    return merge_heads(context) @ params["W_o"].T


def stepped(x: Tensor, params: dict[str, Tensor], mask: Tensor | None = None) -> Tensor:
    cache, outputs = torch.zeros(2, len(x), KV, 0, HD, dtype=x.dtype), []
    for t in range(x.shape[1]):
        output, cache = cached_step(x[:, t], cache, params, None if mask is None else mask[:, : t + 1])
        outputs.append(output)
    return torch.stack(outputs, dim=1)


def test_steps_with_a_cache_are_the_full_pass() -> None:
    x, params = normal(B, S, D), attention_params()
    close(stepped(x, params), full_pass(x, params))
    close(full_pass(x, params, start=3), full_pass(x, params))


def test_padding_on_the_left_changes_no_step() -> None:
    x, params = normal(B, S, D), attention_params()
    outputs = stepped(x, params, LEFT)
    for row, padding in enumerate((0, 3, 1)):
        alone = full_pass(x[row : row + 1, padding:], params)
        close(outputs[row : row + 1, padding:], alone)


def test_probabilities_are_a_softmax_and_add_up_to_one() -> None:
    logits = normal(B, T, V)
    torch.testing.assert_close(next_probabilities(logits), logits.softmax(dim=-1))
    torch.testing.assert_close(next_probabilities(logits, temperature=0.5), (2 * logits).softmax(dim=-1))
    for temperature, top_k, top_p in itertools.product((0.3, 1.0, 2.0), (0, 1, 3, 20), (1e-9, 0.4, 0.9, 1.0)):
        total = next_probabilities(logits, temperature, top_k, top_p).sum(dim=-1)
        torch.testing.assert_close(total, torch.ones(B, T, dtype=torch.float64))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"top_k": 2}, [0.0, 5 / 8, 0.0, 3 / 8]),
        ({"top_p": 0.5}, [0.0, 1.0, 0.0, 0.0]),  # reached: the next one is not needed
        ({"top_p": 0.51}, [0.0, 5 / 8, 0.0, 3 / 8]),  # the token that crosses p is kept
        ({"top_p": 0.6, "top_k": 2}, [0.0, 1.0, 0.0, 0.0]),  # of the two that are left, the first has 5/8
        ({"top_p": 0.6, "temperature": 0.5}, [0.0, 1.0, 0.0, 0.0]),  # squared, the first has 25/39
    ],
)
def test_temperature_comes_first_then_top_k_then_top_p(settings: dict, expected: list[float]) -> None:
    logits = torch.tensor([0.1, 0.5, 0.1, 0.3], dtype=torch.float64).log()
    torch.testing.assert_close(next_probabilities(logits, **settings), torch.tensor(expected, dtype=torch.float64))


def test_the_induction_score_is_that_of_a_loop_and_1_where_a_head_copies() -> None:
    length, period = 9, 4
    weights = normal(H, length, length).softmax(dim=-1)
    loop = torch.stack([weights[:, t, t - period + 1] for t in range(period, length)]).mean(dim=0)
    torch.testing.assert_close(induction_score(weights, period), loop)
    tokens = torch.tensor([5, 2, 8, 1, 5, 2, 8, 1, 5])
    copies = torch.zeros(1, length, length)
    for t in range(period, length):
        last = max(s for s in range(t) if tokens[s] == tokens[t])
        copies[0, t, last + 1] = 1
    assert induction_score(copies, period).tolist() == [1.0]


def test_latent_attention_is_torchs_and_its_scores_need_no_keys() -> None:
    latent_dim, x = 5, normal(B, S, D)
    params = {
        "W_q": normal(H * HD, D) / 4,
        "W_down": normal(latent_dim, D) / 4,
        "W_uk": normal(H * HD, latent_dim),
        "W_uv": normal(H * HD, latent_dim, seed=1),
        "W_o": normal(D, H * HD),
    }
    output, latent = latent_attention(x, params, H)
    assert latent.shape == (B, S, latent_dim)
    q, k, v = (
        split_heads(each, H) for each in (x @ params["W_q"].T, latent @ params["W_uk"].T, latent @ params["W_uv"].T)
    )
    theirs = merge_heads(F.scaled_dot_product_attention(q, k, v, is_causal=True)) @ params["W_o"].T
    torch.testing.assert_close(output, theirs)
    torch.testing.assert_close(
        absorbed_scores(x[:, -2:], latent, params, H), q[:, :, -2:] @ k.transpose(-2, -1) / HD**0.5
    )


def grammar() -> tuple[Tensor, Tensor]:
    """Return rules of three symbols over two words, ambiguous and recursive, whose sentences end almost surely."""
    binary, emission = torch.zeros(3, 3, 3, dtype=torch.float64), torch.zeros(3, 2, dtype=torch.float64)
    binary[0, 0, 1], binary[0, 1, 2], binary[0, 2, 2], binary[1, 2, 1] = 0.1, 0.2, 0.1, 0.3
    emission[0], emission[1], emission[2] = torch.tensor([0.6, 0.0]), torch.tensor([0.2, 0.5]), torch.tensor([0.7, 0.3])
    return binary, emission


def trees(symbol: int, length: int) -> dict[tuple[int, ...], float]:
    """Return the probability of each sentence of a length that a symbol can become: the sum over its trees."""
    binary, emission = grammar()
    if length == 1:
        return {(word,): float(emission[symbol, word]) for word in range(2)}
    sentences: dict[tuple[int, ...], float] = {}
    for left, right, cut in itertools.product(range(3), range(3), range(1, length)):
        for (first, p), (second, q) in itertools.product(trees(left, cut).items(), trees(right, length - cut).items()):
            whole = first + second
            sentences[whole] = sentences.get(whole, 0.0) + float(binary[symbol, left, right]) * p * q
    return sentences


def test_the_probabilities_of_all_sentences_are_those_of_their_trees() -> None:
    binary, emission = grammar()
    for length in range(1, 5):
        by_trees = trees(0, length)
        assert len(by_trees) == 2**length
        for sentence, probability in by_trees.items():
            assert inside(torch.tensor(sentence), binary, emission).item() == pytest.approx(probability)
    every = itertools.chain.from_iterable(itertools.product(range(2), repeat=length) for length in range(1, 8))
    total = math.fsum(inside(torch.tensor(sentence), binary, emission).item() for sentence in every)
    assert 0.99 < total < 1
