"""Tests of attention backwards, of links and their error rate, and of the decoder that is handed a step."""

import math
import random

import pytest
import torch

from lab import metrics
from lab.evaluation import links as scoring
from lab.text.batches import source_batch
from lab.text.tokenizers import BOS
from solutions.bahdanau.attention import (
    additive_attention,
    additive_attention_backward,
    alignment_error_rate,
    attention_by_hand,
    links_of,
    masked_softmax,
)
from solutions.bahdanau.model import SOLUTION, Bahdanau, StepByStep

B, S, HIDDEN = 3, 5, 2
SENTENCES = [[4, 5, 6, 7, 8], [9], [4, 6], [], [5, 6, 7]]


def test_the_numbers_by_hand_are_those_of_the_functions() -> None:
    context, score = attention_by_hand()
    scores = torch.tensor([1.0, 4.0, 15.0]).log()
    weights = masked_softmax(scores, torch.tensor([True, True, False]))
    assert context == pytest.approx(float(weights @ torch.tensor([10.0, 5.0, 4.0])))
    sums = torch.tensor([math.log(2), -math.log(3)])
    assert score == pytest.approx(float(torch.tanh(sums) @ torch.tensor([2.0, 5.0])))


def test_the_decoder_that_is_handed_a_step_and_the_fast_one_have_equal_values_and_gradients() -> None:
    recipe = SOLUTION.recipes["small"]
    models = []
    for kind in (Bahdanau, StepByStep):
        torch.manual_seed(1)
        models.append(kind(recipe, 12, 11).eval())
    table, mask = source_batch(SENTENCES)
    inputs = torch.tensor([[BOS, 4, 5]] * len(SENTENCES))
    features = []
    for model in models:
        memory, state = model.encode(table, mask)
        features.append(model.decode(inputs, memory, state))
        model.readout(features[-1][0]).logsumexp(-1).sum().backward()
    torch.testing.assert_close(*features, rtol=1e-4, atol=1e-5)
    for (name, first), second in zip(models[0].named_parameters(), models[1].parameters(), strict=True):
        torch.testing.assert_close(first.grad, second.grad, rtol=1e-4, atol=1e-5, msg=name)


@pytest.mark.parametrize("threshold", [None, 0.0, 0.125, 0.25, 0.9])
def test_the_taught_links_are_those_of_the_lab(threshold: float | None) -> None:
    torch.manual_seed(0)
    for target, source in ((4, 7), (6, 3), (5, 5), (1, 4), (3, 1)):
        weights = (torch.randn(target, source).softmax(-1) * 8).round() / 8  # eighths: some of them equal
        theirs = scoring.argmax_links(weights) if threshold is None else scoring.threshold_links(weights, threshold)
        assert links_of(weights, threshold) == {(t, s) for s, t in theirs}


def test_the_taught_error_rate_of_one_sentence_is_that_of_the_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    draw, once = random.Random(0), metrics._times_drawn(1)[:1]
    monkeypatch.setattr(metrics, "_times_drawn", lambda _: once)  # the interval is not looked at
    cells = [(t, s) for t in range(3) for s in range(4)]
    sizes = [0, 0, 1, 3, 7]
    for _ in range(300):
        links, sure, possible = (set(draw.sample(cells, draw.choice(sizes))) for _ in range(3))
        assert alignment_error_rate(links, sure, possible) == pytest.approx(
            scoring.aer([links], [sure], [possible]).value
        )


@pytest.mark.parametrize("masked", [False, True])
def test_attention_backwards_is_what_autograd_says(masked: bool) -> None:
    torch.manual_seed(0)
    sizes = (B, 4), (B, S, 6), (B, S, 7), (HIDDEN, 4), (HIDDEN, 6), (HIDDEN,)
    query, keys, values, W_q, W_k, v = (torch.randn(size, dtype=torch.float64) for size in sizes)
    mask = torch.tensor([[True] * S, [False, True, True, False, True], [True] + [False] * 4]) if masked else None
    leaves = [tensor.requires_grad_() for tensor in (query, keys, values, v)]
    context, _ = additive_attention(query, keys, values, W_q, W_k, v, mask)
    d_context = torch.randn_like(context)
    expected = torch.autograd.grad((context * d_context).sum(), leaves)
    with torch.no_grad():
        given = additive_attention_backward(d_context, query, keys, values, W_q, W_k, v, mask)
    torch.testing.assert_close(given, expected)
