"""What measurements of this folder share: calls timed in turn, and the file of a chapter's results that keeps them."""

import platform
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from lab.devices import device_name
from lab.evaluation.result_files import commit, results_folder, write_json


def in_turn(calls: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, list[float]]:
    """Return the processor's milliseconds of each call, in which other programs of the machine do not count."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(repeats + 1):
        for name, call in calls.items():
            started = time.process_time()
            call()
            if turn:  # the first warms up
                times[name].append(1000 * (time.process_time() - started))
    return times


def keep(solution: str, file: str, command: str, **content: Any) -> Path:
    """Write what was measured on the CPU into a chapter's results, and return the file."""
    about = {"device": device_name(torch.device("cpu"))}
    how = {
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "commit": commit(),
        "command": f"python -m {command}",
    }
    path = results_folder(solution) / file
    write_json(path, about | content | how)
    return path
