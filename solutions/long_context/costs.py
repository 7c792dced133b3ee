"""What exact attention costs, whole and in tiles: bytes moved by a model of two memories; memory and time, measured.

    python -m solutions.long_context.costs

measures in processes of their own, from outside, and writes results/costs.json.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

from lab.evaluation.result_files import commit, results_folder, versions, write_json
from lab.train.devices import device_name
from solutions.long_context.attention import flash_forward

LENGTHS = (1024, 2048, 4096, 8192, 16384)
WIDTH, TILE = 64, 128


def moved_whole(length: int, width: int) -> int:
    """Return the count of numbers that attention, weights written down, reads from the large memory and writes to it.

    Q and K are read and S written; S is read and P written; P and V are read and the context written: Dao et al.
    (2022), algorithm 0.
    """
    square, rows = length * length, length * width
    return (2 * rows + square) + (square + square) + (square + rows + rows)


def moved_in_tiles(length: int, width: int, tile: int) -> int:
    """Return the same of `flash_forward`: each tile of queries stays in the small memory while all of K and V pass."""
    rows, passes = length * width, -(-length // tile)
    return (rows + passes * 2 * rows) + (rows + length)  # read, and written


def whole(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Return attention's context by way of the whole matrix of weights."""
    return (query @ key.transpose(1, 2) / query.shape[-1] ** 0.5).softmax(dim=-1) @ value


WAYS = {
    "nothing": lambda q, k, v: v,
    "whole": whole,
    "tiles": lambda q, k, v: flash_forward(q, k, v, TILE)[0],
    "torch": lambda q, k, v: functional.scaled_dot_product_attention(q[None], k[None], v[None])[0],
}


def once(way: str, length: int) -> None:
    """Run a way once, in this process, and print its seconds."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    with torch.no_grad():
        tensors = [torch.randn(1, length, WIDTH) for _ in range(3)]
        start = time.perf_counter()
        WAYS[way](*tensors)
        print(json.dumps(time.perf_counter() - start))


def measured(way: str, length: int) -> tuple[float, int]:
    """Return the seconds of a way, and the largest memory of its process in bytes, as the kernel counted it."""
    command = [sys.executable, "-m", "solutions.long_context.costs", way, str(length)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{way} at {length} tokens ended with status {process.returncode}")
    return json.loads(printed), usage.ru_maxrss * 1024


def main(folder: Path | None = None) -> None:
    """Measure all ways at all lengths, above a process that does nothing, and keep it."""
    rows: list[dict[str, Any]] = []
    for length in LENGTHS:
        _, nothing = measured("nothing", length)
        for way in list(WAYS)[1:]:
            runs = [measured(way, length) for _ in range(3)]
            row = {
                "way": way,
                "length": length,
                "seconds": min(seconds for seconds, _ in runs),
                "bytes": min(peak for _, peak in runs) - nothing,
            }
            rows.append(row)
            print(f"{way:7} {length:6} tokens: {row['seconds']:.3f} s, {row['bytes'] / 2**20:8.1f} MiB", flush=True)
    about = {"width": WIDTH, "tile": TILE, "precision": "fp32", "threads": 1}
    path = (folder or results_folder("long_context")) / "costs.json"
    device = device_name(torch.device("cpu"))
    write_json(path, {"about": about, "versions": versions(), "device": device, "commit": commit(), "rows": rows})
    print(f"wrote {path}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        once(sys.argv[1], int(sys.argv[2]))
    else:
        main()
