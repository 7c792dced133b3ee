"""Tests of the encoder–decoder: the model of the taught functions is the one that is trained, and a step is torch's."""

import pytest
import torch
from torch import Tensor, nn

from exercises.encoder_decoder.hunt import HUNT, bigram_search
from lab.text.batches import collate
from lab.text.tokenizers import BOS, EOS, PAD
from solutions.encoder_decoder.attention import (
    beam_search,
    gru_step,
    gru_step_backward,
    sequence_loss,
    shift,
    step_and_loss_by_hand,
)
from solutions.encoder_decoder.model import EncoderDecoder
from solutions.encoder_decoder.plain import PlainEncoderDecoder, sentences, with_gradient
from solutions.encoder_decoder.recipe import Recipe

RECIPE = Recipe(embedding_dim=5, units=7, maxout=6)
PAIRS = [([4, 5, 6], [7, 8, 4, 5]), ([9], [4]), ([10, 4], [])]
BATCH, UNITS, EMBEDDING = 4, 3, 5


def cell_and_arguments() -> tuple[nn.GRUCell, list[Tensor]]:
    """Return torch's cell with random biases, and the arguments of the taught step with the same numbers."""
    torch.manual_seed(0)
    cell = nn.GRUCell(EMBEDDING, UNITS).double()
    weights = [cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh]
    for weight in weights:
        nn.init.normal_(weight)
    states = [torch.randn(BATCH, EMBEDDING).double(), torch.randn(BATCH, UNITS).double()]
    return cell, [*states, *(weight.detach().clone().requires_grad_() for weight in weights)]


def loss_and_gradients(model: EncoderDecoder) -> tuple[Tensor, dict[str, Tensor]]:
    batch = collate(PAIRS)
    model.zero_grad()
    loss = model.loss(batch, batch.targets != PAD, 0.0)
    loss.backward()
    return loss, {name: weight.grad.clone() for name, weight in model.named_parameters() if weight.grad is not None}


def models(**taught) -> tuple[EncoderDecoder, PlainEncoderDecoder]:
    torch.manual_seed(1)
    fast, plain = EncoderDecoder(RECIPE, 11, 9), PlainEncoderDecoder(RECIPE, 11, 9, **taught)
    for weight in fast.parameters():
        nn.init.normal_(weight, std=0.7)  # a fresh readout hears little of the states
    plain.load_state_dict(fast.state_dict())
    return fast.eval(), plain.eval()


def test_the_gradients_worked_out_by_hand_are_those_of_autograd() -> None:
    _, arguments = cell_and_arguments()
    arguments = [each.detach().requires_grad_() for each in arguments]
    gradient = torch.randn(BATCH, UNITS).double()
    expected = torch.autograd.grad((gru_step(*arguments) * gradient).sum(), arguments)
    torch.testing.assert_close(gru_step_backward(gradient, *(each.detach() for each in arguments)), expected)


def test_the_plain_model_and_the_fast_one_have_equal_values_and_gradients() -> None:
    """Steps one by one, inputs and targets from `shift`, the loss over all positions: as the model that is trained."""
    fast, plain = models()
    (one, fast_gradients), (other, plain_gradients) = loss_and_gradients(fast), loss_and_gradients(plain)
    torch.testing.assert_close(one, other)
    assert fast_gradients.keys() == plain_gradients.keys()
    for name, gradient in fast_gradients.items():
        torch.testing.assert_close(gradient, plain_gradients[name], msg=name)


def test_a_step_with_a_gradient_of_its_own_trains_as_one_with_autograd() -> None:
    fast, plain = models(step=with_gradient(gru_step, gru_step_backward))
    (one, fast_gradients), (other, plain_gradients) = loss_and_gradients(fast), loss_and_gradients(plain)
    torch.testing.assert_close(one, other)
    for name, gradient in fast_gradients.items():
        torch.testing.assert_close(gradient, plain_gradients[name], msg=name)


def test_a_wrong_function_of_a_students_changes_the_plain_model() -> None:
    right = loss_and_gradients(models()[1])[0]
    wrong = {
        "step": lambda x, h, W, R, b, c: gru_step(x, h, W, R, b, c) / 2,
        "read": lambda outputs, lengths: outputs[:, -1],
        "shift": lambda tokens, bos, eos, pad: shift(tokens, eos, bos, pad),
        "sequence_loss": lambda logits, targets, pad: sequence_loss(logits, targets, -1),
    }
    for name, function in wrong.items():
        assert abs(loss_and_gradients(models(**{name: function})[1])[0] - right) > 1e-3, name


def test_the_plain_model_refuses_recipes_that_it_cannot_follow() -> None:
    with pytest.raises(ValueError, match="expected cell = gru"):
        PlainEncoderDecoder(Recipe(cell="lstm", embedding_dim=5, units=7, maxout=6), 11, 9)
    batch = collate(PAIRS)
    with pytest.raises(ValueError, match="smoothing = 0"):
        models()[1].loss(batch, batch.targets != PAD, 0.1)


def test_the_batches_of_training_are_shifted_as_it_is_taught() -> None:
    batch = collate(PAIRS)
    inputs, targets = shift(sentences(batch), BOS, EOS, PAD)
    assert torch.equal(inputs, batch.inputs)
    assert torch.equal(targets, batch.targets)


def test_the_numbers_by_hand_are_those_of_the_functions() -> None:
    matrices = torch.tensor([[2.0], [1.0], [1.0]]), torch.tensor([[1.0], [2.0], [1.0]])
    state = gru_step(torch.ones(1, 1), -torch.ones(1, 1), *matrices, torch.zeros(3), torch.tensor([-1.0, 0.0, 2.0]))
    p = torch.tensor([[1 / 4, 1 / 2, 1 / 8], [1 / 4, 1 / 2, 1 / 2]])
    logits = torch.stack([p, 1 - p], dim=-1).log()  # the true word is number 0, <pad> number 1
    loss = sequence_loss(logits, torch.tensor([[0, 0, 0], [0, 0, 1]]), 1)
    torch.testing.assert_close(torch.tensor(step_and_loss_by_hand()), torch.stack([state[0, 0], loss]))


def test_the_search_of_the_bug_hunt_is_the_taught_one_on_a_model_of_the_last_word() -> None:
    torch.manual_seed(4)
    differ = 0
    for _ in range(20):
        table, rest = 2 * torch.randn(6, 6), (0, 1, 3, 6, 1.0)
        log_p = table.log_softmax(-1)
        tokens, score = beam_search(lambda prefix, log_p=log_p: log_p[prefix[:, -1]], *rest)
        assert bigram_search(table, *rest)[0] == tokens
        assert abs(bigram_search(table, *rest)[1] - score) < 1e-5
        assert HUNT.broken(table, *rest[:-1], 0.0) == bigram_search(table, *rest[:-1], 0.0)
        differ += HUNT.broken(table, *rest)[0] != tokens
    assert differ
