"""Laws of attention in tiles: what must hold for any right implementation, checked on the one shown."""

import itertools

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.kit.peak import LargestTensor
from solutions.long_context.attention import flash_backward, flash_forward, merge_softmax

B, T, S, D, V = 3, 5, 11, 4, 6
ENDS = torch.arange(S) < torch.tensor([S, 4, 7])[:, None]  # padding on the right
TILES = (1, 2, 3, 4, 11, 20)  # 3 divides nothing, 11 is all keys

PROVES = {
    "merge_softmax": "test_the_parts_of_a_softmax_in_any_order_and_grouping_make_the_whole",
    "flash_forward": "test_tiles_of_any_size_are_torchs_attention",
    "flash_backward": "test_gradients_in_tiles_are_those_of_autograd",
}


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)), dtype=torch.float64)


def given(target: int = T) -> tuple[Tensor, Tensor, Tensor]:
    return normal(B, target, D), normal(B, S, D), normal(B, S, V)


def part_of(scores: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the maximum, the sum and the weighted sum of values over the last axis of the scores, as defined."""
    if scores.shape[-1] == 0:
        nothing = scores.new_zeros(scores.shape[:-1])
        return nothing - torch.inf, nothing, scores.new_zeros(*scores.shape[:-1], value.shape[-1])
    m = scores.amax(dim=-1)
    weights = (scores - m[..., None]).exp()
    return m, weights.sum(dim=-1), weights @ value


def test_the_parts_of_a_softmax_in_any_order_and_grouping_make_the_whole() -> None:
    scores, value = 3 * normal(B, T, S), normal(B, S, V)
    whole = part_of(scores, value)
    cuts = (slice(0, 3), slice(3, 3), slice(3, 4), slice(4, S))  # the second has no keys
    parts = [part_of(scores[..., cut], value[:, cut]) for cut in cuts]
    for a, b, c, d in itertools.permutations(parts):
        for merged in (
            merge_softmax(merge_softmax(merge_softmax(a, b), c), d),
            merge_softmax(merge_softmax(a, b), merge_softmax(c, d)),
        ):
            torch.testing.assert_close(merged, whole)
    m, l, o = whole  # noqa: E741 - the paper's names
    torch.testing.assert_close(m + l.log(), scores.logsumexp(dim=-1))
    torch.testing.assert_close(o / l[..., None], scores.softmax(dim=-1) @ value)


def test_a_part_without_keys_changes_nothing_and_two_of_them_are_one() -> None:
    value = normal(B, S, V)
    nothing, part = part_of(normal(B, T, 0), value), part_of(normal(B, T, S), value)
    torch.testing.assert_close(merge_softmax(nothing, part), part)
    torch.testing.assert_close(merge_softmax(part, nothing), part)
    torch.testing.assert_close(merge_softmax(nothing, nothing), nothing)


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("target", [1, T, S])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("mask", [None, ENDS])
def test_tiles_of_any_size_are_torchs_attention(tile: int, target: int, causal: bool, mask: Tensor | None) -> None:
    query, key, value = given(target)
    seen = torch.ones(target, S, dtype=torch.bool).tril(S - target) if causal else torch.ones(target, S).bool()
    seen = seen.expand(B, -1, -1) if mask is None else seen & mask[:, None]
    context, logsumexp = flash_forward(query, key, value, tile, causal, mask)
    torch.testing.assert_close(context, F.scaled_dot_product_attention(query, key, value, attn_mask=seen))
    scores = (query @ key.transpose(1, 2) / D**0.5).masked_fill(~seen, -torch.inf)
    torch.testing.assert_close(logsumexp, scores.logsumexp(dim=-1))


def test_whole_tiles_of_padding_change_nothing_wherever_they_are() -> None:
    query, key, value = given()
    kept = torch.arange(4, 8)
    mask = torch.zeros(B, S, dtype=torch.bool)
    mask[:, kept] = True
    alone = flash_forward(query, key[:, kept], value[:, kept], 2)
    torch.testing.assert_close(flash_forward(query, key, value, 2, mask=mask), alone)


def test_scores_hundreds_apart_do_not_overflow() -> None:
    query, key, value = given()
    query[..., 0], key[..., 0] = D**0.5, torch.linspace(-400, 400, S, dtype=torch.float64)
    wanted = F.scaled_dot_product_attention(query, key, value)
    torch.testing.assert_close(flash_forward(query.float(), key.float(), value.float(), 3)[0].double(), wanted)


def test_neither_way_makes_a_tensor_of_more_than_a_tile_and_a_copy_of_what_is_given() -> None:
    length, tile = 1024, 32
    query, key, value = (torch.randn(1, length, 2) for _ in range(3))
    grad = torch.randn(1, length, 2)
    with LargestTensor() as forward:
        context, logsumexp = flash_forward(query, key, value, tile, causal=True)
    with LargestTensor() as backward:
        flash_backward(query, key, value, context, logsumexp, grad, tile)
    most = 4 * max(tile * tile, query.numel())
    assert 0 < forward.bytes <= 2 * most  # the places of the keys are 8 bytes each
    assert 0 < backward.bytes <= most


@pytest.mark.parametrize("tile", TILES)
def test_gradients_in_tiles_are_those_of_autograd(tile: int) -> None:
    arguments = [each.requires_grad_() for each in given()]
    context, logsumexp = flash_forward(*arguments, tile=4)
    plain = F.scaled_dot_product_attention(*arguments)
    grad = normal(B, T, V, seed=1)
    wanted = torch.autograd.grad(plain, arguments, grad)
    with torch.no_grad():
        torch.testing.assert_close(flash_backward(*arguments, context, logsumexp, grad, tile), wanted)
    torch.testing.assert_close(torch.autograd.grad(context, arguments, grad), wanted)
