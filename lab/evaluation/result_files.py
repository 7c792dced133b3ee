"""Result files: a run's scores, how they came about, and beside them the outputs that they were computed from."""

import gzip
import hashlib
import json
import math
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lab.files import atomic_write
from lab.kinds.runs import ROOT, Solution
from lab.train.checkpoints import load
from lab.train.training import Progress

Outputs = dict[str, Any]


def results_folder(solution: str) -> Path:
    return ROOT / "solutions" / solution / "results"


def keep(result: dict[str, Any], outputs: Outputs, folder: Path | None = None) -> Path:
    """Write a result, by default into the solution's folder, and beside it the outputs that it was scored from."""
    folder = folder or results_folder(result["solution"])
    stem = f"{result['run']}-seed{result['seed']}"
    write_json(folder / f"{stem}.outputs.json.gz", outputs)
    path = folder / f"{stem}.json"
    write_json(path, result)
    return path


def head(solution: Solution, run: Any, **corpus: str) -> dict[str, Any]:
    """Return the head of a result: its run and solution, and the published scores on its corpus."""
    return {
        "run": run.name,
        "solution": run.solution,
        "seed": run.seed,
        "corpus": corpus,
        "peers": list(solution.peers.get(run.task, ())),
    }


def provenance(trained: Any, run: Any, command: str, unit: str, metric: str) -> dict[str, Any]:
    """Return the origin of a result, as far as a reader needs it to get the same.

    `unit` is what the training counted (target_tokens), `metric` what its model was selected by (bleu).
    """
    epochs = trained.about["recipe"]["training"]["epochs"]
    progress = Progress(**load(run.folder / "last.pt")["progress"])
    return {
        "recipe": trained.about["recipe"],
        "parameters": sum(weight.numel() for weight in trained.model.parameters()),
        "training": {
            "device": progress.device,
            "best_epoch": trained.progress.best_epoch,
            "epochs": progress.epoch,
            "of_epochs": epochs,
            "steps": progress.step,
            "seconds": round(progress.seconds, 1),
            unit: progress.tokens,
            f"{unit}_per_second": round(progress.tokens / max(progress.seconds, 1e-9)),
            "ended_by_budget": progress.epoch < epochs,
            f"validation_{metric}": trained.progress.best if math.isfinite(trained.progress.best) else None,
            "history": [
                {name: round(value, 3) for name, value in entry.items() if math.isfinite(value)}
                for entry in progress.history
            ],
        },
        "versions": versions(),
        "commit": commit(),
        "command": f"python -m solutions.{run.solution} evaluate {command}".strip(),
        "data": trained.about["data"],
        "checkpoint_sha256": hashlib.sha256((run.folder / "best.pt").read_bytes()).hexdigest(),
    }


def versions() -> dict[str, str]:
    return {"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__}


def commit() -> str:
    """Return the commit that is checked out; + after it says that files other than results were changed.

    A copy of the files alone, as on a machine that was lent, has the commit in ATTENTION_COMMIT.
    """
    if named := os.environ.get("ATTENTION_COMMIT"):
        return named
    try:
        head = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, check=True)
        changed = [
            "git",
            "status",
            "--porcelain",
            "-uno",
            "--",
            ".",
            *(f":!solutions/*/{made}" for made in ("results", "pinned")),
        ]
        dirty = subprocess.run(changed, cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head.stdout.decode().strip() + ("+" if dirty.stdout.strip() else "")


def write_json(path: Path, content: Any) -> None:
    """Write a file whole or not at all; the same content gives the same bytes, gzipped or not."""
    text = json.dumps(content, ensure_ascii=False, indent=None if path.suffix == ".gz" else 1).encode()
    atomic_write(path, gzip.compress(text + b"\n", mtime=0) if path.suffix == ".gz" else text + b"\n")


def read_json(path: Path) -> Any:
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
