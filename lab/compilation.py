"""torch.compile, a flag of a training: the whole model, or of a recurrent decoder a few steps as one."""

import os
import shutil
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

CHUNK = (
    4  # steps that are compiled as one: a call costs the host as much as a dozen operations, compiling costs minutes
)
COMPILERS = {  # what is looked for, of C++ by torch and of C by Triton: a variable that names one, else these
    "cpu": ("CXX", "C++", ("g++", "clang++", "cl")),
    "cuda": ("CC", "C", ("gcc", "clang", "cl")),
}


def compile_model(model: Any, device: torch.device, quiet: bool = False) -> bool:
    """Compile a model for training, and return True; where nothing can be compiled, say why and leave it as it is."""
    reason = missing(device)
    if reason:
        if not quiet:
            print(f"nothing is compiled, the training does without: {reason}", flush=True)
        return False
    if getattr(model, "compiled_steps", None) is not None:
        model.compiled_steps = True
    else:
        model.compile(dynamic=True)
    return True


def missing(device: torch.device) -> str:
    """Return what compiling for a device lacks here; nothing if all is there."""
    variable, language, names = COMPILERS.get(device.type, COMPILERS["cpu"])
    asked = os.environ.get(variable)
    if not any(map(shutil.which, [asked] if asked else names)):
        return f"there is no {language} compiler ({asked or ' or '.join(names[:2])})"
    if device.type != "cuda":
        return ""
    if find_spec("triton") is None:
        return "there is no Triton, which compiles for GPUs"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "there are no header files of Python (python3-dev), which Triton reads"
    too_old = torch.cuda.get_device_capability(device) < (7, 0)
    return "Triton compiles for GPUs of compute capability 7.0 and newer" if too_old else ""


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
    """Return the function, compiled for all shapes, once for each size of a model and for eight of them at most.

    It is no method: of that, the copy of a model would have the one of the model.
    """
    return torch.compile(function, dynamic=True)
