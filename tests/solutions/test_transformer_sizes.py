"""The Transformer's positions, precision, dropout and sizes."""

from dataclasses import replace

import pytest
import torch

from lab.decode import decoding
from lab.kinds.translation import vocabularies
from lab.text.batches import collate, source_batch
from lab.text.tokenizers import Subwords, restore
from solutions.transformer.attention import positional_encoding
from solutions.transformer.fast import SOLUTION, FastTransformer
from solutions.transformer.fast_layers import Dropout
from solutions.transformer.model import Transformer
from solutions.transformer.recipe import RECIPES
from tests.lab.test_training import LETTERS
from tests.solutions.test_transformer_model import INPUTS, MASK, SMALL, SOURCE, model


@pytest.mark.parametrize(
    ("kind", "pre_norm"), [(FastTransformer, True), (FastTransformer, False), (Transformer, False)]
)
def test_bf16_runs_and_changes_little(kind: type[Transformer], pre_norm: bool) -> None:
    net = model(kind, pre_norm=pre_norm)
    real = torch.ones_like(INPUTS, dtype=torch.bool)
    exact = net(SOURCE, MASK, INPUTS, real)
    with torch.autocast("cpu", torch.bfloat16):
        rough = net(SOURCE, MASK, INPUTS, real)
        net.loss(
            collate([([4, 5], [6, 7]), ([8], [4])]), torch.tensor([[True] * 3, [True, True, False]]), 0.1
        ).backward()
    assert (rough.float() - exact).norm() < 0.05 * exact.norm()
    assert all(torch.isfinite(weight.grad).all() for weight in net.parameters() if weight.grad is not None)


def test_a_sentence_of_any_length_gets_the_taught_positions() -> None:
    """Also one that is longer than the table of the sentences before it."""
    net = model()
    for length in (3, 65, 200):
        words = torch.full((1, length), 4)
        positions = net.embed(net.source_embedding, words) - net.source_embedding(words) * 6**0.5
        torch.testing.assert_close(positions, positional_encoding(torch.zeros(1, length, 6)))


@pytest.mark.parametrize("kind", [Transformer, FastTransformer])
def test_only_learned_positions_are_parameters_and_the_rest_starts_the_same(kind: type[Transformer]) -> None:
    states = {}
    for positions in ("sine", "learned", "none"):
        torch.manual_seed(7)
        states[positions] = kind(replace(SMALL, positions=positions), 11, 9).state_dict()
    table = states["learned"].pop("learned.table")
    assert table.shape == (512, 6)
    assert (table**2).mean().item() == pytest.approx(0.5, abs=0.05)  # as the mean of a sine's and a cosine's square
    for state in states.values():
        assert list(state) == list(states["sine"])
        assert all(torch.equal(state[name], tensor) for name, tensor in states["sine"].items())


@pytest.mark.parametrize("kind", [Transformer, FastTransformer])
def test_without_positions_the_encoder_follows_every_shuffle(kind: type[Transformer]) -> None:
    order = torch.tensor([2, 0, 3, 1])
    source = torch.tensor([[4, 5, 6, 7]])
    weights = {
        positions: [
            model(kind, positions=positions).attention_weights(words, words > 0, INPUTS[:1])["cross"][0]
            for words in (source, source[:, order])
        ]
        for positions in ("sine", "learned", "none")
    }
    for positions, (first, shuffled) in weights.items():
        assert torch.allclose(first[..., order], shuffled, atol=1e-5) == (positions == "none"), positions


@pytest.mark.parametrize("kind", [Transformer, FastTransformer])
def test_learned_positions_are_enough_for_what_they_promise_and_say_where_they_end(kind: type[Transformer]) -> None:
    net = model(kind, positions="learned")
    source, mask = source_batch([[4] * 334])
    assert decoding.length_limit(source) == 512
    net.encode(source, mask)
    with pytest.raises(ValueError, match=r"positions end at 512 tokens: expected no longer sentence, got one of 513"):
        net.encode(*source_batch([[4] * 512]))


def test_shifted_positions_start_anywhere_in_training_and_at_0_otherwise() -> None:
    torch.manual_seed(8)
    net, table = model(shift=3), positional_encoding(torch.zeros(1, 9, 6))[0]

    def starts() -> set[int]:
        placed = [net.embed(net.embedding, INPUTS[:1])[0] - net.embedding(INPUTS[0]) * 6**0.5 for _ in range(60)]
        return {next(s for s in range(5) if torch.allclose(x, table[s : s + 5], atol=1e-5)) for x in placed}

    assert starts() == {0}
    net.train()
    assert starts() == {0, 1, 2, 3}


def test_an_odd_width_has_a_last_sine_and_heads_must_divide_it() -> None:
    net = model(d_model=5, heads=1)
    assert net(SOURCE, MASK, INPUTS, torch.ones_like(INPUTS, dtype=torch.bool)).isfinite().all()
    with pytest.raises(ValueError, match=r"expected heads to divide d_model = 5, got 2"):
        model(d_model=5, heads=2)
    with pytest.raises(ValueError, match="got 0"):
        model(d_model=4, heads=0)


def test_models_that_cannot_be_say_why() -> None:
    with pytest.raises(ValueError, match=r"one vocabulary for both languages: expected equal sizes, got 11 and 9"):
        FastTransformer(replace(SMALL, shared=True), 11, 9)
    with pytest.raises(ValueError, match="expected layers of 1 or more, got 0"):
        model(layers=0)
    for name, value in {"pre_norm": True, "dropout": 0.1, "inner_dropout": 0.2, "shift": 3}.items():
        with pytest.raises(ValueError, match=f"without dropout: expected {name} = {type(value)()}, got {value}; use"):
            model(Transformer, **{name: value})


def test_dropout_drops_its_share_and_keeps_the_mean() -> None:
    torch.manual_seed(0)
    layer, x = Dropout(0.3), torch.ones(200, 501, requires_grad=True)
    out = layer(x)
    assert (out == 0).float().mean().item() == pytest.approx(0.3, abs=0.01)
    assert out.mean().item() == pytest.approx(1.0, abs=0.01)
    out.sum().backward()
    assert torch.equal(x.grad, out)  # what is dropped has no gradient, and what is kept is scaled as much
    assert torch.equal(layer.eval()(x), x)


def test_lower_case_keeps_the_letters_of_german() -> None:
    lines = [f"Die Straße {n} ist weiß, ÄHNLICH groß." for n in range(50)]
    pieces = Subwords.learn(lines, 60, lowercase=True)
    assert pieces.decode(pieces.encode("Weiße STRAßE")) == "weiße straße"
    assert restore(pieces.state()).encode("WEIß") == pieces.encode("weiß")


def test_a_shared_vocabulary_is_one_for_both_languages() -> None:
    source, target = vocabularies(LETTERS, replace(SMALL, vocabulary=0, shared=True))
    assert source is target


def test_recipes_take_the_papers_rate_where_they_ask_for_it() -> None:
    assert SOLUTION.rate is not None
    assert SOLUTION.rate(RECIPES["tiny"]) is None
    of_base = SOLUTION.rate(RECIPES["base"])
    assert of_base is not None
    assert of_base(0, 10) == pytest.approx(512**-0.5 * 4000**-1.5)
    assert of_base(3999, 10) == max(of_base(step, 10) for step in range(3990, 4010))
