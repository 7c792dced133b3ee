"""The measure of a training step: its arithmetic, and the rate at which this device multiplies matrices."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from lab.diagnosis import activities, operation_times
from lab.fast_linear import KERNEL

SIZES = {"cpu": 2048, "cuda": 8192}  # of the square matrices whose product is timed
PRODUCTS = ("mm", "linear", "lstm", "gru", "rnn", "scaled_dot_product", "attention")  # within the names of operations
aten: Any = torch.ops.aten


def wait(device: torch.device) -> None:
    """Wait until the device has done all that it was asked for."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def matrix_rate(device: torch.device, dtype: torch.dtype, size: int = 0, rounds: int = 7) -> float:
    """Return the multiplications and additions in a second of a product of two square matrices: the fastest of some."""
    n = size or SIZES.get(device.type, 2048)
    a, b = (torch.randn(n, n, device=device).to(dtype) for _ in range(2))
    return 2 * n**3 / min(seconds(lambda: a @ b, device) for _ in range(rounds))


def seconds(work: Callable[[], object], device: torch.device) -> float:
    """Return the seconds that something takes, on the wall."""
    wait(device)
    started = time.perf_counter()
    work()
    wait(device)
    return time.perf_counter() - started


def step_seconds(work: Callable[[], object], device: torch.device, rounds: int) -> float:
    """Return the time of a call, after two that warm up: of a CPU, which is often disturbed, the median of some.

    Of a GPU it is the mean of some one behind the other, as a training makes them: while it computes, the host prepares
    the next.
    """
    work(), work()
    if device.type == "cpu":
        return statistics.median(seconds(work, device) for _ in range(rounds))
    return seconds(lambda: [work() for _ in range(rounds)], device) / rounds


def arithmetic(work: Callable[[], object]) -> int:
    """Return the multiplications and additions in matrix products, those of recurrent kernels among them."""
    with FlopCounterMode(display=False, custom_mapping=recurrent_kernels()) as counter:
        work()
    return counter.get_total_flops()


def recurrent_kernels() -> dict[Any, Callable[..., int]]:
    """Return the formulas of the kernels that the counter cannot look into: recurrent layers, and lab.fast_linear's.

    Each row of the input is multiplied by each weight once: 2 operations a weight. On a recurrent layer's way back
    twice as many.
    """

    def cudnn(rows: Any, weights: Any, *_: Any, **__: Any) -> int:
        positions = rows[0] if len(rows) == 2 else prod(rows[:-1])  # packed or padded
        return 2 * positions * sum(prod(shape) for shape in weights if len(shape) == 2)

    def onednn(rows: Any, own: Any, recurrent: Any, *_: Any, **__: Any) -> int:
        return 2 * prod(rows[:-1]) * (prod(own) + prod(recurrent))

    def backward(forward: Callable[..., int]) -> Callable[..., int]:
        return lambda *shapes, **more: 2 * forward(*shapes, **more)

    def linear(rows: Any, weight: Any, *_: Any, **__: Any) -> int:
        return 2 * prod(rows) * weight[0]

    return ({KERNEL: linear} if KERNEL else {}) | {
        aten._cudnn_rnn: cudnn,
        aten._cudnn_rnn_backward: backward(cudnn),
        aten.mkldnn_rnn_layer: onednn,
        aten.mkldnn_rnn_layer_backward: backward(onednn),
    }


def print_shares(
    steps: Mapping[str, Callable[[Any], object]],
    batches: Sequence[Any],
    taken: Mapping[str, float],
    device: torch.device,
    dtype: torch.dtype,
) -> None:
    """Print which part of the rate of matrix products each step reaches, and what takes the rest of its time.

    `taken` are the seconds that each step has taken for all batches.
    """
    peak = matrix_rate(device, dtype)
    print(f"\n{f'of {peak / 1e9:.0f} GFLOP/s of products':<39} reached   time in products   dearest other operation")
    for name, step in steps.items():
        flops = sum(arithmetic(lambda batch=batch, step=step: step(batch)) for batch in batches)
        products, other, share = whereabouts(lambda step=step: step(batches[0]))
        print(f"  {name:<33} {flops / taken[name] / peak:10.0%}   {products:16.0%}   {other} {share:.0%}")
    print()


def whereabouts(work: Callable[[], object]) -> tuple[float, str, float]:
    """Return the share of the time that matrix products take; the dearest of the other operations, and its share."""
    with torch.profiler.profile(activities=activities()) as profile:
        work()
    times = operation_times(profile)
    whole = sum(times.values()) or 1.0
    products = {name for name in times if any(part in name.lower() for part in PRODUCTS)}
    dearest = max(times.keys() - products, key=times.__getitem__, default="")
    return sum(times[name] for name in products) / whole, dearest, times.get(dearest, 0.0) / whole
