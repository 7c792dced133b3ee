"""Tests of self-attention: what must hold for any right implementation, checked on the one that is shown."""

import itertools
import math

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from torch.utils.flop_counter import FlopCounterMode

from solutions.self_attention.attention import (
    SelfAttention,
    chunked_attention,
    crossing_length,
    exact_layer_cost,
    layer_cost,
    rotated,
    scaled_dot_product,
    self_attention,
    simple_self_attention,
)
from solutions.self_attention.layers import SimpleSelfAttention, Unscaled

B, H, T, S, D, K, V = 3, 2, 4, 5, 8, 6, 7
LENGTHS = torch.tensor([5, 1, 3])
MASK = torch.arange(S) < LENGTHS[:, None]
KINDS = ("self_attention", "recurrent", "convolution", "restricted")


def normal(*shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)), dtype=torch.float64).to(dtype)


def words(source: int = S) -> list[Tensor]:
    return [normal(B, source, D), normal(K, D), normal(K, D + 1)[:, 1:], normal(V, D)]


BOTH = [(simple_self_attention, 1), (self_attention, 4)]  # and how many of `words` they take


def test_self_attention_is_the_formula_word_by_word() -> None:
    """The six steps, one word at a time."""
    X, W_q, W_k, W_v = words()
    context, weights = self_attention(X, W_q, W_k, W_v, MASK)
    for b, i in itertools.product(range(B), range(S)):
        query = W_q @ X[b, i]
        scores = torch.stack([query @ (W_k @ X[b, j]) / math.sqrt(K) for j in range(LENGTHS[b])])
        alpha = scores.softmax(dim=0)
        torch.testing.assert_close(weights[b, i, : LENGTHS[b]], alpha)
        torch.testing.assert_close(context[b, i], sum(alpha[j] * (W_v @ X[b, j]) for j in range(LENGTHS[b])))


def test_with_the_identity_and_scaled_words_the_form_without_parameters_comes_back() -> None:
    X, eye = normal(B, S, D), torch.eye(D, dtype=torch.float64)
    context, weights = self_attention(X, math.sqrt(D) * eye, eye, eye, MASK)
    simple, simple_weights = simple_self_attention(X, MASK)
    torch.testing.assert_close(context, simple)
    torch.testing.assert_close(weights, simple_weights)


MASKS = {
    "no mask": None,
    "source": torch.tensor([True, False, True, True, False]).expand(1, S),
    "target and source": torch.arange(T)[:, None] >= torch.arange(S) - 1,
    "sentences": MASK[:, None, None],
    "heads": torch.arange(H)[:, None, None] <= torch.arange(S),
    "everything": normal(B, H, T, S) > -1,
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_the_scaled_dot_product_is_torchs_own(mask: Tensor | None) -> None:
    query, key, value = normal(B, H, T, K), normal(B, H, S, K), normal(B, H, S, V)
    output, weights = scaled_dot_product(query, key, value, mask)
    torch.testing.assert_close(output, scaled_dot_product_attention(query, key, value, mask))
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(B, H, T, dtype=torch.float64))


def test_any_number_of_axes_stands_in_front() -> None:
    query, key, value = normal(T, K), normal(S, K), normal(S, V)
    output, weights = scaled_dot_product(query, key, value)
    many = scaled_dot_product(*(x.expand(2, 1, 3, *x.shape) for x in (query, key, value)))
    torch.testing.assert_close(many[0], output.expand(2, 1, 3, T, V))
    torch.testing.assert_close(many[1], weights.expand(2, 1, 3, T, S))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_a_row_without_any_true_gives_zeros_in_every_dtype(dtype: torch.dtype) -> None:
    nothing = MASK.clone()
    nothing[1] = False
    large = [3 * x.to(dtype) for x in words()]
    for attend, count in BOTH:
        context, weights = attend(*large[:count], nothing)
        assert weights.dtype == dtype
        assert (weights[1] == 0).all()
        assert (context[1] == 0).all()
        assert (weights[~nothing[:, None].expand_as(weights)] == 0).all()


def test_float16_has_room_for_scores_that_only_their_root_makes_small() -> None:
    query = torch.full((1, 1024), 10.0, dtype=torch.float16)
    key = torch.cat([query, query / 2])
    _, weights = scaled_dot_product(query, key, key)  # q·k = 102400, more than float16 can hold
    assert torch.isfinite(weights).all()


def test_layers_return_their_weights_and_hold_their_parameters() -> None:
    X = normal(B, S, D, dtype=torch.float32)
    simple, layer = SimpleSelfAttention(), SelfAttention(D, K, V)
    assert not list(simple.parameters())
    assert {name: tuple(W.shape) for name, W in layer.named_parameters()} == {
        "W_q": (K, D),
        "W_k": (K, D),
        "W_v": (V, D),
    }
    for net, width in ((simple, D), (layer, V)):
        context, weights = net(X, MASK)
        assert context.shape == (B, S, width)
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(B, S))
    torch.testing.assert_close(layer(X)[0], self_attention(X, layer.W_q, layer.W_k, layer.W_v)[0])


def test_a_layer_is_loaded_and_moved_to_another_dtype() -> None:
    layer, other = SelfAttention(D, K, V), SelfAttention(D, K, V)
    other.load_state_dict(layer.state_dict())
    X = normal(B, S, D)
    exact = other.to(torch.float64).eval()(X, MASK)[0]
    assert exact.dtype == torch.float64
    matrices = [W.double() for W in (layer.W_q, layer.W_k, layer.W_v)]
    torch.testing.assert_close(exact, self_attention(X, *matrices, MASK)[0], rtol=1e-12, atol=1e-12)


