"""Tests of Luong's models: windows that never leave the sentence, a loop that is the library's own network."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from lab.corpora import Pair
from lab.decode import recurrent
from lab.evaluation.window_positions import counted, crossing, position_scores
from lab.text.batches import source_batch
from solutions.luong import model as models
from solutions.luong.attention import attentional_state, input_feeding, local_p_weights
from solutions.luong.model import SCORES, Luong
from solutions.luong.plain import PlainFeeding
from solutions.luong.recipe import Recipe
from tests.support.hardware import NEEDS_BF16

MODEL = Recipe(embedding_dim=5, units=6, hidden=4, longest=4, D=1)
SOURCE, MASKED = source_batch([[4, 5, 6, 7], [8], [], [9, 4, 5, 6, 7, 8, 9]])


def model(attend=None, local=None, **changes: object) -> Luong:
    torch.manual_seed(0)
    return Luong(replace(MODEL, **changes), 11, 9, attend, local).eval()


def weights_of(net: Luong, inputs: Tensor) -> Tensor:
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
    weights = weights_of(model(**changes), inputs)
    assert torch.isfinite(weights).all()
    assert (weights[~MASKED[:, None].expand_as(weights)] == 0).all()
    sums = weights.sum(dim=-1)
    assert (sums > 0).all()
    if changes["attention"] == "local_p":
        assert (sums <= 1 + 1e-6).all()
    else:
        torch.testing.assert_close(sums, torch.ones_like(sums))


def test_the_monotonic_window_moves_one_word_a_step_and_stays_at_the_last() -> None:
    weights = weights_of(model(attention="local_m"), torch.full((4, 9), 4))
    first = (weights[0] > 0).int().argmax(dim=-1)  # a sentence of four words and </s>
    assert first.tolist() == [0, 0, 1, 2, 3, 3, 3, 3, 3]
    assert (weights[2, :, 0] == 1).all()  # an empty sentence has one position: </s>


def step_by_step(net: Luong, inputs: Tensor) -> tuple[Tensor, ...]:
    """Return h_t, h̃_t and the weights of every step, one call of the library's network for each."""
    memory, state = net.encode(SOURCE, MASKED)
    last, fed, steps = (
        tuple(state[name].transpose(0, 1).contiguous() for name in ("hidden", "cell")),
        state.get("fed"),
        [],
    )
    for t, word in enumerate(net.embedding(inputs).unbind(dim=1)):
        x = torch.cat([word, fed], dim=-1) if net.recipe.feeding else word
        h_t, last = recurrent.run(net.network, x[:, None], last)
        attended, weights = net.attentional_states(h_t, memory, torch.full((4, 1), t))
        fed = attended[:, 0]
        steps.append((h_t, attended, weights))
    return tuple(torch.cat(parts, dim=1) for parts in zip(*steps, strict=True))


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("changes", EVERY, ids=lambda changes: "-".join(map(str, changes.values())))
def test_all_steps_at_once_are_those_one_by_one_in_values_and_gradients(changes: dict, score: str) -> None:
    """Four sentences of up to 8 source and 3 target words, some padding, units 6, embeddings of 5; every variant."""
    inputs = torch.tensor([[1, 4, 5], [1, 0, 0], [1, 6, 0], [1, 7, 8]])
    net = model(score=score, **changes)
    runs = net.run(inputs, *net.encode(SOURCE, MASKED))[:3], step_by_step(net, inputs)
    torch.testing.assert_close(*runs, rtol=1e-5, atol=1e-5)
    gradients = [torch.autograd.grad(run[1].square().sum(), list(net.network.parameters())) for run in runs]
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-5)


def test_the_weights_of_local_p_are_the_taught_ones() -> None:
    net = model(attention="local_p", D=2)
    memory, _ = net.encode(SOURCE, MASKED)
    h_t = torch.randn(4, 3, 6)
    weights = net.attention_weights(h_t, memory, torch.arange(3).expand(4, -1))
    for t, h in enumerate(h_t.unbind(dim=1)):
        arguments = net.score_weights[0], net.W_p, net.v_p, MASKED.sum(dim=1), 2
        torch.testing.assert_close(weights[:, t], local_p_weights(h, memory["states"], *arguments)[0])


