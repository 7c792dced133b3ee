"""Fixtures of the command lines."""

from pathlib import Path

import pytest

from lab.evaluation import result_files
from lab.kinds import runs


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place of its own for runs and results."""
    monkeypatch.setattr(runs, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(result_files, "ROOT", tmp_path)
    return tmp_path
