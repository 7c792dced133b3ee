"""Law of a step: it asks the device for nothing. A GPU that is asked ends all that it has begun before it answers."""

from contextlib import nullcontext

import pytest
import torch

from benchmarks.gpu.small_models import small_models

MODELS = small_models()
META = torch.device("meta")  # has shapes and no numbers: whoever asks for one gets an error


@pytest.mark.parametrize("name", MODELS)
def test_a_step_goes_through_on_a_device_that_cannot_answer(name: str, monkeypatch) -> None:
    monkeypatch.setattr(torch, "autocast", lambda *_, **__: nullcontext())  # which knows no meta
    monkeypatch.setattr(torch, "is_autocast_enabled", lambda _: False)
    model, task = MODELS[name].build().to(META), MODELS[name].task
    group = max(task.groups(1), key=len)
    loss = task.loss(model, task.collate(group), META)
    loss.backward()
    assert loss.is_meta
    assert any(weight.grad is not None for weight in model.parameters())
