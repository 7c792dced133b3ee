"""A head that is left out adds nothing, and the model is as before afterwards; habits are means of weights."""

from collections.abc import Callable
from dataclasses import astuple

import pytest
import torch
from torch import Tensor

from lab.corpora import Pair
from lab.kinds.translation import Trained, vocabularies
from lab.train.training import Progress
from solutions.transformer import ablation
from solutions.transformer.ablation import (
    Habits,
    ablated,
    attentions,
    cross_shares,
    self_shares,
    with_values,
    without_head,
)
from solutions.transformer.attention import merge_heads, multi_head_attention, split_heads
from solutions.transformer.fast import FastTransformer
from solutions.transformer.recipe import Recipe
from tests.lab.test_training import LETTERS

SMALL = Recipe(d_model=6, d_ff=7, heads=3, layers=2, shared=False, dropout=0.0, vocabulary=0)
LINKED = Pair("a b", "c d e", frozenset({(0, 0), (1, 2), (0, 2)}))


def trained() -> Trained:
    torch.manual_seed(3)
    source, target = vocabularies(LETTERS, SMALL)
    return Trained(FastTransformer(SMALL, len(source), len(target)).eval(), source, target, {}, Progress())


@pytest.mark.parametrize("head", [0, 2])
def test_a_head_that_is_left_out_adds_nothing_and_comes_back(head: int) -> None:
    (layer, *_) = attentions(trained().model, "cross")
    x = torch.randn(2, 4, 6)
    before = layer.out_proj.weight.detach().clone()
    whole, _ = multi_head_attention(x, x, x, layer.named(), 3)
    with without_head(layer, head, 3):
        without, _ = multi_head_attention(x, x, x, layer.named(), 3)
    assert torch.equal(layer.out_proj.weight, before)
    parts = split_heads(contexts(layer.named(), x), 3)
    parts[:, head] = 0.0
    weights = layer.named()
    torch.testing.assert_close(without, merge_heads(parts) @ weights["W_o"].T + weights["b_o"])
    assert not torch.allclose(without, whole)


def test_a_head_is_what_it_takes_from_the_first_position_and_what_it_takes_from_all_others() -> None:
    (layer, *_) = attentions(trained().model, "decoder")
    q, k, v = torch.randn(3, 2, 3, 5, 2).unbind()

    def only(kept: slice) -> Callable[[Tensor], Tensor]:
        def values(v: Tensor) -> Tensor:
            some = torch.zeros_like(v)
            some[:, :, kept] = v[:, :, kept]
            return some

        return values

    whole, _ = layer.attend(q, k, v, None)
    with with_values(layer, only(slice(0, 1))):
        first, _ = layer.attend(q, k, v, None)
    with with_values(layer, only(slice(1, None))):
        others, _ = layer.attend(q, k, v, None)
    torch.testing.assert_close(first + others - layer.out_proj.bias, whole)
    torch.testing.assert_close(layer.attend(q, k, v, None)[0], whole)
    assert not torch.allclose(first, others)


def contexts(weights: dict[str, Tensor], x: Tensor) -> Tensor:
    """Return what the heads give W_o, side by side."""
    bare = weights | {"W_o": torch.eye(6), "b_o": torch.zeros(6)}
    return multi_head_attention(x, x, x, bare, 3)[0].detach()


def test_a_head_that_does_nothing_costs_nothing_and_the_costliest_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ablation, "habits_of", lambda *_: dict.fromkeys(every_head(), Habits(0.0)))
    model = trained()
    with torch.no_grad():
        for use in ablation.USES:
            for layer in attentions(model.model, use):
                layer.out_proj.weight.mul_(3.0)  # so that heads matter in a model that has learnt nothing
        attentions(model.model, "decoder")[1].out_proj.weight[:, 2:4] = 0.0
    state = {name: tensor.clone() for name, tensor in model.model.state_dict().items()}
    heads = ablated(model, LETTERS.validation)
    assert [(head.use, head.layer, head.number) for head in heads if head.cost == 0.0] == [("decoder", 2, 2)]
    assert [head.cost for head in heads] == sorted((head.cost for head in heads), reverse=True)
    assert len(heads) == 18
    assert all(torch.equal(state[name], tensor) for name, tensor in model.model.state_dict().items())


def every_head() -> list[tuple[str, int, int]]:
    return [(use, layer, head) for use in ablation.USES for layer in range(2) for head in range(3)]


def test_habits_are_the_weights_on_neighbours_marks_and_linked_words() -> None:
    weights = torch.tensor([[0.1, 0.2, 0.7], [0.5, 0.4, 0.1], [0.0, 0.6, 0.4]])[None, None]
    shares = self_shares(weights, mark=-1)[0, 0]
    nan = torch.nan
    expected = [[0.7, nan, 0.1, 0.2], [0.1, 0.5, 0.4, 0.1], [0.4, 0.6, 0.4, nan]]
    torch.testing.assert_close(shares, torch.tensor(expected), equal_nan=True)
    linked = cross_shares(weights, LINKED)[0, 0]
    torch.testing.assert_close(linked, torch.tensor([[0.7, 0.1], [0.1, nan], [0.4, 0.6]]), equal_nan=True)


def test_equal_weights_are_one_over_what_may_be_attended_to() -> None:
    habits = ablation.habits_of(trained(), [Pair("a b", "b a", frozenset({(0, 1)}))], equal=True)
    assert astuple(habits["encoder", 0, 1]) == pytest.approx((1 / 3, 1 / 3, 1 / 3, 1 / 3, None))
    assert astuple(habits["cross", 1, 0]) == pytest.approx((1 / 3, None, None, None, 1 / 3))
    assert astuple(habits["decoder", 0, 0]) == pytest.approx((3 / 4, 1 / 2, 3 / 4, None, None))  # rows 1 and ½, ½


def test_every_head_has_its_habits() -> None:
    habits = ablation.habits_of(trained(), [Pair("a b", "b a", frozenset({(0, 1)})), Pair("a", "b")])
    assert sorted(habits) == sorted(every_head())
    for (use, _, _), habit in habits.items():
        assert 0.0 <= habit.mark <= 1.0
        assert (habit.linked is None) == (use != "cross")
        assert (habit.own is None) == (use == "cross")
        assert (habit.after is None) == (use != "encoder")
