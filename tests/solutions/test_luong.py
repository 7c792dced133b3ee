"""Tests of Luong's functions: what must hold for any right implementation, checked on the one that is shown."""

import pytest
import torch
from torch import Tensor

from solutions.luong.attention import (
    attentional_state,
    concat_score,
    dot_score,
    gaussian,
    general_score,
    input_feeding,
    local_p_weights,
    predicted_position,
    scores_by_hand,
    window,
)
from solutions.luong.model import location_score

B, T, S, H, E, P = 3, 4, 5, 6, 7, 2
LENGTHS = torch.tensor([5, 1, 3])
MASK = torch.arange(S) < LENGTHS[:, None]


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)), dtype=torch.float64)


def state_arguments(source: int = S) -> list[Tensor]:
    return [normal(B, H), normal(B, source, E), normal(H, E), normal(H, E + H)]


def local_arguments(source: int = S) -> list[Tensor]:
    return [normal(B, H), normal(B, source, H), normal(H, H), normal(P, H), normal(P)]


def feeding_arguments(source: int = S) -> list[Tensor]:
    return [
        normal(B, T, E),
        normal(B, H),
        normal(B, source, H, seed=1),
        0.5 * normal(H, E + H),
        0.5 * normal(H, H),
        0.5 * normal(H, 2 * H),
    ]


def test_the_scores_are_the_formulas_word_by_word() -> None:
    h_t, same, other = normal(B, T, H), normal(B, S, H), normal(B, S, E)
    W, W_a, v_a = normal(H, E), normal(P, H + E), normal(P)
    dot, general, concat = dot_score(h_t, same), general_score(h_t, other, W), concat_score(h_t, other, W_a, v_a)
    for b, t, s in torch.cartesian_prod(torch.arange(B), torch.arange(T), torch.arange(S)).tolist():
        torch.testing.assert_close(dot[b, t, s], h_t[b, t] @ same[b, s])
        torch.testing.assert_close(general[b, t, s], h_t[b, t] @ W @ other[b, s])
        both = torch.cat([h_t[b, t], other[b, s]])
        torch.testing.assert_close(concat[b, t, s], v_a @ torch.tanh(W_a @ both))


def test_the_numbers_by_hand_are_those_of_the_functions() -> None:
    score, weight = scores_by_hand()
    h_t, h_s, W_a = torch.tensor([[[2.0, -1.0]]]), torch.tensor([[[1.0, 3.0]]]), torch.tensor([[1.0, 1.0], [0.0, -2.0]])
    assert score == pytest.approx(float(general_score(h_t, h_s, W_a)))
    half, two = torch.tensor([[0.5493]]), torch.tensor([2.1972])
    p = predicted_position(torch.ones(1, 1), half, two, torch.tensor([8]))
    assert weight == pytest.approx(float(0.8 * gaussian(p, 8, 4)[0, 3]), abs=1e-4)


@pytest.mark.parametrize("longest", [2, S, 9])
def test_the_location_score_sees_no_source_word_and_gives_nothing_beyond_its_rows(longest: int) -> None:
    scores = location_score(normal(B, T, H), normal(B, S, H), normal(longest, H))
    weights = scores.softmax(dim=-1)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(B, T, dtype=torch.float64))
    assert scores.shape == (B, T, S)
    assert (weights[..., longest:] == 0).all()


def test_a_mask_without_any_true_gives_zeros_and_no_nan() -> None:
    nothing = MASK.clone()
    nothing[1] = False
    state, weights = attentional_state(*state_arguments(), nothing)
    h_t, _, _, W_c = state_arguments()
    assert (weights[1] == 0).all()
    torch.testing.assert_close(state[1], torch.tanh(W_c[:, E:] @ h_t[1]))
    state, weights = input_feeding(*feeding_arguments(), nothing)
    assert (weights[1] == 0).all()
    assert torch.isfinite(state).all()


@pytest.mark.parametrize("D", [0.4, 1, 2, 3.5, 100])
def test_the_window_never_leaves_the_sentence(D: float) -> None:
    weights, p = local_p_weights(*local_arguments(), LENGTHS, D)
    assert ((p >= 0) & (p <= LENGTHS)).all()
    assert (weights[~MASK] == 0).all()
    assert (weights[(torch.arange(S) - p[:, None]).abs() > D] == 0).all()
    assert torch.isfinite(weights).all()
    assert (weights.sum(dim=-1) <= 1).all()  # the Gaussian takes something away, and nobody gives it back
    if D >= 1:
        assert (weights.sum(dim=-1) > 0).all()  # p ≤ S: the last position is at most 1 away


def test_a_window_that_holds_no_position_gives_zeros() -> None:
    p = torch.tensor([0.5, 2.5])
    assert not window(p, torch.tensor([4, 4]), 4, 0.4).any()


def test_input_feeding_feeds_what_the_step_before_has_said() -> None:
    arguments = feeding_arguments()
    whole, weights = input_feeding(*arguments, MASK)
    emb, h0, enc, W_x, W_h, W_c = arguments
    # The first step by itself: nothing is fed.
    h = torch.tanh(torch.cat([emb[:, 0], torch.zeros(B, H, dtype=torch.float64)], dim=-1) @ W_x.T + h0 @ W_h.T)
    first, first_weights = attentional_state(h, enc, torch.eye(H, dtype=torch.float64), W_c, MASK)
    torch.testing.assert_close(whole[:, 0], first)
    torch.testing.assert_close(weights[:, 0], first_weights)
    # The second step hears the first one's h̃, not its context.
    h = torch.tanh(torch.cat([emb[:, 1], first], dim=-1) @ W_x.T + h @ W_h.T)
    second, _ = attentional_state(h, enc, torch.eye(H, dtype=torch.float64), W_c, MASK)
    torch.testing.assert_close(whole[:, 1], second)
