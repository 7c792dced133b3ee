"""What a word costs a language model by what its heads keep: python -m benchmarks.cached_heads writes cache.json.

The models are those of the sweep kv-heads, untrained: their times do not depend on what they have learned. What is
timed is one step behind a long text, several times, in the processor's time, in which other programs do not count.
"""

import platform
import time
from dataclasses import dataclass, replace
from pathlib import Path

import torch
import tyro

from lab.evaluation.result_files import commit, results_folder, write_json
from lab.training import device_name
from solutions.language_model.fast import FastDecoder
from solutions.language_model.recipe import RECIPES
from solutions.language_model.sweeps import SWEEPS

SWEEP, VOCABULARY = SWEEPS["kv-heads"], 99


@dataclass(frozen=True)
class Options:
    """Time a step of each kind of attention, on one thread, and write the figures."""

    past: int = 4096
    """tokens that are in the cache"""
    repeats: int = 51
    """steps that are timed"""


@torch.no_grad()
def milliseconds(options: Options) -> dict[str, list[float]]:
    """Return the times of a step by variant; the variants take turns, so that a slow moment meets all of them."""
    tokens, ready = torch.randint(4, VOCABULARY, (1, options.past)), {}
    for variant, changes in SWEEP.variants.items():
        model = FastDecoder(replace(RECIPES[SWEEP.recipe], **changes), VOCABULARY).eval()
        ready[variant] = model, model.read(tokens)[1]
    times: dict[str, list[float]] = {variant: [] for variant in ready}
    for turn in range(options.repeats + 1):
        for variant, (model, caches) in ready.items():
            started = time.process_time()
            model.readout(model.read(tokens[:, :1], caches)[0])
            if turn:  # the first warms up
                times[variant].append(round(1000 * (time.process_time() - started), 3))
    return times


def main(options: Options, folder: Path | None = None) -> Path:
    """Measure, write, and return the file."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    path = (folder or results_folder("language_model")) / "cache.json"
    content = {
        "device": device_name(torch.device("cpu")),
        "past": options.past,
        "milliseconds": milliseconds(options),
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "commit": commit(),
        "command": f"python -m benchmarks.cached_heads --past {options.past} --repeats {options.repeats}",
    }
    write_json(path, content)
    return path


if __name__ == "__main__":
    print(main(tyro.cli(Options, prog="python -m benchmarks.cached_heads")))
