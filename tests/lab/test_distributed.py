"""Tests of several processes: they end with the same parameters, those of one process with the whole batch."""

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks.gpu.small_models import small_models
from lab.train.distributed import Team
from tests.support import two_processes

ROOT = Path(__file__).resolve().parents[2]


def run(what: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Train in two processes that torchrun starts."""
    words = "-m torch.distributed.run --standalone --nproc-per-node 2 -m tests.support.two_processes".split()
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, *words, what, str(folder)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)


def test_the_parts_of_a_batch_are_the_batch() -> None:
    group = list(range(7))
    for size in (1, 2, 3, 9):
        parts = [Team(rank, size).part(group) for rank in range(size)]
        assert sorted(itertools.chain(*parts)) == group
        assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Train in two processes that torchrun starts; return what each ended with."""
    folder = tmp_path_factory.mktemp("team")
    done = run("every", folder)
    assert done.returncode == 0, done.stderr[-3000:]
    assert sorted(file.name for file in (folder / "plain" / "epochs").iterdir()) == ["0001.pt", "0002.pt"]
    return [torch.load(folder / f"rank{rank}.pt", weights_only=True) for rank in range(2)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "whole", "parts"])
def test_all_processes_end_with_the_same_parameters(ended: list[dict[str, Any]], name: str) -> None:
    first, second = (each[name]["weights"] for each in ended)
    assert all(torch.equal(first[key], second[key]) for key in first)
    assert ended[0][name]["losses"] == ended[1][name]["losses"]


@pytest.mark.slow
def test_two_processes_do_what_one_does_with_the_whole_batches(ended: list[dict[str, Any]], tmp_path: Path) -> None:
    alone = two_processes.trainer(tmp_path)
    alone.run()
    torch.testing.assert_close(ended[0]["plain"]["weights"], alone.model.state_dict(), rtol=1e-4, atol=1e-5)
    assert ended[0]["plain"]["losses"] == pytest.approx([entry["loss"] for entry in alone.progress.history], rel=1e-5)


@pytest.mark.slow
def test_a_training_of_two_that_was_stopped_ends_with_the_very_same_parameters(ended: list[dict[str, Any]]) -> None:
    whole, parts = (ended[0][name]["weights"] for name in ("whole", "parts"))
    assert all(torch.equal(whole[key], parts[key]) for key in whole)


@pytest.mark.slow
@pytest.mark.parametrize("name", small_models())
def test_two_processes_learn_as_one_does_whatever_the_model(
    ended: list[dict[str, Any]], name: str, tmp_path: Path
) -> None:
    alone = small_models()[name].trainer(tmp_path, torch.device("cpu"))
    alone.run()
    losses = [entry["loss"] for entry in alone.progress.history]
    assert ended[0][name]["losses"] == ended[1][name]["losses"] == pytest.approx(losses, rel=1e-4)


@pytest.mark.slow
def test_a_process_that_is_killed_ends_the_run_with_a_sentence_and_the_next_goes_on(tmp_path: Path) -> None:
    """Rank 1 is killed after the first epoch; the same command then ends where an undisturbed training ends."""
    first = run("killed", tmp_path / "run")
    assert first.returncode != 0
    assert "process 0 of 2 has lost another one" in first.stderr
    assert "the same command continues from the last checkpoint" in first.stderr
    second = run("one", tmp_path / "run")
    assert second.returncode == 0, second.stderr[-3000:]
    undisturbed = run("one", tmp_path / "whole")
    assert undisturbed.returncode == 0, undisturbed.stderr[-3000:]
    params = [torch.load(tmp_path / name / "last.pt", weights_only=True)["model"] for name in ("run", "whole")]
    torch.testing.assert_close(*params, rtol=0, atol=0)
