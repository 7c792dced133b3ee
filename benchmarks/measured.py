"""What measurements of this folder share: calls timed in turn, and the file of a chapter's results that keeps them."""

import argparse
import platform
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from lab.evaluation.result_files import commit, versions, write_json
from lab.train.devices import device_name

CPU = torch.device("cpu")


def repeats_asked(name: str, about: str | None, repeats: int) -> int:
    """Return the number of times that a program of this folder is to time each call, from its command line."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=about)
    parser.add_argument("--repeats", type=int, default=repeats, help="of what is timed, by default %(default)s")
    return parser.parse_args().repeats


def counted(call: Callable[..., object], *inputs: torch.Tensor) -> int:
    """Return the multiplications of a call as PyTorch counts them; it cannot see into fused kernels."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        call(*(each.detach() for each in inputs))
    return counter.get_total_flops() // 2  # it counts the addition too


def clock() -> float:
    """Return seconds: the processor's, in which other programs do not count; of a GPU or several threads the wall's."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    elif torch.get_num_threads() == 1:
        return time.process_time()
    return time.perf_counter()


def in_turn(calls: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, list[float]]:
    """Return the milliseconds of each call; they take turns, so that noise hits all."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(repeats + 1):
        for name, call in calls.items():
            started = clock()
            call()
            if turn:  # the first warms up
                times[name].append(1000 * (clock() - started))
    return times


def keep(folder: Path, file: str, command: str, device: torch.device = CPU, **content: Any) -> Path:
    """Write what was measured on a device into a folder of results, and return the file."""
    write_json(folder / file, with_provenance(command, device, content))
    return folder / file


def with_provenance(command: str, device: torch.device, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a measurement with its device, its versions, its commit and its command."""
    how = {"versions": versions(), "commit": commit(), "command": f"python -m {command}"}
    return {"device": device_name(device)} | dict(content) | how


def processor() -> str:
    """Return the kind of this processor, VENDOR-FAMILY-MODEL as Linux numbers them; elsewhere its architecture."""
    about = Path("/proc/cpuinfo")
    lines = about.read_text("utf-8").splitlines() if about.is_file() else []
    fields = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    names = "vendor_id", "cpu family", "model"
    return "-".join(fields[name] for name in names) if set(names) <= fields.keys() else platform.machine()
