"""Tests of what a training shows of itself: divergence stops it with its batch."""

from pathlib import Path

import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch import Tensor, nn

from benchmarks.gpu.small_models import small_models
from lab.batches import Batch
from lab.checkpoints import load
from lab.diagnosis import Diverged
from lab.training import Trainer

CPU = torch.device("cpu")
MODELS = small_models(epochs=1)


def running(folder: Path, **more) -> Trainer:
    return MODELS["transformer"].trainer(folder, CPU, **more)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
@pytest.mark.parametrize("due", [0.0, float("inf")], ids=["looked at often", "looked at once"])
def test_a_training_that_diverges_stops_and_keeps_the_batch(
    tmp_path: Path, bad: float, due: float, monkeypatch
) -> None:
    made = running(tmp_path)
    groups, whole = made.task.groups(made.epoch_seed(0)), made.task.loss
    assert len(groups) > 3

    third = made.task.collate(groups[2])

    def loss(model: nn.Module, batch: Batch, device: torch.device) -> Tensor:
        value = whole(model, batch, device)
        return value * bad if torch.equal(batch.targets, third.targets) else value

    monkeypatch.setattr(made.task, "loss", loss)
    monkeypatch.setattr("lab.diagnosis.EVERY", due)
    made.watch.due = due
    with pytest.raises(Diverged, match=r"diverged at step 3: loss .*learning rate about .*Try a lower --rate"):
        made.run()
    kept = load(tmp_path / "diverged.pt")
    assert (kept["step"], [tuple(pair) for pair in kept["batch"]]) == (3, [tuple(pair) for pair in groups[2]])
    assert not (tmp_path / "last.pt").exists()


def test_the_curves_have_all_that_a_training_is_judged_by(tmp_path: Path) -> None:
    made = running(tmp_path)
    made.quiet = False
    made.run()
    read = EventAccumulator(str(tmp_path / "tensorboard"))
    read.Reload()
    assert set(read.Tags()["scalars"]) == {
        *("loss", "validation", "rate", "gradient_norm"),
        *("speed", "padding"),  # and the memory of a GPU
    }
    cells = sum(len(g) * max(len(target) + 1 for _, target in g) for g in made.task.groups(made.epoch_seed(0)))
    assert read.Scalars("padding")[0].value == pytest.approx(1 - made.progress.tokens / cells, abs=1e-6)
