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

# Steps that are compiled as one: a call costs the host as much as a dozen operations, compiling costs half a minute.
CHUNK = 4
COMPILERS = {  # what is looked for, of C++ by torch and of C by Triton: a variable that names one, else these
    "cpu": ("CXX", "C++", ("g++", "clang++", "cl")),
    "cuda": ("CC", "C", ("gcc", "clang", "cl")),
}


def compile_model(model: Any, device: torch.device, asked: bool | None = True, quiet: bool = False) -> bool:
    """Compile a model for training if it is `asked` for, and return whether it was; say so where that is not possible.

    None asks for it where it has paid: on an H200 a step of Bahdanau's model took 35 ms, and 19 with its decoder
    compiled, for which the first call needs half a minute.
    """
    has_steps = getattr(model, "compiled_steps", None) is not None
    if not (device.type == "cuda" and has_steps if asked is None else asked):
        return False
    if reason := missing(device):
        if not quiet:
            print(f"nothing is compiled, the training does without: {reason}", flush=True)
        return False
    if has_steps:
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


def in_chunks(model: Any, *sequences: Tensor) -> Iterator[tuple[Any, ...]]:
    """Yield `model.steps` with parts of the sequences (batch, time, …) that it is to be called with.

    A model that has `compiled_steps` set takes CHUNK steps at a time in training, the last step again and again until
    the last part is full: `joined` cuts them off, and no training asks for the state behind them.
    """
    steps = type(model).steps
    if not (model.compiled_steps and model.training):
        yield steps, *sequences
        return
    more = -sequences[0].shape[1] % CHUNK
    full = (torch.cat([each, each[:, -1:].repeat_interleave(more, dim=1)], dim=1) for each in sequences)
    for parts in zip(*(each.split(CHUNK, dim=1) for each in full), strict=True):
        yield compiled(steps), *parts


def joined(parts: Sequence[Tensor], length: int) -> Tensor:
    """Return the outputs of the parts of a sequence as one, (batch, length, …)."""
    return parts[0] if len(parts) == 1 and parts[0].shape[1] == length else torch.cat(list(parts), dim=1)[:, :length]


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, compiled for all shapes, once for each size of a model and for eight of them at most.

    It is no method: of that, the copy of a model would have the one of the model.
    """
    return torch.compile(function, dynamic=True)
