"""Tests of attention that pools: what must hold for any right implementation, checked on the one that is shown."""

import pytest
import torch
from torch import Tensor, nn

from solutions.bahdanau.attention import additive_attention, masked_softmax
from solutions.pooling.attention import (
    adversarial_weights,
    attention_pool,
    context_attention,
    hierarchical_attention,
    leave_one_out,
    pooled_by_hand,
)

B, N, S, T, D, A = 3, 4, 5, 6, 7, 2
MASK = torch.arange(S) < torch.tensor([5, 1, 3])[:, None]
WORDS = torch.tensor(
    [[6, 2, 0, 0], [1, 4, 3, 5], [3, 0, 6, 1]]
)  # words of each sentence; one sentence of three is empty
NESTED = torch.arange(T) < WORDS[..., None]


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)), dtype=torch.float64)


def level(seed: int) -> list[Tensor]:
    """Return W, b and u of one level."""
    return [normal(A, D, seed=seed), normal(A, seed=seed), normal(A, seed=seed + 1)]


H, W_W, W_S = normal(B, N, T, D), level(10), level(20)


def test_attention_pool_is_the_formula_of_the_paper_whose_states_are_columns() -> None:
    states, w = normal(B, S, D), normal(D)
    pooled, weights = attention_pool(states, w, MASK)
    for b, length in enumerate(MASK.sum(dim=1).tolist()):
        columns = states[b, :length].T
        alpha = (w[None] @ torch.tanh(columns)).softmax(dim=-1)
        torch.testing.assert_close(pooled[b], torch.tanh(columns @ alpha.T)[:, 0])
        torch.testing.assert_close(weights[b, :length], alpha[0])
        assert (weights[b, length:] == 0).all()


def test_context_attention_is_additive_attention_without_a_query() -> None:
    states, (W, b, u) = normal(B, S, D), W_W
    zero, nothing = torch.zeros(B, 1, dtype=torch.float64), torch.zeros(A, 1, dtype=torch.float64)
    ones = torch.ones(B, S, 1, dtype=torch.float64)
    expected = additive_attention(
        zero, torch.cat([states, ones], -1), states, nothing, torch.cat([W, b[:, None]], -1), u, MASK
    )
    for ours, theirs in zip(context_attention(states, W, b, u, MASK), expected, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_a_document_is_two_levels_one_after_the_other() -> None:
    document, words, sentences = hierarchical_attention(H, *W_W, *W_S, NESTED)
    for b in range(B):
        vectors = []
        for n, length in enumerate(WORDS[b].tolist()):
            assert (words[b, n, length:] == 0).all()
            if length:
                vector, alone = context_attention(H[b, n, None, :length], *W_W)
                torch.testing.assert_close(words[b, n, :length], alone[0])
                vectors.append(vector[0])
        vector, alone = context_attention(torch.stack(vectors)[None], *W_S)
        torch.testing.assert_close(document[b], vector[0])
        torch.testing.assert_close(sentences[b, WORDS[b] > 0], alone[0])
        assert (sentences[b, WORDS[b] == 0] == 0).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_what_is_empty_gives_zeros_and_no_nan_in_every_type(dtype: torch.dtype) -> None:
    states, first, second = H.to(dtype), [x.to(dtype) for x in W_W], [x.to(dtype) for x in W_S]
    mask = NESTED.clone()
    mask[1] = False  # a whole document
    pooled, weights = attention_pool(states[:, 0], normal(D).to(dtype), mask[:, 0])
    document, words, sentences = hierarchical_attention(states, *first, *second, mask)
    for tensor in (pooled, weights, document, words, sentences):
        assert tensor.isfinite().all()
        assert tensor.dtype == dtype
        assert (tensor[1] == 0).all()


def test_no_gradient_is_nan_where_sentences_are_empty() -> None:
    states = H.clone().requires_grad_()
    document, _, _ = hierarchical_attention(states, *W_W, *W_S, NESTED)
    document.sum().backward()
    assert states.grad is not None
    assert states.grad.isfinite().all()
    assert (states.grad[~NESTED] == 0).all()


def test_the_encoder_of_sentences_is_given_the_vectors_and_which_of_them_are_not_empty() -> None:
    given = []
    network = nn.Linear(D, D).double()

    def encoder(vectors: Tensor, mask: Tensor) -> Tensor:
        given.append((vectors, mask))
        return network(vectors)

    document, words, sentences = hierarchical_attention(H, *W_W, *W_S, NESTED, encoder)
    ((vectors, mask),) = given
    assert torch.equal(mask, WORDS > 0)
    torch.testing.assert_close(vectors, torch.einsum("bnt,bntd->bnd", words, H))
    torch.testing.assert_close(document, torch.einsum("bn,bnd->bd", sentences, network(vectors)))


def test_the_numbers_by_hand_are_those_of_the_functions() -> None:
    """The states of (a) score ln 1, ln 2 and ln 2 for no w: its weights are the softmax of the scores that it gives."""
    scores = torch.tensor([[1.0, 2.0, 2.0, 5.0]]).log()
    real = torch.tensor([[True, True, True, False]])
    pooled = torch.tanh(masked_softmax(scores, real) @ torch.tensor([2.0, -3.0, 4.0, -4.0]))
    sentences = masked_softmax(torch.tensor([[4.0, 1.0, 10.0]]).log(), real[:, 1:])
    document = sentences @ torch.tensor([0.4 * 5 + 0.6 * 10, 3.0, 0.0])
    torch.testing.assert_close(torch.tensor(pooled_by_hand()), torch.cat([pooled, document]), atol=1e-3, rtol=0)


def test_without_a_position_is_what_the_pool_gives_where_that_position_is_masked() -> None:
    states, (W, b, u) = normal(B, S, D), W_W
    _, weights = context_attention(states, W, b, u, MASK)
    vectors = leave_one_out(states, weights, MASK)
    for s in range(S):
        without = MASK & (torch.arange(S) != s)
        expected, _ = context_attention(states, W, b, u, without)
        torch.testing.assert_close(vectors[:, s], torch.where(MASK[:, s, None], expected, 0))
    assert (vectors[1] == 0).all()  # one word: without it nothing is left


def test_adversarial_weights_pool_the_same_vector_and_no_others_go_further() -> None:
    values, weights, direction = normal(9, 3), normal(9, seed=4).softmax(0), normal(9, seed=5)
    others = adversarial_weights(weights, values, direction)
    torch.testing.assert_close(others @ values, weights @ values)
    torch.testing.assert_close(others.sum(), weights.sum())
    assert others.min().abs() < 1e-12
    change = others - weights
    # The nearest to the direction among the changes that keep both: what is left of it stands on all of these.
    free = torch.linalg.svd(torch.cat([values, torch.ones(9, 1)], 1).T)[2][4:]
    left_over = direction - change * (direction @ change) / (change @ change)
    torch.testing.assert_close(free @ left_over, torch.zeros(5, dtype=torch.float64), atol=1e-9, rtol=0)
    assert direction @ change > 0
    assert (weights + 1.001 * change).min() < 0


@pytest.mark.parametrize("length", [1, 3, 4])
def test_weights_of_few_words_cannot_move(length: int) -> None:
    weights, direction = normal(length).softmax(0), normal(length, seed=1)
    torch.testing.assert_close(adversarial_weights(weights, normal(length, 3), direction), weights, atol=0, rtol=0)
