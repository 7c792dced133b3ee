"""Averages of a model's weights: what is validated and kept is often better than where the last step ended."""

import copy
from pathlib import Path
from typing import Any

from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from lab.checkpoints import load, save
from lab.ranges import RecipeError
from lab.schedules import Training


class Average:
    """No average: the model as it is."""

    def __init__(self, model: nn.Module) -> None:
        self.model = model

    @property
    def module(self) -> nn.Module:
        """The model to validate and keep."""
        return self.model

    def stepped(self) -> None:
        """Take note of the weights after a step."""

    def closed(self, epoch: int, *, write: bool = True) -> None:
        """Take note of the weights after an epoch, counted from 1."""

    def kept(self, epoch: int) -> None:
        """Throw away what only an older checkpoint needs: that of so many epochs is written."""

    def state(self) -> Any:
        """Return what a checkpoint must hold."""
        return None

    def restore(self, state: Any, epoch: int) -> None:
        """Go on from a checkpoint that was made when so many epochs were done."""


class Moving(Average):
    """The exponential moving average over all steps: decay · average + (1 − decay) · weights."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        super().__init__(model)
        self.averaged = AveragedModel(model)
        self.move = get_ema_multi_avg_fn(decay)

    @property
    def module(self) -> nn.Module:
        return self.averaged.module

    def stepped(self) -> None:
        if self.averaged.n_averaged == 0:  # the weights after the first step are where it begins
            self.averaged.update_parameters(self.model)
            return
        # Not by update_parameters, which sends its counter to the device each time: the host waits for that.
        self.move(list(self.averaged.parameters()), list(self.model.parameters()), self.averaged.n_averaged)
        self.averaged.n_averaged += 1

    def state(self) -> Any:
        return self.averaged.state_dict()

    def restore(self, state: Any, epoch: int) -> None:
        self.averaged.load_state_dict(state)


class MeanOfLast(Average):
    """The mean of the weights after the last `count` epochs, as Vaswani et al. (2017), section 6.1, take checkpoints.

    They are files beside the other checkpoints: many copies of a large model do not fit into memory. Before the first
    epoch is done it is the model as it is.
    """

    def __init__(self, model: nn.Module, count: int, folder: Path) -> None:
        super().__init__(model)
        self.count, self.folder = count, folder / "epochs"
        self.mean: nn.Module | None = None

    @property
    def module(self) -> nn.Module:
        return self.model if self.mean is None else self.mean

    def file(self, epoch: int) -> Path:
        return self.folder / f"{epoch:04d}.pt"

    def closed(self, epoch: int, *, write: bool = True) -> None:
        if write:
            save(self.file(epoch), {name: weight.cpu() for name, weight in self.model.state_dict().items()})
            self.restore(None, epoch)

    def kept(self, epoch: int) -> None:
        self.file(epoch - self.count).unlink(missing_ok=True)

    def restore(self, state: Any, epoch: int) -> None:
        files = [self.file(number) for number in range(max(1, epoch - self.count + 1), epoch + 1)]
        if files:
            self.mean = self.mean or copy.deepcopy(self.model)
            self.mean.load_state_dict(mean(files))


def mean(files: list[Path]) -> dict[str, Tensor]:
    """Return the mean of the weights in the files; what is no real number is that of the last file."""
    last = load(files[-1])
    total = {name: weight.double() for name, weight in last.items() if weight.is_floating_point()}
    for file in files[:-1]:
        other = load(file)
        total = {name: weight + other[name] for name, weight in total.items()}
    return last | {name: (weight / len(files)).to(last[name].dtype) for name, weight in total.items()}


def average(model: nn.Module, training: Training, folder: Path) -> Average:
    """Return the average that a recipe asks for."""
    if training.ema and training.mean_of:
        raise RecipeError(
            f"one average at a time: expected ema = 0 or mean_of = 0, got ema = {training.ema:g} and "
            f"mean_of = {training.mean_of}. Set one of them to 0."
        )
    if training.mean_of:
        return MeanOfLast(model, training.mean_of, folder)
    return Moving(model, training.ema) if training.ema else Average(model)
