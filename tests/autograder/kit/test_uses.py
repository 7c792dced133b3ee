"""How a check uses what is no plain function from tensors to tensors."""

import pytest
import torch

from autograder.kit.uses import used


def by_autograd(scores):
    scores = scores.clone().requires_grad_()
    scores.square().sum().backward()
    return scores.grad


def test_who_asks_for_a_gradient_where_autograd_is_off_reads_that_it_is_off():
    with pytest.raises(RuntimeError, match="autograd is switched off"):
        used("penalty_backward", by_autograd)(torch.ones(2))


def test_another_error_of_a_gradient_by_hand_stays_as_it_is():
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        used("penalty_backward", lambda scores: scores @ torch.ones(3, 3))(torch.ones(2, 2))
