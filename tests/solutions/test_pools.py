"""Tests of the experiments on pooling: pools without attention, and models that are trained to attend elsewhere."""

import math
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from lab.corpora import Document, Labelled
from lab.kinds import runs
from lab.kinds.classification import Classifying, Run, train
from lab.kinds.ranges import RecipeError
from lab.kinds.runs import as_recipe
from lab.text.batches import text_batch
from lab.train.checkpoints import CheckpointError
from lab.train.training import Training
from solutions.pooling.adversary import departure, jensen_shannon, kl_divergence, total_variation
from solutions.pooling.attention import attention_pool
from solutions.pooling.layers import states
from solutions.pooling.model import SOLUTION, Adversary, AttBLSTM, build
from solutions.pooling.pools import POOLS
from solutions.pooling.recipe import Recipe
from solutions.pooling.sweeps import SWEEPS

TRAINING = Training(tokens=40, epochs=2, rate=2e-2, precision="fp32")
TINY = Recipe(embedding_dim=6, units=5, states_dropout=0.1, dropout=0.1, training=TRAINING)
TEXTS = [[[4, 5, 6, 7]], [[8]], [[]], [[5, 4, 9, 7, 6, 8]]]
LETTERS = Labelled(
    "reviews",
    ("bad", "good"),
    [Document((f"so {word} , a {fill} .",), word, frozenset({(0, 1)})) for word in ("bad", "good") for fill in "cdefg"],
    [Document((f"so {word} .",), word, frozenset({(0, 1)})) for word in ("bad", "good")],
    {},
)


def net(pooling: str = "attention") -> AttBLSTM:
    torch.manual_seed(0)
    return AttBLSTM(replace(TINY, pooling=pooling), 12, 3).eval()


def directions(model: AttBLSTM, text: list[int]) -> tuple[Tensor, Tensor]:
    """Return the states of both directions of one sentence, (words, units) each."""
    tokens, mask = text_batch([[text]], nested=False)
    forward, backward = states(model.network, model.embedding(tokens), mask)[0].chunk(2, dim=-1)
    return forward, backward


@pytest.mark.parametrize("pooling", POOLS)
def test_a_pool_is_what_its_name_says(pooling: str) -> None:
    model = net(pooling)
    vectors, weights = model.pool(*text_batch(TEXTS, nested=False))
    for row, (text,) in enumerate(TEXTS):
        if not text:
            assert (vectors[row] == 0).all()
            assert (weights[row] == 0).all()
            continue
        forward, backward = directions(model, text)
        H, equal = forward + backward, torch.full((len(text),), 1 / len(text))
        alpha = (torch.tanh(H) @ model.w).softmax(dim=0)
        ends = torch.zeros(len(text)).index_add(0, torch.tensor([0, len(text) - 1]), torch.tensor([0.5, 0.5]))
        largest = torch.nn.functional.one_hot(H.argmax(dim=0), len(text)).float().mean(dim=0)
        expected = {
            "attention": (torch.tanh(alpha @ H), alpha),
            "last": (forward[-1] + backward[0], ends),
            "mean": (H.mean(dim=0), equal),
            "max": (H.max(dim=0).values, largest),
            "uniform": (torch.tanh(H.mean(dim=0)), equal),
        }[pooling]
        torch.testing.assert_close((vectors[row], weights[row, : len(text)]), expected)
        assert (weights[row, len(text) :] == 0).all()


@pytest.mark.parametrize("pooling", POOLS)
def test_padding_changes_nothing_whatever_pools(pooling: str) -> None:
    model = net(pooling)
    tokens, mask = text_batch(TEXTS, nested=False)
    together = model(tokens, mask)
    more, hidden = (torch.nn.functional.pad(part, [0, 3]) for part in (tokens, mask))
    torch.testing.assert_close(model(torch.where(hidden, more, 11), hidden), together)
    for row, text in enumerate(TEXTS):
        torch.testing.assert_close(model(*text_batch([text], nested=False))[0], together[row])
    model.train()(tokens, mask).sum().backward()
    assert all(each.grad is None or each.grad.isfinite().all() for each in model.parameters())


