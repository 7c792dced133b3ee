"""Tests of the window that is computed alone: it is the masked one, in values and in gradients."""

import pytest
import torch
from torch import Tensor

from autograder.kit.peak import LargestTensor
from solutions.bahdanau.attention import masked_softmax
from solutions.luong.attention import (
    gaussian,
    general_score,
    local_p_weights,
    predicted_position,
    window,
    windowed_attention,
)

B, T, S, H, E, P = 2, 3, 11, 4, 5, 7
LENGTHS = torch.tensor([11, 6])
CENTRES = torch.tensor([[0.3, 5.0, 10.9], [6.0, 2.5, 0.0]], dtype=torch.float64)  # windows cut at both ends; whole ones


def normal(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)), dtype=torch.float64)


def arguments() -> list[Tensor]:
    return [each.requires_grad_() for each in (normal(B, T, H), normal(B, S, E), normal(H, E), CENTRES.clone())]


def masked(arguments: list[Tensor], D: float) -> Tensor:
    """Return the contexts from weights over all positions, those outside the window masked."""
    h_t, h_s, W_a, p = arguments
    align = masked_softmax(general_score(h_t, h_s, W_a), window(p, LENGTHS[:, None].expand_as(p), S, D))
    return align * gaussian(p, S, D) @ h_s


@pytest.mark.parametrize("D", [0.4, 1, 2, 2.7, 30])
def test_the_window_alone_is_the_masked_one_in_values_and_gradients(D: float) -> None:
    once, again = arguments(), arguments()
    context, expected = windowed_attention(*once, LENGTHS, D), masked(again, D)
    torch.testing.assert_close(context, expected)
    direction = normal(B, T, E)
    (context * direction).sum().backward()
    (expected * direction).sum().backward()
    for one, other in zip(once, again, strict=True):
        torch.testing.assert_close(one.grad, other.grad)


def test_the_window_alone_is_the_taught_local_attention() -> None:
    h_t, h_s, W_a, W_p, v_p, D = normal(B, T, H), normal(B, S, H), normal(H, H), normal(P, H), normal(P), 2
    p = predicted_position(h_t, W_p, v_p, LENGTHS[:, None].expand(B, T))
    contexts = windowed_attention(h_t, h_s, W_a, p, LENGTHS, D)
    for t in range(T):
        weights, centre = local_p_weights(h_t[:, t], h_s, W_a, W_p, v_p, LENGTHS, D)
        torch.testing.assert_close(p[:, t], centre)
        torch.testing.assert_close(contexts[:, t], (weights[:, None] @ h_s)[:, 0])


def test_nothing_that_the_window_makes_is_as_long_as_the_sentence() -> None:
    h_t, h_s, W_a, p = normal(1, T, H), normal(1, 5000, E), normal(H, E), torch.tensor([[9.5, 70.25, 4999.0]])
    with LargestTensor() as largest:
        windowed_attention(h_t, h_s, W_a, p.double(), torch.tensor([5000]), 2)
    assert 0 < largest.bytes <= 8 * T * 6 * E
