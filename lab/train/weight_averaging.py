"""Averages of a model's parameters: often better than the parameters after the last step."""

from pathlib import Path
from typing import Any

from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from lab.kinds.ranges import RecipeError
from lab.train.checkpoints import load, save
from lab.train.schedules import Training


class Average:
    """The model to validate and keep: itself, or the average that its recipe asks for.

    `ema`: decay · average + (1 − decay) · parameters, after each step. `mean_of`: the mean of the parameters after
    so many last epochs, as Vaswani et al. (2017), section 6.1, take checkpoints. Those are files beside the other
    checkpoints: many copies of a large model do not fit into memory.
    """

    def __init__(self, model: nn.Module, training: Training, folder: Path) -> None:
        if training.ema and training.mean_of:
            raise RecipeError(
                f"one average at a time: expected ema = 0 or mean_of = 0, got ema = {training.ema:g} and "
                f"mean_of = {training.mean_of}. Set one of them to 0."
            )
        self.model, self.ema, self.count, self.folder = model, training.ema, training.mean_of, folder / "epochs"
        self.averaged = AveragedModel(model) if self.ema or self.count else None

    @property
    def module(self) -> nn.Module:
        """The model to validate and keep; without an average, or before there is one, the model itself."""
        return self.model if self.averaged is None or not self.averaged.n_averaged else self.averaged.module

    def stepped(self) -> None:
        """Take note of the parameters after a step."""
        if self.averaged is None or not self.ema:
            return
        if not self.averaged.n_averaged:  # the parameters after the first step are where it begins
            self.averaged.update_parameters(self.model)
            return
        # Not by update_parameters, which sends its counter to the device each time: the host waits for that.
        move = get_ema_multi_avg_fn(self.ema)
        move(list(self.averaged.parameters()), list(self.model.parameters()), self.averaged.n_averaged)
        self.averaged.n_averaged += 1

    def file(self, epoch: int) -> Path:
        return self.folder / f"{epoch:04d}.pt"

    def closed(self, epoch: int, *, write: bool = True) -> None:
        """Take note of the parameters after an epoch, counted from 1."""
        if self.count and write:
            save(self.file(epoch), {name: weight.cpu() for name, weight in self.model.state_dict().items()})
            self.restore(None, epoch)

    def kept(self, epoch: int) -> None:
        """Throw away the files that only checkpoints before this epoch need."""
        if self.count:
            self.file(epoch - self.count).unlink(missing_ok=True)

    def state(self) -> Any:
        """Return the average's part of a checkpoint."""
        return self.averaged.state_dict() if self.averaged is not None and self.ema else None

    def restore(self, state: Any, epoch: int) -> None:
        """Resume from a checkpoint that was made when so many epochs were done."""
        if self.averaged is None:
            return
        files = [self.file(number) for number in range(max(1, epoch - self.count + 1), epoch + 1)]
        if self.ema:
            self.averaged.load_state_dict(state)
        elif files:
            self.averaged.module.load_state_dict(mean(files))
            self.averaged.n_averaged.fill_(len(files))


def mean(files: list[Path]) -> dict[str, Tensor]:
    """Return the mean of the parameters in the files; of integers, the last file's values."""
    last = load(files[-1])
    total = {name: weight.double() for name, weight in last.items() if weight.is_floating_point()}
    for file in files[:-1]:
        other = load(file)
        total = {name: weight + other[name] for name, weight in total.items()}
    return last | {name: (weight / len(files)).to(last[name].dtype) for name, weight in total.items()}
