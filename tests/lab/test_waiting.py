"""Laws of a step on a device: it asks the device for nothing, and leaves no recurrent network to a GPU's autocast.

A GPU that is asked ends all that it has begun before it answers.
"""

from contextlib import nullcontext
from dataclasses import replace

import pytest
import torch
from torch import nn

from benchmarks.gpu.small_models import LUONG, small_models

MODELS = small_models()
META = torch.device("meta")  # has shapes and no numbers: whoever asks for one gets an error
ENABLED = torch.is_autocast_enabled


@pytest.fixture(autouse=True)
def autocast_without_meta(monkeypatch: pytest.MonkeyPatch) -> None:
    real = torch.autocast  # which knows no meta
    monkeypatch.setattr(
        torch, "autocast", lambda kind, *a, **b: real(kind, *a, **b) if kind == "cuda" else nullcontext()
    )
    monkeypatch.setattr(torch, "is_autocast_enabled", lambda kind: kind == "cuda" and ENABLED(kind))


def step(name: str, model: nn.Module) -> torch.Tensor:
    task = MODELS[name].task
    group = max(task.groups(1), key=len)
    loss = task.loss(model, task.collate(group), META)
    loss.backward()
    return loss


@pytest.mark.parametrize("name", MODELS)
def test_a_step_goes_through_on_a_device_that_cannot_answer(name: str) -> None:
    model = MODELS[name].build().to(META)
    assert step(name, model).is_meta
    assert any(weight.grad is not None for weight in model.parameters())


@pytest.mark.parametrize("name", [*MODELS, "luong, no feeding"])
def test_no_recurrent_network_is_left_to_the_autocast_of_a_gpu(name: str) -> None:
    def note(network: nn.Module, _: object) -> None:
        seen[network] = torch.get_autocast_dtype("cuda") if ENABLED("cuda") else torch.float32

    name, _, plain = name.partition(", no ")
    recipe = replace(MODELS[name].recipe, feeding=False) if plain else None
    model = (LUONG.build(recipe, 40, 40) if recipe else MODELS[name].build()).to(META)
    networks = [module for module in model.modules() if isinstance(module, nn.RNNBase)]
    seen: dict[nn.Module, torch.dtype] = {}
    for network in networks:
        network.register_forward_pre_hook(note)
    torch.set_autocast_enabled("cuda", True)
    try:
        step(name, model)
    finally:
        torch.set_autocast_enabled("cuda", False)
    assert set(seen.values()) <= {torch.float32}
    assert seen or not networks