def test_the_fed_loop_with_a_plain_network_is_the_taught_input_feeding(monkeypatch: pytest.MonkeyPatch) -> None:
    """The taught function has tanh where the model has an LSTM: put in the model's place, the loops are the same."""
    monkeypatch.setattr(models, "lstm_update", lambda gates, cell: (torch.tanh(gates[:, :6]), cell))
    net = model(score="dot")
    with torch.no_grad():
        net.network.get_parameter("bias_ih_l0").zero_()
        net.network.get_parameter("bias_hh_l0").zero_()
    (W_x, W_h, *_) = net.network.all_weights[0]
    inputs = torch.tensor([[1, 4, 5]]).expand(4, -1)
    memory, state = net.encode(SOURCE, MASKED)
    _, attended, weights, _ = net.run(inputs, memory, state)
    words, h0 = net.embedding(inputs), state["hidden"][:, 0]
    taught = input_feeding(words, h0, memory["states"], W_x[:6], W_h[:6], net.W_c.weight, MASKED)
    for ours, theirs in zip((attended, weights), taught, strict=True):
        torch.testing.assert_close(ours, theirs)
    leaves = [net.network.weight_ih_l0, net.network.weight_hh_l0, net.W_c.weight]
    ours, theirs = (torch.autograd.grad(x.square().sum(), leaves, retain_graph=True) for x in (attended, taught[0]))
    for gradient, right in zip(ours, theirs, strict=True):
        torch.testing.assert_close(gradient, right)


def test_attention_that_is_handed_in_makes_the_same_model() -> None:
    inputs = torch.tensor([[1, 4, 5]]).expand(4, -1)
    real = torch.ones_like(inputs, dtype=torch.bool)
    for feeding in (True, False):
        handed, own = model(attentional_state, feeding=feeding), model(feeding=feeding)
        for net in (handed, own):
            net(SOURCE, MASKED, inputs, real).logsumexp(-1).sum().backward()
        for first, second in zip(handed.parameters(), own.parameters(), strict=True):
            torch.testing.assert_close(first.grad, second.grad, rtol=1e-4, atol=1e-5)


def test_a_window_that_is_handed_in_is_called_and_makes_the_same_model() -> None:
    inputs, calls = torch.tensor([[1, 4, 5]]).expand(4, -1), []

    def local(*arguments):
        calls.append(arguments)
        return local_p_weights(*arguments)

    own, handed = (model(local=each, attention="local_p", score="general") for each in (None, local))
    torch.testing.assert_close(weights_of(handed, inputs), weights_of(own, inputs))
    assert len(calls) == inputs.shape[1]
    with pytest.raises(ValueError, match="expected score = general and attention = local_p, got general and global"):
        model(local=local, score="general")


def test_the_plain_decoder_says_the_same_word_by_word_as_in_one_call() -> None:
    torch.manual_seed(0)
    calls = []

    def decoder(*arguments):
        calls.append(arguments)
        return input_feeding(*arguments)

    net = PlainFeeding(replace(MODEL, score="dot", bidirectional=True), 11, 9, decoder).eval()
    inputs = torch.tensor([[1, 4, 5]]).expand(4, -1)
    memory, state = net.encode(SOURCE, MASKED)
    whole, _, weights = net.decode(inputs, memory, state)
    for t in range(inputs.shape[1]):
        scores, state, row = net.step(inputs[:, t], memory, state)
        torch.testing.assert_close(scores, net.readout(whole[:, t]))
        torch.testing.assert_close(row, weights[:, t])
    assert len(calls) == 1 + inputs.shape[1]
    with pytest.raises(ValueError, match="expected score = dot"):
        PlainFeeding(replace(MODEL, score="general"), 11, 9)


def test_attention_that_is_handed_in_does_not_go_with_a_window() -> None:
    with pytest.raises(ValueError, match="expected score = general and attention = global, got dot and local_p"):
        model(attentional_state, score="dot", attention="local_p")


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
