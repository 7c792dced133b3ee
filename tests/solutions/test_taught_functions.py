"""Laws of the taught functions of all chapters that no hidden case asks for: other types of numbers, and refusals."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from autograder.checks import find
from solutions.language_model.attention import next_probabilities
from solutions.self_attention.attention import SelfAttention, layer_cost, scaled_dot_product
from solutions.transformer.attention import noam_rate, split_heads
from tests.answers import check_ids
from tests.support.verdicts import drawn

EVERY = [(check_id, find(check_id)) for check_id in check_ids()]
MASKED = [id for id, check in EVERY if "mask" in check.arguments and check.exact and not (check.hunt or check.adapter)]


def cast(value: Any, dtype: torch.dtype) -> Any:
    """Return an argument as it is handed to a function, its floats in this type."""
    if isinstance(value, dict):
        return {key: cast(each, dtype) for key, each in value.items()}
    tensor = torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value
    return tensor.to(dtype) if isinstance(tensor, Tensor) and tensor.is_floating_point() else tensor


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("check_id", MASKED)
def test_a_row_without_any_true_has_no_weight_and_nothing_is_nan_in_any_type(check_id: str, dtype: torch.dtype) -> None:
    check = find(check_id)
    case = next(case for case in drawn(check_id, 0) if np.ndim(case.arguments["mask"]) > 1)
    given = {name: cast(value, dtype) for name, value in case.arguments.items()}
    given["mask"][0] = False
    results = check.reference(*given.values())
    outputs = dict(zip(check.outputs, results if isinstance(results, tuple) else (results,), strict=True))
    for name, output in outputs.items():
        assert output.dtype == dtype
        assert output.isfinite().all()
        assert name not in check.exact or (output[0] == 0).all()


@pytest.mark.parametrize("temperature", [1e-3, 1e-38, 1e-39, 1e-300])
@pytest.mark.parametrize("level", [0.0, -800.0])
def test_at_a_temperature_near_0_the_most_probable_token_is_drawn(temperature: float, level: float) -> None:
    logits = torch.tensor([[1.0, 2.0, 3.0], [5.0, -4.0, 0.0]]) + level
    right = torch.tensor([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    for cut in ({}, {"top_k": 2}, {"top_p": 0.5}):
        torch.testing.assert_close(next_probabilities(logits, temperature, **cut), right)


def test_float16_has_room_for_scores_that_only_their_root_makes_small() -> None:
    query = torch.full((1, 1024), 10.0, dtype=torch.float16)
    key = torch.cat([query, query / 2])
    _, weights = scaled_dot_product(query, key, key)  # q·k = 102400, more than float16 can hold
    assert torch.isfinite(weights).all()


def test_the_size_of_the_projections_at_the_start_does_not_depend_on_the_width() -> None:
    torch.manual_seed(0)
    for width in (64, 1024):
        query = torch.randn(500, width) @ SelfAttention(width, 32, 16).W_q.T
        assert query.std().item() == pytest.approx(1, abs=0.1)


X = torch.ones(1, 2, 6)
REFUSED = {
    "kind must be self_attention, recurrent.*got 'attention'": lambda: layer_cost("attention", 8, 4, 3, 5),
    "at least 2 words wide; got k = 1": lambda: layer_cost("convolution", 8, 4, 1, 5),
    "expected step ≥ 1, got 0; add 1": lambda: noam_rate(0, 512, 4000),
    "divide d_model = 6, got 4; choose one of 1, 2, 3, 6": lambda: split_heads(X, 4),
    "divide d_model = 6, got 0; choose one of 1, 2, 3, 6": lambda: split_heads(X, 0),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_is_refused_in_a_sentence(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        REFUSED[message]()
