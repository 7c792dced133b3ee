"""Tests of a step on a device: it asks the device for nothing, and leaves no recurrent network to a GPU's autocast.

A GPU that is asked ends all that it has begun before it answers.
"""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode

from benchmarks.gpu.small_models import small_models
from lab.kinds.translation import Translating
from lab.text.batches import Batch, filled_up

MODELS = small_models()
META = torch.device("meta")  # has shapes and no numbers: anyone who asks for one gets an error
ENABLED = torch.is_autocast_enabled


@pytest.fixture(autouse=True)
def autocast_without_meta(monkeypatch: pytest.MonkeyPatch) -> None:
    real = torch.autocast  # which knows no meta
    monkeypatch.setattr(torch, "autocast", lambda kind, *a, **b: real("cuda" if kind == "meta" else kind, *a, **b))
    monkeypatch.setattr(torch, "is_autocast_enabled", lambda kind: kind == "cuda" and ENABLED(kind))


def step(name: str, recorded: bool = False, **changes: Any) -> torch.Tensor:
    """Take a step; one that is to be recorded begins with a batch on the device."""
    small, task = MODELS[name], MODELS[name].task
    model = (small.solution.build(replace(small.recipe, **changes), 40, 40) if changes else small.build()).to(META)
    batch: Any = task.collate(max(task.groups(1), key=len))
    loss = task.loss(model, Batch(*(each.to(META) for each in filled_up(batch))) if recorded else batch, META)
    loss.backward()
    assert any(weight.grad is not None for weight in model.parameters())
    return loss


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        *((name, {}) for name, small in MODELS.items() if isinstance(small.task, Translating)),
        ("luong", {"attention": "local_m", "D": 2, "score": "dot"}),
        ("luong", {"attention": "local_p", "D": 2, "score": "concat"}),
        ("luong", {"score": "location", "feeding": False}),
    ],
)
def test_a_step_that_is_to_be_recorded_goes_through_on_a_device_that_cannot_answer(
    name: str, changes: dict[str, Any]
) -> None:
    assert step(name, recorded=True, **changes).is_meta


class Recurrences(TorchFunctionMode):
    """Notes whether a GPU's autocast is on at each call of a recurrent network's kernels."""

    def __init__(self) -> None:
        super().__init__()
        self.autocast: list[bool] = []

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if getattr(function, "__name__", "") in ("lstm", "gru"):
            self.autocast.append(ENABLED("cuda"))
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", [*MODELS, "luong, no feeding"])
def test_a_step_goes_through_there_and_leaves_no_recurrent_network_to_the_autocast_of_a_gpu(name: str) -> None:
    name, _, without = name.partition(", no ")
    torch.set_autocast_enabled("cuda", True)
    try:
        with Recurrences() as seen:
            assert step(name, **({without: False} if without else {})).is_meta
    finally:
        torch.set_autocast_enabled("cuda", False)
    assert not any(seen.autocast)
    assert seen.autocast or name in ("self_attention", "transformer", "language_model")
