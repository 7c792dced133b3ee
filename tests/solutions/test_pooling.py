"""Tests of attention that pools: what must hold for any right implementation, checked on the one that is shown."""

import torch
from torch import Tensor, nn

from solutions.bahdanau.attention import masked_softmax
from solutions.pooling.attention import (
    hierarchical_attention,
    pooled_by_hand,
)

B, N, T, D, A = 3, 4, 6, 7, 2
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
