"""Tests of Luong's functions: what must hold for any right implementation, checked on the one that is shown."""

import pytest
import torch
from torch import Tensor

from solutions.luong.attention import (
    gaussian,
    general_score,
    local_p_weights,
    predicted_position,
    scores_by_hand,
    window,
)
from solutions.luong.model import location_score
from solutions.luong.unknown import replace_unknown

B, T, S, H, P = 3, 4, 5, 6, 2
LENGTHS = torch.tensor([5, 1, 3])
MASK = torch.arange(S) < LENGTHS[:, None]


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)), dtype=torch.float64)


def local_arguments(source: int = S) -> list[Tensor]:
    return [normal(B, H), normal(B, source, H), normal(H, H), normal(P, H), normal(P)]


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


def test_an_unknown_word_becomes_the_word_that_was_looked_at() -> None:
    weights = torch.tensor([[0.9, 0.1, 0.0], [0.1, 0.2, 0.7]])
    assert replace_unknown(["he", "<unk>"], weights, ["il", "danse"]) == ["he", "danse"]  # not </s>, however much
    assert replace_unknown(["he", "<unk>"], weights, ["il", "danse"], {"danse": "dances"}) == ["he", "dances"]
    assert replace_unknown(["<unk>"], weights[:1], []) == ["<unk>"]


def test_words_are_replaced_by_the_function_that_is_handed_in() -> None:
    words = replace_unknown(["he", "<unk>"], torch.eye(2), ["il", "danse"], replaced=lambda tokens, *_: tokens.flip(0))
    assert words == ["<unk>", "he"]
