"""The progress of a training, and the bar that shows it: on a terminal and in a notebook, nowhere else."""

import math
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor
from tqdm import tqdm

EVERY = 1.0  # seconds between two looks at the loss: on a GPU each one waits for it
FORMAT = "{percentage:3.0f}%|{bar:10}| {desc}"


@dataclass
class Progress:
    """The progress of a training; all of it is in the checkpoint."""

    epoch: int = 0
    batch: int = 0  # batches of this epoch that are done
    batches: int = 0  # of so many
    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    best: float = -math.inf
    best_epoch: int = 0
    ended_by_budget: bool = False
    device: str = ""
    history: list[dict[str, Any]] = field(default_factory=list)

    @property
    def epochs(self) -> float:
        """The number of epochs done, with the share of the current one."""
        return self.epoch + (self.batch / self.batches if self.batches else 0.0)

    @property
    def spent(self) -> str:
        """The work done, in words: "3 epochs (62 s)"."""
        epochs = (
            "1 epoch" if self.epochs == 1 else f"{self.epochs:.2g} {'of an epoch' if self.epochs < 1 else 'epochs'}"
        )
        return f"{epochs} ({self.seconds:.{0 if self.seconds >= 10 else 1}f} s)"

    def best_of(self, metric: str) -> str:
        """Return the best score on validation, in words."""
        if not math.isfinite(self.best):
            return f"no validation {metric}: the time ended before one"
        return f"best validation {metric} {self.best:.2f} after epoch {self.best_epoch}"


class Bar:
    """The bar of one training: how much is done, loss, speed, and the time that is left."""

    def __init__(self, progress: Progress, steps: int, epochs: int, unit: str, quiet: bool) -> None:
        self.progress, self.epochs, self.unit = progress, epochs, unit
        self.first, self.tokens, self.started = progress.step, progress.tokens, time.monotonic()
        self.due = self.started
        place = None if quiet else drawn_on()
        self.bar = tqdm(
            total=steps, initial=progress.step, file=place, disable=place is None, leave=False, bar_format=FORMAT
        )

    def step(self, loss: Tensor, budget: float) -> None:
        """Show a step that was done; the training has `budget` seconds left, or fewer."""
        now = time.monotonic()
        if self.bar.disable or now < self.due:
            return
        self.due = now + EVERY
        steps, taken = self.progress.step - self.first, max(now - self.started, 1e-9)
        left = min(taken / steps * max(0, (self.bar.total or 0) - self.progress.step), max(0.0, budget))
        speed = (self.progress.tokens - self.tokens) / taken
        self.show(f"loss {loss.item():.3f}  {speed:.0f} {self.unit}/s  {tqdm.format_interval(left)} left")

    def show(self, text: str) -> None:
        """Show a text beside the bar."""
        if self.bar.disable:
            return
        self.bar.n = min(self.progress.step, self.bar.total)
        self.bar.set_description_str(f"epoch {min(self.progress.epoch + 1, self.epochs)}/{self.epochs}  {text}")

    def print(self, text: str) -> None:
        """Print a line above the bar."""
        self.bar.write(text, file=sys.stdout)
        sys.stdout.flush()

    def close(self) -> None:
        self.bar.close()


def drawn_on() -> Any:
    """Return the stream for a bar: stdout of a notebook, where stderr is for errors; stderr of a terminal; or None."""
    if is_in_notebook():
        return sys.stdout
    return sys.stderr if sys.stderr is not None and sys.stderr.isatty() else None


def is_in_notebook() -> bool:
    """Return whether a Jupyter kernel runs this, and shows its output at once."""
    if "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return shell is not None and "IPKernelApp" in shell.config
