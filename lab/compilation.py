"""torch.compile, a flag of a training: the whole model, or of a recurrent decoder a few steps as one."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor, nn

CHUNK = (
    4  # steps that are compiled as one: a call costs the host as much as a dozen operations, compiling costs minutes
)
COMPILERS = ("cc", "gcc", "clang", "g++", "c++")


def compile_model(model: Any, device: torch.device, quiet: bool = False) -> bool:
    """Compile a model for training, and return True; where nothing can be compiled, say why and leave it as it is."""
    reason = missing(device)
    if reason:
        if not quiet:
            print(f"nothing is compiled, the training does without: {reason}", flush=True)
        return False
    if hasattr(model, "compiled_steps"):
        model.compiled_steps = True
    else:
        model.compile(dynamic=True)
    return True


def length_multiple(model: nn.Module) -> int:
    """Return what a model's padded lengths are to be multiples of where a GPU or a compiler is at work."""
    return CHUNK if getattr(model, "compiled_steps", False) else getattr(model, "length_multiple", 1)


def missing(device: torch.device) -> str:
    """Return what compiling for a device lacks here; nothing if all is there."""
    if not any(map(shutil.which, COMPILERS)):
        return "there is no C compiler (gcc or clang)"
    if device.type == "cuda" and find_spec("triton") is None:
        return "there is no Triton, which compiles for GPUs"
    if device.type == "cuda" and torch.cuda.get_device_capability(device) < (7, 0):
        return "Triton compiles for GPUs of compute capability 7.0 and newer"
    return ""


def in_chunks(model: Any, sequence: Tensor) -> Iterator[tuple[Callable[..., Any], Tensor]]:
    """Yield parts of a sequence (batch, time, …) with the function that takes the steps of each: `model.steps`.

    It is called with the model and a part. A model that has `compiled_steps` set takes CHUNK at a time in training.
    """
    steps = type(model).steps
    if not (model.compiled_steps and model.training):
        yield steps, sequence
        return
    for part in sequence.split(CHUNK, dim=1):
        yield (compiled(steps) if part.shape[1] == CHUNK else steps), part


def joined(parts: Sequence[Tensor]) -> Tensor:
    """Return the outputs of the parts of a sequence as one, (batch, time, …)."""
    return parts[0] if len(parts) == 1 else torch.cat(list(parts), dim=1)


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, compiled once for all shapes: not a method, of which a copy of a model would have a copy."""
    return torch.compile(function, dynamic=True)
