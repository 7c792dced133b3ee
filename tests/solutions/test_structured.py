"""Tests of structured self-attention and of its penalty: B, S, d, a and r are all different."""

import pytest
import torch

from lab.evaluation.hops import cosines
from solutions.bahdanau.attention import masked_softmax
from solutions.structured.attention import (
    hop_overlap,
    penalization,
    penalty_backward,
    penalty_by_hand,
)

B, S, D, HIDDEN, HOPS = 3, 5, 4, 6, 2


@pytest.fixture
def given():
    torch.manual_seed(1)
    H, W_s1, W_s2 = torch.randn(B, S, D), torch.randn(HIDDEN, D), torch.randn(HOPS, HIDDEN)
    mask = torch.arange(S) < torch.tensor([[2], [5], [1]])
    return H, W_s1, W_s2, mask


def test_the_numbers_by_hand_are_those_of_the_functions():
    scores = torch.tensor([[0, 2.1972], [0.8109, 0]]) @ torch.tensor([[0.5, 0, 0.5], [0, 0.5, 0.5]])
    A = masked_softmax(scores, torch.tensor([True, True, False]).expand(2, 3))
    entry = (A @ torch.tensor([2.0, 7, 9]))[1].item()
    penalty = penalization(torch.tensor([[[0.6, 0.4, 0], [0, 0.5, 0.5]]])).item()
    assert penalty_by_hand() == pytest.approx((entry, penalty), abs=1e-3)


def test_the_overlap_of_hops_is_the_cosine_of_the_lab(given):
    mask = given[-1]
    A = torch.rand(B, HOPS, S)
    for b, overlap in enumerate(hop_overlap(A, mask)):
        torch.testing.assert_close(overlap, cosines(A[b, :, mask[b]]))
    torch.testing.assert_close(hop_overlap(A)[0], cosines(A[0]))


@pytest.mark.parametrize("is_masked", [True, False])
@pytest.mark.parametrize("hops", [1, 2, 7])
def test_the_penalty_backwards_is_what_autograd_says(given, hops, is_masked):
    mask = given[-1][:, None].expand(B, hops, S) if is_masked else None
    scores, d_penalty = torch.randn(B, hops, S, requires_grad=True), torch.randn(B)
    penalty = penalization(masked_softmax(scores, mask))
    (expected,) = torch.autograd.grad(penalty, scores, d_penalty)
    with torch.inference_mode():
        d_scores = penalty_backward(d_penalty, scores, given[-1] if is_masked else None)
    torch.testing.assert_close(d_scores.clone(), expected)
    assert mask is None or (d_scores[~mask] == 0).all()
