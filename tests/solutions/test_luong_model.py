"""Laws of Luong's models: windows that never leave the sentence, a loop that is the library's own network."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from lab.batches import source_batch
from lab.corpora import Pair
from lab.evaluation.window_positions import counted, crossing, position_scores
from solutions.luong import attentional_state
from solutions.luong.model import Luong
from solutions.luong.recipe import Recipe
from solutions.luong.unknown import replace_unknown
from tests.support.hardware import NEEDS_BF16

MODEL = Recipe(embedding_dim=5, units=6, hidden=4, longest=4, D=1)
SOURCE, MASKED = source_batch([[4, 5, 6, 7], [8], [], [9, 4, 5, 6, 7, 8, 9]])


def model(seed: int = 0, **changes: object) -> Luong:
    torch.manual_seed(seed)
    return Luong(replace(MODEL, **changes), 11, 9).eval()


def looked(net: Luong, inputs: Tensor) -> Tensor:
    memory, state = net.encode(SOURCE, MASKED)
    return net.decode(inputs, memory, state)[2]


EVERY = [
    {"attention": attention, "feeding": feeding, "layers": layers, "bidirectional": layers == 2}
    for attention in ("global", "local_m", "local_p")
    for feeding in (True, False)
    for layers in (1, 2)
]


@pytest.mark.parametrize("changes", EVERY, ids=lambda changes: "-".join(map(str, changes.values())))
def test_a_translation_longer_than_its_source_and_a_window_at_its_end_are_defined(changes: dict) -> None:
    inputs = torch.full((4, 15), 4)
    weights = looked(model(**changes), inputs)
    assert torch.isfinite(weights).all()
    assert (weights[~MASKED[:, None].expand_as(weights)] == 0).all()
    sums = weights.sum(dim=-1)
    assert (sums > 0).all()
    if changes["attention"] == "local_p":
        assert (sums <= 1 + 1e-6).all()
    else:
        torch.testing.assert_close(sums, torch.ones_like(sums))


def test_the_monotonic_window_moves_one_word_a_step_and_stays_at_the_last() -> None:
    weights = looked(model(attention="local_m"), torch.full((4, 9), 4))
    first = (weights[0] > 0).int().argmax(dim=-1)  # a sentence of four words and </s>
    assert first.tolist() == [0, 0, 1, 2, 3, 3, 3, 3, 3]
    assert (weights[2, :, 0] == 1).all()  # an empty sentence has one position: </s>


def test_a_window_wider_than_every_sentence_is_global_attention() -> None:
    wide, everywhere = model(attention="local_m", D=50), model()
    inputs = torch.full((4, 3), 4)
    torch.testing.assert_close(looked(wide, inputs), looked(everywhere, inputs))


@pytest.mark.parametrize("layers", [1, 3])
def test_the_fed_loop_without_its_feeding_columns_is_torchs_own_lstm(layers: int) -> None:
    fed, plain = model(layers=layers), model(layers=layers, feeding=False)
    with torch.no_grad():
        fed.network.weight_ih_l0[:, 5:] = 0
        weights = dict(fed.state_dict())
        weights["network.weight_ih_l0"] = weights["network.weight_ih_l0"][:, :5]
    plain.load_state_dict(weights)
    inputs = torch.tensor([[1, 4, 5, 6]]).expand(4, -1)
    real = torch.ones_like(inputs, dtype=torch.bool)
    torch.testing.assert_close(fed(SOURCE, MASKED, inputs, real), plain(SOURCE, MASKED, inputs, real))


def test_feeding_tells_the_next_step_what_was_attended_to() -> None:
    """With input feeding the states depend on the source beyond the first one; without it they do not."""
    inputs = torch.full((4, 3), 4)
    for feeding in (True, False):
        net = model(feeding=feeding)
        memory, state = net.encode(SOURCE, MASKED)
        before, *_ = net.run(inputs, memory, state)
        after, *_ = net.run(inputs, memory | {"states": memory["states"] + 1}, state)
        torch.testing.assert_close(before[:, 0], after[:, 0])
        assert torch.equal(before[:, 1:], after[:, 1:]) is not feeding


def test_attention_that_is_handed_in_makes_the_same_model() -> None:
    inputs = torch.tensor([[1, 4, 5]]).expand(4, -1)
    real = torch.ones_like(inputs, dtype=torch.bool)
    for feeding in (True, False):
        torch.manual_seed(0)
        handed, own = (
            Luong(replace(MODEL, feeding=feeding), 11, 9, attend=attentional_state).eval(),
            model(feeding=feeding),
        )
        for net in (handed, own):
            net(SOURCE, MASKED, inputs, real).logsumexp(-1).sum().backward()
        for first, second in zip(handed.parameters(), own.parameters(), strict=True):
            torch.testing.assert_close(first.grad, second.grad, rtol=1e-4, atol=1e-5)


def test_attention_that_is_handed_in_does_not_go_with_a_window() -> None:
    with pytest.raises(ValueError, match="expected score = general and attention = global, got dot and local_p"):
        Luong(replace(MODEL, score="dot", attention="local_p"), 11, 9, attend=attentional_state)


@pytest.mark.parametrize("attention", ["local_m", "local_p"])
def test_a_window_has_a_width(attention) -> None:
    with pytest.raises(ValueError, match="expected D above 0, got 0"):
        model(attention=attention, D=0)


def test_an_odd_width_cannot_be_halved() -> None:
    with pytest.raises(ValueError, match=r"units must be even.*got units = 7"):
        model(units=7, bidirectional=True)


@NEEDS_BF16
def test_bf16_runs_and_changes_little() -> None:
    inputs = torch.tensor([[1, 4, 5, 6]]).expand(4, -1)
    real = torch.ones_like(inputs, dtype=torch.bool)
    for changes in EVERY:
        net = model(**changes)
        exact = net(SOURCE, MASKED, inputs, real)
        with torch.autocast("cpu", torch.bfloat16):
            rough = net(SOURCE, MASKED, inputs, real)
        rough.float().sum().backward()
        assert torch.isfinite(rough).all()
        if (
            changes["attention"] == "global"
        ):  # the edge of a window is sharp: a position in bf16 may lie on its other side
            assert (rough.float() - exact).norm() < 0.05 * exact.norm()


def test_positions_that_need_no_model() -> None:
    pairs = [Pair("a b c d", "x y"), Pair("a", "x y z")]
    assert counted(pairs, in_proportion=False) == [[0, 1], [0, 1, 2]]
    assert counted(pairs, in_proportion=True) == [[0, 2], [0, 1 / 3, 2 / 3]]


def test_a_link_crosses_another_when_their_order_differs() -> None:
    links = frozenset({(0, 0), (1, 2), (3, 1), (4, 3)})
    assert crossing(links) == {(1, 2), (3, 1)}


def test_the_scores_of_positions_are_those_counted_by_hand() -> None:
    scores = position_scores([[0.0, 2.5], [3.0]], [frozenset({(0, 0), (1, 1)}), frozenset({(0, 0)})])
    assert scores["mean"].value == pytest.approx((0 + 1.5 + 3) / 3)
    assert scores["within1"].value == pytest.approx(1 / 3)
    assert scores["within2"].value == pytest.approx(2 / 3)


def test_an_unknown_word_becomes_the_word_that_was_looked_at() -> None:
    weights = torch.tensor([[0.9, 0.1, 0.0], [0.1, 0.2, 0.7]])
    assert replace_unknown(["he", "<unk>"], weights, ["il", "danse"]) == ["he", "danse"]  # not </s>, however much
    assert replace_unknown(["he", "<unk>"], weights, ["il", "danse"], {"danse": "dances"}) == ["he", "dances"]
    assert replace_unknown(["<unk>"], weights[:1], []) == ["<unk>"]