def test_attention_is_bit_for_bit_what_it_was_and_every_pool_has_its_parameters() -> None:
    model, (tokens, mask) = net(), text_batch(TEXTS, nested=False)
    forward, backward = states(model.network, model.embedding(tokens), mask).chunk(2, dim=-1)
    pooled, weights = attention_pool(forward + backward, model.w, mask)
    assert torch.equal(model(tokens, mask), model.labels(pooled))
    assert torch.equal(model.attention_weights(tokens, mask), weights)
    for pooling in POOLS:
        other = net(pooling).state_dict()
        assert list(other) == list(model.state_dict())
        assert all(torch.equal(other[name], weight) for name, weight in model.state_dict().items())


def test_a_checkpoint_from_before_the_choice_pools_with_attention() -> None:
    values = asdict(TINY)
    for field in ("pooling", "adversary", "base"):
        del values[field]
    assert as_recipe(Recipe, values) == TINY
    first = next(SWEEPS["poolings"].steps(SOLUTION))
    assert first.run.name == "relations-small"
    assert first.is_done  # its result file was written before


def test_divergences_by_hand() -> None:
    p, q = torch.tensor([0.5, 0.5, 0.0]), torch.tensor([0.0, 0.5, 0.5])
    assert total_variation(p, q).item() == pytest.approx(0.5)
    assert kl_divergence(p, (p + q) / 2).item() == pytest.approx(0.5 * math.log(2))
    assert jensen_shannon(p, q).item() == pytest.approx(0.5 * math.log(2))
    assert jensen_shannon(p, p).item() == 0
    apart = jensen_shannon(torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0]))
    assert apart.item() == pytest.approx(math.log(2))  # its upper bound


def test_the_loss_of_an_adversary_is_the_formula_and_its_gradient_is_finite() -> None:
    torch.manual_seed(1)
    model = Adversary(replace(TINY, adversary=0.7, base="x", states_dropout=0.0, dropout=0.0), 12, 3)
    base = AttBLSTM(TINY, 12, 3).eval().requires_grad_(False)
    model.base = (base,)
    examples = [([[4, 5, 6, 7]], 0), ([[5, 4]], 1)]
    task = Classifying(examples, TRAINING, nested=False)
    loss = task.loss(model, task.collate(examples), torch.device("cpu"))
    loss.backward()
    tokens, mask = text_batch([text for text, _ in examples], nested=False)
    expected = torch.zeros(())
    for row, (_, label) in enumerate(examples):
        ours, theirs = (each.labels(each.pool(tokens, mask)[0])[row].softmax(dim=0) for each in (model, base))
        alpha, beta = (each.attention_weights(tokens, mask)[row, mask[row]] for each in (model, base))
        middle = (alpha + beta) / 2
        divergence = ((alpha * (alpha / middle).log()).sum() + (beta * (beta / middle).log()).sum()) / 2
        expected = expected - ours[label].log() + (ours - theirs).abs().sum() / 2 - 0.7 * divergence
    torch.testing.assert_close(loss, expected / 2)
    assert all(each.grad is not None and each.grad.isfinite().all() for each in model.parameters())
    assert list(model.state_dict()) == list(base.state_dict())  # the base is no part of it


def test_an_adversary_with_the_base_s_own_weights_adds_nothing() -> None:
    scores, weights = torch.randn(2, 3), torch.tensor([[0.2, 0.8], [1.0, 0.0]])
    torch.testing.assert_close(departure(scores, weights, scores, weights, 5.0), torch.zeros(2))


def test_an_adversary_reads_the_base_of_its_own_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "RUNS", tmp_path)
    run = Run("pooling", "reviews", "tiny", "away", seed=2)
    recipe = replace(TINY, adversary=1.0, base="reviews-tiny")
    with pytest.raises(CheckpointError, match="train --corpus reviews --recipe tiny --seed 2"):
        train(SOLUTION, run, recipe, corpus=LETTERS, quiet=True)
    train(SOLUTION, replace(run, variant=""), TINY, corpus=LETTERS, quiet=True)
    trained = train(SOLUTION, run, recipe, corpus=LETTERS, quiet=True)
    assert isinstance(trained.model, Adversary)
    assert len(trained.classify([("so good .",)])) == 1


@pytest.mark.parametrize(
    "changes", [{"model": "han", "pooling": "mean"}, {"model": "han", "adversary": 1.0}, {"adversary": 1.0}]
)
def test_choices_that_a_model_does_not_have_are_an_error_of_the_recipe(changes: dict) -> None:
    with pytest.raises(RecipeError):
        runs.built(SOLUTION, replace(TINY, **changes), 12, 3)
    assert isinstance(build(TINY, 12, 3), AttBLSTM)