def test_unscaled_scores_are_larger_by_the_root_of_the_key_width() -> None:
    layer, plain = SelfAttention(D, K, V), Unscaled(D, K, V)
    plain.load_state_dict(layer.state_dict())
    X = normal(B, S, D, dtype=torch.float32)
    scores = (X @ plain.W_q.T) @ (X @ plain.W_k.T).mT
    torch.testing.assert_close(plain(X)[1], scores.softmax(dim=-1))
    assert not torch.allclose(plain(X)[1], layer(X)[1])


def test_the_size_of_the_projections_at_the_start_does_not_depend_on_the_width() -> None:
    torch.manual_seed(0)
    for width in (64, 1024):
        query = torch.randn(500, width) @ SelfAttention(width, 32, 16).W_q.T
        assert query.std().item() == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("kind", ["self_attention", "recurrent"])
def test_exact_costs_are_what_torch_counts(kind: str) -> None:
    n, d = 5, 8
    X = normal(1, n, d, dtype=torch.float32)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        if kind == "self_attention":
            SelfAttention(d, d, d)(X)
        else:
            W, U, h = normal(d, d), normal(d, d + 1)[:, 1:], torch.zeros(d, 1, dtype=torch.float64)
            for x in X[0].double():
                h = torch.tanh(W @ x[:, None] + U @ h)
    assert exact_layer_cost(kind, n, d, 3, 4) == counter.get_total_flops() // 2
    assert exact_layer_cost("restricted", n, d, 3, n) == exact_layer_cost("self_attention", n, d, 3, 4)
    assert exact_layer_cost("convolution", n, d, 2, 4) == exact_layer_cost("recurrent", n, d, 3, 4)


@pytest.mark.parametrize("gates", [1, 2, 3, 4])
@pytest.mark.parametrize("d", [1, 6, 7])
def test_self_attention_costs_more_from_the_crossing_on_and_not_before(d: int, gates: int) -> None:
    border = crossing_length(d, gates)
    costs_more = [
        exact_layer_cost("self_attention", n, d, 3, 5) > gates * exact_layer_cost("recurrent", n, d, 3, 5)
        for n in range(1, border + 3)
    ]
    assert costs_more == [n >= border for n in range(1, border + 3)]


def test_scores_of_rotated_vectors_depend_on_differences_alone() -> None:
    query, key = normal(H, T, D), normal(H, S, D)
    asked, answering = torch.tensor([4, 0, 9, 2]), torch.tensor([1, 7, 3, 3, 0])

    def scores(shift: int) -> Tensor:
        return rotated(query, asked + shift, 100.0) @ rotated(key, answering + shift, 100.0).mT

    torch.testing.assert_close(scores(0), scores(31), rtol=1e-4, atol=1e-4)  # the angles are in float32
    assert not torch.allclose(scores(0), query @ key.mT, atol=1e-2)
    torch.testing.assert_close(rotated(query, asked, 100.0).norm(dim=-1), query.norm(dim=-1), rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(rotated(query, torch.zeros(T, dtype=torch.int64), 100.0), query)


@pytest.mark.parametrize("chunk", [1, 2, S, S + 3])
@pytest.mark.parametrize("size", [1, 40])
def test_chunks_change_neither_values_nor_gradients(chunk: int, size: int) -> None:
    mask = torch.rand(B, T, S, generator=torch.Generator().manual_seed(1)) < 0.5
    mask[..., -1] = True  # for some queries nothing but the last chunk is left
    given = [
        (size * normal(B, T, K)).requires_grad_(),
        normal(B, S, K).requires_grad_(),
        normal(B, S, V).requires_grad_(),
    ]
    whole, chunked = scaled_dot_product(*given, mask)[0], chunked_attention(*given, chunk, mask)
    torch.testing.assert_close(chunked, whole)
    cotangent = normal(B, T, V + 1)[..., 1:]
    for one, two in zip(
        torch.autograd.grad(chunked, given, cotangent), torch.autograd.grad(whole, given, cotangent), strict=True
    ):
        torch.testing.assert_close(one, two)


def test_costs_meet_where_the_table_says() -> None:
    for n in (7, 64):
        assert layer_cost("self_attention", n, n, 3, 5)[0] == layer_cost("recurrent", n, n, 3, 5)[0]
        assert layer_cost("self_attention", n, n + 1, 3, 5)[0] < layer_cost("recurrent", n, n + 1, 3, 5)[0]
        assert layer_cost("restricted", n, 9, 3, n) == layer_cost("self_attention", n, 9, 3, 5)
        assert layer_cost("convolution", n, 9, 2, 5)[0] == 2 * layer_cost("recurrent", n, 9, 3, 5)[0]
    assert layer_cost("convolution", 81, 4, 3, 5)[2] == pytest.approx(4)


def test_an_unknown_kind_of_layer_is_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"kind must be self_attention, recurrent.*got 'attention'"):
        layer_cost("attention", 8, 4, 3, 5)
    with pytest.raises(ValueError, match=r"at least 2 words wide; got k = 1"):
        layer_cost("convolution", 8, 4, 1, 5)
