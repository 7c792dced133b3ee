"""One training loop for every recipe: it resumes exactly, keeps the best on validation, and stops on time."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn
from tqdm import tqdm

from lab import team
from lab.averages import average
from lab.checkpoints import load, same_training, save
from lab.devices import best_device, device_name, get_chance, seed_all, set_chance, uses_bf16
from lab.schedules import Rate, Training, rate_at

__all__ = ["Progress", "Task", "Trainer", "Training", "best_device", "device_name", "rate_at", "seed_all"]

Validate = Callable[[nn.Module], float]  # higher is better


@runtime_checkable
class Task(Protocol):
    """What a model is trained on: the batches of an epoch, and the loss of one of them."""

    unit: str  # what `loss` counts: "target tokens"

    def groups(self, seed: int) -> Sequence[Any]:
        """Return the examples of one epoch in groups, a batch each; the same seed gives the same."""
        ...

    def loss(self, model: nn.Module, group: Any, device: torch.device) -> tuple[Tensor, int]:
        """Return the loss of a group (a scalar), and how many units it has."""
        ...


@dataclass
class Progress:
    """Where a training stands; all of it is in the checkpoint."""

    epoch: int = 0
    batch: int = 0  # batches of this epoch that are done
    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    best: float = -math.inf
    best_epoch: int = 0
    ended_by_budget: bool = False
    device: str = ""
    history: list[dict[str, Any]] = field(default_factory=list)


class Objective(nn.Module):
    """The loss of a model on a batch, as one module: gradients of several processes meet in its parameters."""

    def __init__(self, model: nn.Module, task: Task) -> None:
        super().__init__()
        self.model, self.task = model, task

    def forward(self, group: Any, device: torch.device) -> tuple[Tensor, int]:
        return self.task.loss(self.model, group, device)


@dataclass
class Trainer:
    """Trains one model in `folder`: `last.pt` to go on from, `best.pt` (the best on validation) to use.

    Under torchrun each process takes a part of every batch: lab.team.
    """

    model: nn.Module
    task: Task
    training: Training
    folder: Path
    seed: int = 1
    validate: Validate | None = None
    about: dict[str, Any] = field(default_factory=dict)  # goes into the checkpoints; a resume must have the same
    device: torch.device = field(default_factory=best_device)
    minutes: float | None = None  # time budget
    rate: Rate | None = None  # by default the recipe's: lab.schedules.rate_at
    compiled: bool = False  # by torch.compile
    quiet: bool = False

    def __post_init__(self) -> None:
        training = self.training
        self.team = team.here()
        self.quiet = self.quiet or not self.team.leads
        self.model.to(self.device)
        if self.compiled:
            self.model.compile(dynamic=True)
        self.objective = self.team.joined(Objective(self.model, self.task))
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), training.rate, betas=(0.9, 0.98), weight_decay=training.weight_decay, fused=True
        )
        self.average = average(self.model, training, self.folder)
        self.bf16 = uses_bf16(training.precision, self.device)
        self.progress = Progress()
        self.steps = training.epochs * len(self.task.groups(self.epoch_seed(0)))
        self.rate_of = self.rate or partial(rate_at, training=training)
        if not self.team.leads:  # dropout of its own; the weights are those of the leading process
            torch.manual_seed(self.seed * 1_000_003 + self.team.rank)

    def epoch_seed(self, epoch: int) -> int:
        return self.seed * 100_003 + epoch

    @property
    def result(self) -> nn.Module:
        """The model to evaluate: the averaged one where the recipe averages."""
        return self.average.module

    def run(self) -> Progress:
        """Train to the end of the last epoch, or of the time budget, from wherever `last.pt` stands."""
        self.resume()
        started, before = time.monotonic(), self.progress.seconds
        deadline = started + 60 * self.minutes if self.minutes is not None else math.inf
        self.progress.ended_by_budget = False
        self.progress.device = device_name(self.device) + (f" × {self.team.size}" if self.team.size > 1 else "")
        writer = self.curves()
        while self.progress.epoch < self.training.epochs and not self.progress.ended_by_budget:
            losses = self.epoch(started - before, deadline)
            self.progress.seconds = before + time.monotonic() - started
            self.close_epoch(losses, writer)
            self.keep()
        if writer is not None:
            writer.close()
        self.team.collected(None)  # nobody reads a checkpoint before it is written
        return self.progress

    def epoch(self, started: float, deadline: float) -> list[Tensor]:
        """Train on what is left of this epoch; return the losses of its steps."""
        self.model.train()
        progress, losses = self.progress, []
        groups = self.task.groups(self.epoch_seed(progress.epoch))
        bar = tqdm(
            groups[progress.batch :],
            desc=f"epoch {progress.epoch + 1}/{self.training.epochs}",
            initial=progress.batch,
            total=len(groups),
            leave=False,
            disable=True if self.quiet else None,  # None: shown on a terminal only
        )
        saved = time.monotonic()
        for group in bar:
            losses.append(self.step(group))
            progress.batch += 1
            now = time.monotonic()
            if progress.batch % 20 == 0:
                bar.set_postfix(loss=f"{losses[-1].item():.3f}")
            over, due = self.team.sums(now > deadline, now - saved > 120, device=self.device)
            if over:
                progress.ended_by_budget = True
                break
            if due:
                progress.seconds, saved = now - started, now
                self.keep()
        bar.close()
        if progress.batch == len(groups):
            progress.epoch, progress.batch = progress.epoch + 1, 0
            progress.ended_by_budget &= progress.epoch < self.training.epochs
            self.average.closed(progress.epoch, write=self.team.leads)
        return losses

    def step(self, group: Any) -> Tensor:
        """Take one step of the optimiser; return the loss."""
        for parameters in self.optimizer.param_groups:
            parameters["lr"] = self.rate_of(self.progress.step, self.steps)
        part = self.team.part(group)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
            loss, units = self.objective(part if len(part) else group[:1], self.device)
        units = units if len(part) else 0
        (every,) = self.team.sums(units, device=self.device)
        # The mean over the processes of this is the mean over the units of the whole batch; alone, the factor is 1.
        loss = loss * (self.team.size * units / every)
        self.progress.tokens += int(every)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.training.clip)
        self.optimizer.step()
        self.average.stepped()
        self.progress.step += 1
        return self.team.summed(loss.detach()) / self.team.size

    def close_epoch(self, losses: list[Tensor], writer: Any) -> None:
        """Validate, keep the best, and say how it went."""
        progress = self.progress
        score = self.team.told(self.validated())
        loss = torch.stack(losses).mean().item() if losses else math.nan
        entry = {"epoch": progress.epoch, "loss": loss, "validation": score, "seconds": progress.seconds}
        progress.history.append(entry)
        if self.validate is None or score > progress.best:
            progress.best_epoch = progress.epoch
            progress.best = progress.best if self.validate is None else score
            self.keep_best()
        if writer is not None:
            writer.add_scalar("loss", loss, progress.step)
            writer.add_scalar("validation", score, progress.step)
            writer.add_scalar("rate", self.rate_of(progress.step, self.steps), progress.step)
        if not self.quiet:
            speed = progress.tokens / max(progress.seconds, 1e-9)
            print(
                f"epoch {progress.epoch:3d}  loss {loss:.3f}  validation {score:.2f}  "
                f"{progress.seconds:.0f} s  {speed:.0f} {self.task.unit}/s",
                flush=True,
            )

    def validated(self) -> float:
        """Return the score on validation; only the leading process computes it."""
        if self.validate is None or not self.team.leads:
            return math.nan
        self.result.eval()
        with torch.no_grad():
            return self.validate(self.result)

    def curves(self) -> Any:
        """Return a TensorBoard writer for this run, or None where the reader asked for quiet."""
        if self.quiet:
            return None
        from torch.utils.tensorboard import SummaryWriter

        return SummaryWriter(str(self.folder / "tensorboard"), purge_step=self.progress.step)

    def keep_best(self) -> None:
        if self.team.leads:
            weights = {name: tensor.cpu() for name, tensor in self.result.state_dict().items()}
            save(self.folder / "best.pt", {**self.about, "weights": weights, "progress": asdict(self.progress)})

    def keep(self) -> None:
        """Write all that an exact resume needs, of all processes."""
        chance = self.team.collected(get_chance(self.device))
        state = {
            "about": self.about,
            "seed": self.seed,
            "progress": asdict(self.progress),
            "model": self.model.state_dict(),
            "average": self.average.state(),
            "optimizer": self.optimizer.state_dict(),
            "random": chance,
        }
        if self.team.leads:
            save(self.folder / "last.pt", state)
            self.average.kept(self.progress.epoch)

    def resume(self) -> None:
        """Go on from `last.pt`, if there is one; one of another training is an error."""
        path = self.folder / "last.pt"
        if not path.exists():
            return
        state = load(path)
        same_training(path, state, self.about, self.seed)
        self.progress = Progress(**state["progress"])
        self.model.load_state_dict(state["model"])
        self.average.restore(state["average"], self.progress.epoch)
        self.optimizer.load_state_dict(state["optimizer"])
        if self.team.rank < len(state["random"]):  # exact with as many processes as before
            set_chance(state["random"][self.team.rank], self.device)
        if not self.quiet:
            print(f"going on from epoch {self.progress.epoch}, step {self.progress.step} ({path})", flush=True)
