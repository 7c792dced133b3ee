"""Devices: their names, the precision that they multiply natively, and the states of their random numbers."""

import math
import os
import platform
import random
from typing import Any

import numpy as np
import torch

from lab.kinds.ranges import RecipeError

# On an H200 a step in bfloat16 took a fifth longer than in fp32 with 2.6 to 11.7 million parameters (its casts are more
# launches, and launching is what takes the time), and a quarter of the time with 63 million.
BF16_PARAMETERS = 30_000_000


def seed_all(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def best_device() -> torch.device:
    """Return a GPU if there is one; under torchrun each process of a machine has its own."""
    return torch.device(f"cuda:{os.environ.get('LOCAL_RANK', 0)}" if torch.cuda.is_available() else "cpu")


def device_name(device: torch.device) -> str:
    """Return the device in words: the GPU's name, or the CPU's threads."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{platform.machine()} CPU, {torch.get_num_threads()} thread(s)"


def can_run_bf16_on_cpu() -> bool:
    """Return whether this processor runs every layer in bfloat16; without AVX-512 oneDNN has no LSTM for it."""
    return torch.ops.mkldnn._is_mkldnn_bf16_supported()


def should_use_bf16(precision: str, device: torch.device, parameters: int | float = math.inf) -> bool:
    """Return whether to compute in bfloat16: as asked, or by `auto` where it is faster for so many parameters."""
    if precision == "bf16" and device.type == "cpu" and not can_run_bf16_on_cpu():
        raise RecipeError(
            "precision bf16: torch's LSTM needs AVX-512 for it, and this CPU has none; choose auto or fp32"
        )
    if precision != "auto":
        return precision == "bf16"
    if device.type == "cuda":
        return parameters >= BF16_PARAMETERS and torch.cuda.is_bf16_supported(including_emulation=False)
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


def get_rng_state(device: torch.device) -> dict[str, Any]:
    """Return the states of the generators of random numbers: torch's, and the GPU's."""
    cuda = torch.cuda.get_rng_state(device) if device.type == "cuda" else None
    return {"torch": torch.get_rng_state(), "cuda": cuda}


def set_rng_state(state: dict[str, Any], device: torch.device) -> None:
    """Set the states of the generators; a training that moved from a GPU to the CPU leaves the GPU's behind."""
    torch.set_rng_state(state["torch"])
    if state["cuda"] is not None and device.type == "cuda":
        torch.cuda.set_rng_state(state["cuda"], device)
