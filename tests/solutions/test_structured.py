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


def test_every_hop_spreads_a_weight_of_one_over_the_real_words(given):
    mask = given[-1]
    A = hop_weights(*given)
    torch.testing.assert_close(A.sum(dim=-1), torch.ones(B, HOPS))
    assert (A.transpose(1, 2)[~mask] == 0).all()


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


def test_a_hop_does_not_know_of_the_others(given):
    H, W_s1, W_s2, mask = given
    for hop in range(HOPS):
        alone = structured_attention(H, W_s1, W_s2[hop : hop + 1], mask)[0]
        torch.testing.assert_close(alone[:, 0], structured_attention(*given)[0][:, hop])


def test_the_order_of_the_words_says_nothing(given):
    H, W_s1, W_s2, mask = given
    order = torch.tensor([3, 0, 4, 1, 2])
    M, A, penalty = structured_attention(*given)
    others = structured_attention(H[:, order], W_s1, W_s2, mask[:, order])
    torch.testing.assert_close(others, (M, A[:, :, order], penalty))


def test_padding_changes_nothing(given):
    H, W_s1, W_s2, mask = given
    M, A, penalty = structured_attention(*given)
    for b, length in enumerate(mask.sum(dim=1)):
        alone = structured_attention(H[b : b + 1, :length], W_s1, W_s2)
        torch.testing.assert_close(alone, (M[b : b + 1], A[b : b + 1, :, :length], penalty[b : b + 1]))


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


def test_hops_that_look_at_one_word_each_cost_nothing():
    A = torch.eye(S)[[3, 0]][None]
    torch.testing.assert_close(penalization(A), torch.zeros(1))


@pytest.mark.parametrize("hops", [1, 2, 3, 7])
def test_hops_that_all_look_at_the_same_word_cost_one_for_each_two(hops):
    A = torch.zeros(1, hops, S)
    A[:, :, 2] = 1
    torch.testing.assert_close(penalization(A), torch.tensor([float(hops * (hops - 1))]))


def test_one_hop_is_cheapest_when_it_looks_at_one_word():
    spread, narrow = torch.full((1, 1, S), 1 / S), torch.eye(S)[:1][None]
    assert penalization(narrow) < penalization(spread)
    torch.testing.assert_close(penalization(spread), torch.tensor([(1 - 1 / S) ** 2]))


def test_the_penalty_is_the_squared_norm_of_torch_for_each_sentence(given):
    A = hop_weights(*given)
    expected = torch.linalg.matrix_norm(A @ A.mT - torch.eye(HOPS)) ** 2
    torch.testing.assert_close(penalization(A), expected)


@pytest.mark.parametrize(("hops", "words"), [(2, 5), (5, 2), (4, 4)])
def test_hops_against_hops_and_words_against_words_differ_by_a_constant(hops, words):
    """AAᵀ and AᵀA have the same singular values but for zeros; where r > S the penalty cannot fall below r - S."""
    A = torch.rand(B, hops, words).softmax(dim=-1)
    torch.testing.assert_close(penalization(A), penalization(A.transpose(1, 2)) + hops - words)
    assert (penalization(A) >= hops - words).all()


def test_going_down_the_penalty_takes_two_hops_apart(given):
    torch.manual_seed(2)
    scores = (0.1 * torch.randn(1, HOPS, S)).requires_grad_()

    def shared():
        A = scores.softmax(dim=-1)
        return (A[0, 0] @ A[0, 1]).item()

    before = shared()
    for _ in range(200):
        (gradient,) = torch.autograd.grad(penalization(scores.softmax(dim=-1)).sum(), scores)
        scores.data -= 0.5 * gradient
    assert shared() < 0.05 < before


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
