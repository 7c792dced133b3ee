"""Tests of the classifier made of self-attention, and of the measured table of costs."""

from dataclasses import replace

import pytest
import torch

from benchmarks import complexity
from book.self_attention.figures import GATES
from solutions.self_attention.attention import layer_cost
from solutions.self_attention.fast import FastSelfAttentive
from solutions.self_attention.model import SelfAttentive
from solutions.self_attention.recipe import RECIPES, Recipe
from solutions.self_attention.sweeps import SWEEPS

SMALL = Recipe(embedding_dim=6, place_dim=4, hidden=5, most=8, blocks=2, dropout=0.0)
TOKENS = torch.tensor([[4, 5, 6, 7, 8, 9], [5, 4, 0, 0, 0, 0], [9, 8, 7, 6, 0, 0]])
MASK = TOKENS != 0
EVERY = [
    {"attention": attention, "positions": positions, "blocks": blocks}
    for attention in ("simple", "projected")
    for positions in (True, False)
    for blocks in (1, 4)
] + [{"scaled": False, "positions": True, "blocks": blocks} for blocks in (1, 2)]
every = pytest.mark.parametrize("changes", EVERY, ids=lambda changes: "-".join(map(str, changes.values())))


def model(kind: type[SelfAttentive] = FastSelfAttentive, **changes: object) -> SelfAttentive:
    torch.manual_seed(0)
    return kind(replace(SMALL, **changes), 12, 3).eval()


@every
def test_the_plain_model_and_the_fast_one_have_equal_scores_and_gradients(changes: dict) -> None:
    """Three texts of up to six words, width 6 or 10, some padding; both attentions, so both taught functions."""
    plain, fast = model(SelfAttentive, **changes), model(**changes)
    assert list(plain.state_dict()) == list(fast.state_dict())
    for net in (plain, fast):
        net(TOKENS, MASK).logsumexp(-1).sum().backward()
    torch.testing.assert_close(plain(TOKENS, MASK), fast(TOKENS, MASK))
    torch.testing.assert_close(plain.attention_weights(TOKENS, MASK), fast.attention_weights(TOKENS, MASK))
    for first, second in zip(plain.parameters(), fast.parameters(), strict=True):
        torch.testing.assert_close(first.grad, second.grad, rtol=1e-3, atol=1e-4)


@every
def test_padding_and_the_other_texts_change_nothing(changes: dict) -> None:
    net = model(**changes)
    alone = net(TOKENS[1:2, :2], MASK[1:2, :2])
    torch.testing.assert_close(net(TOKENS, MASK)[1:2], alone)


@every
def test_only_with_positions_does_the_order_of_the_words_matter(changes: dict) -> None:
    net = model(**changes)
    turned = TOKENS[:1].flip(1)
    same = torch.allclose(net(turned, MASK[:1]), net(TOKENS[:1], MASK[:1]), atol=1e-5)
    assert same is not changes["positions"]


@every
def test_the_weights_add_up_to_one_over_the_words_of_a_text(changes: dict) -> None:
    weights = model(**changes).attention_weights(TOKENS, MASK)
    torch.testing.assert_close(weights.sum(dim=1), torch.ones(3))
    assert (weights[~MASK] == 0).all()
    assert (weights >= 0).all()


def test_a_model_that_reads_one_word_has_of_the_first_block_a_sum_over_the_words() -> None:
    """Two words each in two versions: with one block the four scores' differences add up, with two they do not."""
    for blocks, adds in ((1, True), (2, False)):
        net = model(reads="it", hidden=0, key_dim=3, blocks=blocks)
        net.asked.fill_(9)
        texts = torch.tensor([[first, 4, second, 9] for first in (5, 6) for second in (7, 8)])
        mask = torch.ones_like(texts, dtype=torch.bool)
        raw = net.blocks[0](net.placed(texts), mask)[1][:, 3, 3]  # of a word that is always there: 1 over the sum
        scores = (net(texts, mask)[:, 0] - net(texts, mask)[:, 1]) / raw
        assert torch.isclose(scores[0] + scores[3], scores[1] + scores[2], rtol=1e-3).item() is adds


def test_two_blocks_with_narrow_keys_have_the_parameters_of_one() -> None:
    one, two = SWEEPS["tired"].variants.values()
    sizes = [
        sum(each.numel() for each in built.parameters())
        for built in (SelfAttentive(replace(RECIPES["tired"], **changes), 50, 2) for changes in (one, two))
    ]
    assert sizes[0] == sizes[1]


def test_of_a_long_text_the_beginning_and_the_end_are_read() -> None:
    net = model(most=4, positions=False)
    long = torch.tensor([[4, 5, 6, 7, 8, 9, 10, 0], [4, 5, 9, 10, 0, 0, 0, 0]])
    scores = net(long, long != 0)
    torch.testing.assert_close(scores[0], scores[1])
    assert (net.attention_weights(long, long != 0)[0, 2:5] == 0).all()
    torch.testing.assert_close(net.attention_weights(long, long != 0).sum(dim=1), torch.ones(2))


@every
def test_a_text_without_words_has_scores_and_no_weights(changes: dict) -> None:
    net = model(**changes)
    nothing = torch.zeros(2, 3, dtype=torch.long)
    nothing[1, 0] = 5
    assert torch.isfinite(net(nothing, nothing != 0)).all()
    assert (net.attention_weights(nothing, nothing != 0)[0] == 0).all()


