"""Tests of structured self-attention and of its penalty: B, S, d, a and r are all different."""

import pytest
import torch

from lab.evaluation.hops import cosines
from solutions.bahdanau.attention import additive_attention, masked_softmax
from solutions.structured.attention import (
    hop_overlap,
    hop_weights,
    penalization,
    penalty_backward,
    penalty_by_hand,
    pruned_output,
    structured_attention,
)

B, S, D, HIDDEN, HOPS = 3, 5, 4, 6, 2


@pytest.fixture
def given():
    torch.manual_seed(1)
    H, W_s1, W_s2 = torch.randn(B, S, D), torch.randn(HIDDEN, D), torch.randn(HOPS, HIDDEN)
    mask = torch.arange(S) < torch.tensor([[2], [5], [1]])
    return H, W_s1, W_s2, mask


def test_a_row_of_m_is_the_weighted_sum_of_the_states(given):
    H = given[0]
    M, A, _ = structured_attention(*given)
    for b in range(B):
        for hop in range(HOPS):
            torch.testing.assert_close(M[b, hop], sum(A[b, hop, s] * H[b, s] for s in range(S)))


def test_one_hop_is_additive_attention_that_nobody_asks(given):
    H, W_s1, W_s2, mask = given
    M, A, _ = structured_attention(*given)
    nobody = torch.zeros(B, 1)
    for hop in range(HOPS):
        context, weights = additive_attention(nobody, H, H, torch.zeros(HIDDEN, 1), W_s1, W_s2[hop], mask)
        torch.testing.assert_close((M[:, hop], A[:, hop]), (context, weights))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_a_sentence_without_words_has_zeros_and_no_nan(given, dtype):
    H, W_s1, W_s2, mask = given
    mask[1] = False
    M, A, penalty = structured_attention(H.to(dtype), W_s1.to(dtype), W_s2.to(dtype), mask)
    assert (M[1] == 0).all()
    assert (A[1] == 0).all()
    assert penalty[1] == HOPS  # what is left is ‖I‖²
    assert M.isfinite().all()


def test_the_gradients_are_those_of_the_formulas(given):
    H, W_s1, W_s2, mask = (x.double().requires_grad_() if x.is_floating_point() else x for x in given)
    assert torch.autograd.gradcheck(lambda a, b, c: structured_attention(a, b, c, mask), (H, W_s1, W_s2))


def test_the_penalty_is_the_squared_norm_of_torch_for_each_sentence(given):
    A = hop_weights(*given)
    expected = torch.linalg.matrix_norm(A @ A.mT - torch.eye(HOPS)) ** 2
    torch.testing.assert_close(penalization(A), expected)


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


def test_a_unit_of_the_pruned_layer_reads_one_row_or_one_column():
    torch.manual_seed(3)
    p, q = 3, 7
    M, W_v, W_h = torch.randn(B, HOPS, D), torch.randn(HOPS, p, D), torch.randn(D, q, HOPS)
    for b, hidden in enumerate(pruned_output(M, W_v, W_h)):
        units = [W_v[i, k] @ M[b, i] for i in range(HOPS) for k in range(p)]
        units += [W_h[j, k] @ M[b, :, j] for j in range(D) for k in range(q)]
        torch.testing.assert_close(hidden, torch.stack(units).clamp(min=0))


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
