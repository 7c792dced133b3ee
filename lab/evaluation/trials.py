"""The result file of an experiment of many small trainings."""

from pathlib import Path
from typing import Any

import torch

from lab.evaluation.result_files import commit, read_json, versions, write_json
from lab.train.devices import device_name


class Trials:
    """The runs in a result file. Runs under other settings are dropped as soon as a new one is added."""

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self.path, self.about = path, about
        kept = read_json(path) if path.exists() else {}
        self.runs: list[dict[str, Any]] = kept.get("runs", []) if kept.get("about") == about else []

    def has(self, **names: Any) -> bool:
        """Return whether a run with these names is kept."""
        return any(names.items() <= run.items() for run in self.runs)

    def keep(self, run: dict[str, Any]) -> None:
        """Add a run, with the device and the commit, and write the file."""
        self.runs.append(run | {"device": device_name(torch.device("cpu")), "commit": commit()})
        write_json(self.path, {"about": self.about, "versions": versions(), "runs": self.runs})