def test_scores_that_are_not_divided_are_those_of_a_query_matrix_grown_by_the_root_of_the_key_width() -> None:
    divided, plain = model(SelfAttentive), model(SelfAttentive, scaled=False)
    assert not torch.allclose(divided(TOKENS, MASK), plain(TOKENS, MASK))
    with torch.no_grad():
        for block in divided.blocks:
            block.W_q *= 10**0.5  # six features of the word, four of its place
    torch.testing.assert_close(divided(TOKENS, MASK), plain(TOKENS, MASK))


def test_frozen_blocks_are_the_form_without_parameters_with_divided_scores() -> None:
    net = model(frozen=True, blocks=1)
    X = net.placed(TOKENS[:1])
    expected = (X @ X.transpose(1, 2) / 10**0.5).softmax(dim=-1) @ X
    torch.testing.assert_close(net.context(net.blocks[0], X, MASK[:1]), expected)
    net(TOKENS, MASK).sum().backward()
    assert all(matrix.grad is None for matrix in net.blocks.parameters())
    assert net.words.weight.grad.abs().sum() > 0


def test_without_parameters_the_blocks_have_none() -> None:
    assert not list(model(attention="simple").blocks.parameters())
    assert sum(weight.numel() for weight in model().blocks.parameters()) == 2 * 3 * (6 + 4) ** 2


@pytest.mark.parametrize("blocks", [0, 5])
def test_other_numbers_of_blocks_are_refused(blocks: int) -> None:
    with pytest.raises(ValueError, match=f"expected one to four, got {blocks}"):
        model(blocks=blocks)


UNSEEN = ("self_attention, projected, fused", "recurrent, LSTM")  # kernels that the counter cannot look into


@pytest.mark.parametrize("name", complexity.LAYERS)
def test_multiplications_by_formula_are_those_that_are_counted(name: str) -> None:
    for n, d in ((40, 12), (33, 20)):
        torch.manual_seed(0)
        layer, X = complexity.LAYERS[name](d), torch.randn(n, d)
        assert layer(X).shape == (n, d)
        if name not in UNSEEN:
            assert complexity.counted(layer, X) == complexity.multiplications(name, n, d)


def test_the_taught_costs_are_those_of_the_layers_that_are_measured() -> None:
    """Up to the constant that the paper leaves out: scores and sums of values are two products, word and state too."""
    for kind, constant in {"self_attention": 2, "recurrent": 2, "convolution": 1, "restricted": 2}.items():
        for n, d in ((40, 12), (33, 20)):
            cost, *_ = layer_cost(kind, n, d, complexity.KERNEL, complexity.REACH)
            assert complexity.multiplications(kind, n, d) == constant * cost


def test_the_fused_layer_and_the_windows_that_hold_everything_are_self_attention() -> None:
    n, d = 7, 6
    X = torch.randn(n, d)
    plain = complexity.Attention(d, projected=True)
    for product in (complexity.fused, complexity.near):
        other = complexity.Attention(d, projected=True, product=product)
        other.load_state_dict(plain.state_dict())
        torch.testing.assert_close(other(X), plain(X))  # 32 neighbours are more than there are words


def test_windows_do_not_reach_beyond_their_neighbours() -> None:
    n, d = 50, 4
    X = torch.randn(n, d, requires_grad=True)
    complexity.near(X, X, X)[0].sum().backward()
    reached = X.grad.abs().sum(dim=1) > 0
    assert reached[: complexity.REACH // 2].all()
    assert not reached[complexity.REACH // 2 :].any()


def kept(name: str, n: int, d: int) -> int:
    torch.manual_seed(0)
    return complexity.kept(complexity.LAYERS[name](d), torch.randn(n, d, requires_grad=True))


def test_kept_memory_is_quadratic_in_the_length_but_for_the_fused_kernel() -> None:
    assert kept("self_attention", 64, 8) == 4 * (2 * 64 * 8 + 64 * 64)  # words, scaled words, weights
    for name, factor in (("self_attention", 4), ("self_attention, projected, fused", 2), ("convolution", 2)):
        assert kept(name, 2048, 8) / kept(name, 1024, 8) == pytest.approx(factor, rel=0.05)


def test_slopes_and_crossings_of_exact_power_laws_are_found() -> None:
    lengths = [64, 128, 256, 512]
    assert complexity.slope(lengths, [3 * n**2 for n in lengths]) == pytest.approx(2)
    squares, lines = [float(n**2) for n in lengths], [200.0 * n for n in lengths]  # equal at n = 200
    assert complexity.crossing(lengths, squares, lines) == pytest.approx(200)
    assert complexity.crossing(lengths, lines, [1e6 * x for x in lines]) is None
    assert complexity.crossing(lengths, [1e6 * x for x in lines], lines) == pytest.approx(64)


@pytest.mark.parametrize("name", GATES)
def test_the_counted_crossings_are_those_that_the_book_prints(name: str) -> None:
    gates, d = GATES[name], 64

    def dearer(n: float, attention: str) -> bool:
        return complexity.multiplications(attention, int(n), d) > complexity.multiplications(name, int(n), d)

    assert not dearer(gates * d, "self_attention")
    assert dearer(gates * d + 1, "self_attention")
    border = (gates - 1.5) * d
    assert dearer(max(border, 0) + 1, "self_attention, projected")
    if border > 0:
        assert not dearer(border, "self_attention, projected")


def test_a_measurement_has_counts_and_times_of_every_layer() -> None:
    rows = complexity.measure([(9, 4), (12, 4)], 2, torch.device("cpu"))
    assert {row["layer"] for row in rows} == set(complexity.LAYERS)
    assert all(len(row["seconds"]) == 2 and min(row["seconds"]) > 0 for row in rows)
    assert all(row["kept_bytes"] > 0 for row in rows)
