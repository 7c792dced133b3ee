"""Properties of a device: it computes what the CPU computes, and resumes exactly."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograder.assignment import written
from autograder.checks import Check, checks
from autograder.kit.calls.adapter import adapted
from benchmarks.gpu.small_models import SmallModel, small_models
from benchmarks.gpu.table import Job, Row, Setting
from lab.train.devices import should_use_bf16
from lab.train.training import Trainer

CPU = torch.device("cpu")
SEED = 7
CLOSE = {"rtol": 2e-3, "atol": 2e-4}  # of sums in another order, in single precision


class Broken(Exception):
    """A property that does not hold; the message says where."""


def jobs() -> Iterator[Job]:
    """Yield the properties."""
    for name in written():
        yield Job(f"property: taught functions of {name}", lambda setting, name=name: taught(name, setting), 10)
    for name, model in small_models().items():
        yield Job(f"property: gradients of {name}", lambda setting, model=model: same_gradients(model, setting), 5)
        if getattr(model.build(), "recordable", False):
            yield Job(
                f"property: recorded gradients of {name}", lambda setting, model=model: recorded(model, setting), 10
            )
    for name, model in small_models(epochs=2, ema=0.9).items():
        yield Job(f"property: exact resume of {name}", lambda setting, model=model: exact_resume(model, setting), 10)
    for name in small_models():
        yield Job(f"property: bf16 learns as fp32, {name}", lambda setting, name=name: bf16(name, setting), 10)
    for name, model in small_models(dropout=0.1, ema=0.9).items():
        yield Job(
            f"property: a step of {name} waits for nothing", lambda setting, model=model: no_wait(model, setting), 5
        )
    yield Job("property: batches in pieces", pieces, 5)
    yield Job("property: the kernel of attention in tiles", tiles, 10)


def taught(name: str, setting: Setting) -> Row:
    """Call every taught function of a chapter on the CPU and on the device, with the inputs of its check."""
    compared, left, largest = 0, [], 0.0
    for function, check in checks(name).items():
        if check.is_bug_hunt or check.hunt or check.steps or not callable(check.reference):
            continue
        for drawn in check.cases(np.random.default_rng(SEED)):
            given = [tensors(argument, CPU) for argument in drawn.arguments]
            if not any(isinstance(value, Tensor) for value in given):
                left.append(function)  # of numbers alone
                break
            try:
                error = difference(check, given, setting.device)
            except Broken as broken:
                raise Broken(f"{function}, {drawn.name}: {broken}") from None
            largest, compared = max(largest, error), compared + 1
    return {"calls": compared, "largest error": largest, "without tensors": ", ".join(sorted(set(left)))}


def difference(check: Check, given: list, device: torch.device) -> float:
    """Return the largest difference between device and CPU; raise Broken if it is too large."""
    with torch.no_grad():
        function = adapted(check.reference, check.portable_adapter)
        first = outputs(function(*given))
        second = outputs(function(*(tensors(value, device) for value in given)))
    return max((compare(x, y) for x, y in zip(first, second, strict=True)), default=0.0)


def tensors(value: Any, device: torch.device) -> Any:
    """Return an argument with its arrays and tensors on the device."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.copy()).to(device)
    if isinstance(value, Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {key: tensors(item, device) for key, item in value.items()}
    return type(value)(tensors(item, device) for item in value) if isinstance(value, list | tuple) else value


def outputs(result: Any) -> list[Tensor]:
    """Return the numbers of a result, one tensor for each."""
    if isinstance(result, Tensor):
        return [result.detach().to(CPU, torch.float64)]
    if isinstance(result, dict):
        return outputs(list(result.values()))
    if isinstance(result, set):
        return outputs(sorted(result))
    if isinstance(result, list | tuple):
        return [tensor for item in result for tensor in outputs(item)]
    return [torch.tensor(float(result), dtype=torch.float64)] if result is not None else []


def compare(first: Tensor, second: Tensor) -> float:
    """Return the largest difference; raise Broken if the two are not equal but for rounding."""
    if first.shape != second.shape:
        raise Broken(f"shape {tuple(second.shape)} on the device, {tuple(first.shape)} on the CPU")
    if not torch.allclose(second, first, equal_nan=True, **CLOSE):
        raise Broken(f"differs by {(second - first).abs().nan_to_num().max():.3g}")
    return float((second - first).nan_to_num().abs().max()) if first.numel() else 0.0


def gradients(model: SmallModel, device: torch.device, **more: Any) -> dict[str, Tensor]:
    """Return the loss of the largest batch and all gradients, in single precision."""
    return gradient(model.trainer(Path("unused"), device, **more), max(model.task.groups(1), key=len))


def gradient(running: Trainer, group: Any) -> dict[str, Tensor]:
    loss, named = running.gradient(group), running.model.named_parameters()
    return {"loss": loss, **{name: weight.grad for name, weight in named if weight.grad is not None}}


def same_gradients(model: SmallModel, setting: Setting) -> Row:
    first, second = (gradients(model, device) for device in (CPU, setting.device))
    return {"largest error": worst(first, second)}


def recorded(model: SmallModel, setting: Setting) -> Row:
    """Compare the gradients of recorded kernels with those of kernels launched one by one, batch after batch."""
    if setting.device.type != "cuda":
        return {"left out": "only a GPU's kernels are recorded; tests/lab/test_gradients.py tries it without one"}
    plain, graphs = (model.trainer(Path("unused"), setting.device, recorded=each) for each in (False, True))
    batches = 3 * list(model.task.groups(1))[:3]  # computed, recorded, launched again
    errors = [worst(gradient(plain, batch), gradient(graphs, batch)) for batch in batches]
    if not (graphs.gradient.graphs and graphs.gradient.graphs.recorded):
        raise Broken("nothing was recorded")
    return {"largest error": max(errors), "shapes": len(graphs.gradient.graphs.recorded)}


def tiles(setting: Setting) -> Row:
    """Compare the kernel in Triton with the taught function, at a length that its tiles do not divide."""
    if setting.device.type != "cuda":
        return {"left out": "the kernel is one for a GPU"}
    from solutions.long_context import attention, kernel

    largest, (query, key, value) = 0.0, torch.randn(3, 3, 300, 64, device=setting.device)
    for causal in (False, True):
        two = (each.flash_forward(query, key, value, 64, causal) for each in (kernel, attention))
        largest = max(largest, *(compare(*pair) for pair in zip(*map(outputs, two), strict=True)))
    return {"largest error": largest}


def worst(first: dict[str, Tensor], second: dict[str, Tensor]) -> float:
    """Return the largest difference of tensors by name; raise Broken with the name of one that is too far off."""
    largest = 0.0
    for name, value in first.items():
        try:
            largest = max(largest, compare(*(of.detach().to(CPU, torch.float64) for of in (value, second[name]))))
        except Broken as broken:
            raise Broken(f"{name}: {broken}") from None
    return largest


def exact_resume(model: SmallModel, setting: Setting) -> Row:
    """Train in one go, and with a stop after every step: the weights are equal, where they can be to the last bit."""
    with TemporaryDirectory() as folder, same_order_of_sums():
        whole = model.trainer(Path(folder) / "whole", setting.device)
        whole.run()
        while (part := model.trainer(Path(folder) / "parts", setting.device, minutes=0.0)).run().ended_by_budget:
            torch.rand(7)  # whatever happens to the random numbers in between
        first, second = whole.model.state_dict(), part.model.state_dict()
    return {"largest error": worst(first, second), "equal": all(torch.equal(first[key], second[key]) for key in first)}


@contextmanager
def same_order_of_sums() -> Iterator[None]:
    """Let a GPU add up in one order, where it has such kernels: else the gradients of equal words come in any order."""
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


def bf16(name: str, setting: Setting) -> Row:
    """Train with both precisions: the last losses differ by at most a twentieth, and both are below the first."""
    if not should_use_bf16("auto", setting.device):
        return {"left out": "this device has no bfloat16 of its own"}
    losses: dict[str, list[float]] = {}
    for precision in ("fp32", "bf16"):
        with TemporaryDirectory() as folder:
            model = small_models(epochs=4, precision=precision)[name]
            running = model.trainer(Path(folder), setting.device)
            losses[precision] = [entry["loss"] for entry in running.run().history]
    (exact, rounded) = (losses[precision][-1] for precision in ("fp32", "bf16"))
    if abs(rounded - exact) > 0.05 * exact or any(of[-1] >= of[0] for of in losses.values()):
        raise Broken(f"losses {losses}")
    return {"fp32": exact, "bf16": rounded}


def no_wait(model: SmallModel, setting: Setting) -> Row:
    """Take steps in which CUDA raises an error where the host would wait for the device."""
    if setting.device.type != "cuda":
        return {"left out": "only a GPU is waited for; tests/lab/test_waiting.py tries it without one"}
    running = model.trainer(Path("unused"), setting.device)
    batches = running.task.groups(1)[:3]
    for batch in 2 * list(batches):  # the first steps may set things up, and record their kernels
        running.step(batch)
    torch.cuda.set_sync_debug_mode("error")
    try:
        for batch in batches:
            running.step(batch)
    except RuntimeError as error:
        raise Broken(str(error).partition("\n")[0]) from None
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return {"steps": 3}


def pieces(setting: Setting) -> Row:
    """Compare the gradients of batches taken in pieces with those of whole ones."""
    errors = [
        worst(gradients(model, setting.device), gradients(model, setting.device, micro_tokens=40))
        for model in small_models().values()
    ]
    return {"largest error": max(errors)}
