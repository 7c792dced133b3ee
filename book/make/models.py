"""Make the pinned models from which something has moved away: `python -m book.make.models [MODEL …]`.

They are those of `solutions/*/pins.py`, all of them or the named ones. A training that was stopped goes on.
"""

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator
from importlib import import_module

import torch

from lab.dependencies import ROOT
from lab.evaluation.pins import CHANGED, Pin, noted
from lab.evaluation.small_pins import SmallPin
from lab.kinds.runs import RUNS
from lab.train.checkpoints import CheckpointError

MOST = 12_000_000  # bytes of all pinned models: what a clone has to carry for a book that trains nothing


def pins() -> Iterator[Pin | SmallPin]:
    """Yield the pinned models of all chapters."""
    for path in sorted(ROOT.glob("solutions/*/pins.py")):
        yield from import_module(f"solutions.{path.parent.name}.pins").PINS


def made(pin: Pin | SmallPin) -> None:
    """Make a pinned model anew if something has moved away from it, and print what was done."""
    reasons = pin.moved()
    if not reasons:
        print(f"{pin.name}: as it was")
    elif reasons == [CHANGED]:
        noted(pin.path, pin.code)
        print(f"{pin.name}: the chapter's code has changed, and computes what it did: noted")
    else:
        print(f"{pin.name}: {'; '.join(reasons)}. Training", flush=True)
        key = hashlib.sha256(json.dumps(pin.key).encode()).hexdigest()[:12]
        folder = RUNS / "pinned" / f"{pin.name}-{key}"  # `make clean` leaves it
        print(f"{pin.name}: {pin.make(folder)}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)


def main(names: list[str]) -> int:
    torch.set_num_threads(1)  # sums are in one order: the same machine makes the same weights
    every = list(pins())
    if unknown := set(names) - {pin.name for pin in every}:
        print(f"no pinned model is called {', '.join(sorted(unknown))}: {', '.join(pin.name for pin in every)}")
        return 2
    chosen = [pin for pin in every if not names or pin.name in names]
    try:
        for pin in chosen:
            made(pin)
    except CheckpointError as error:
        print(error, file=sys.stderr)
        return 1
    size = sum(pin.path.stat().st_size for pin in every if pin.path.exists())
    print(f"all pinned models: {size / 1e6:.2f} of {MOST / 1e6:g} MB")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main(sys.argv[1:]))
