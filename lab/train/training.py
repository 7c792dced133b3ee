"""One training loop for every recipe: it resumes exactly, keeps the best on validation, and stops on time."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lab.show.diagnosis import Watch
from lab.train import distributed
from lab.train.budget import Budget, OutOfTime
from lab.train.checkpoints import load, same_training, save
from lab.train.cuda_graphs import is_recordable
from lab.train.devices import best_device, device_name, get_rng_state, seed_all, set_rng_state, should_use_bf16
from lab.train.gradients import Gradient, Objective, Task
from lab.train.progress import Bar, Progress
from lab.train.schedules import Rate, Training, rate_at
from lab.train.weight_averaging import Average

__all__ = ["Progress", "Task", "Trainer", "Training", "best_device", "device_name", "rate_at", "seed_all"]

Validate = Callable[[nn.Module], float]  # higher is better; OutOfTime if the budget ends it
FIRST_VALIDATION = 60.0  # seconds kept free at most, as long as none has been timed


@dataclass
class Trainer:
    """Trains one model in `folder`: `last.pt` to go on from, `best.pt` (the best on validation) to use.

    Under torchrun each process takes a part of every batch: lab.train.distributed.
    """

    model: nn.Module
    task: Task
    training: Training
    folder: Path
    seed: int = 1
    validate: Validate | None = None
    about: dict[str, Any] = field(default_factory=dict)  # goes into the checkpoints; a resume must have the same
    device: torch.device = field(default_factory=best_device)
    minutes: int | float | Budget | None = None  # time budget, from now on; a Budget has begun when it was made
    rate: Rate | None = None  # by default the recipe's: lab.train.schedules.rate_at
    recorded: bool = True  # in CUDA graphs, where a model can be
    micro_tokens: int = 0  # a batch is taken in pieces of about so many tokens, with the same gradient; 0 = whole
    quiet: bool = False
    keep_on_interrupt: bool = False  # Ctrl-C, or ■ in a notebook, ends the training as its budget does

    def __post_init__(self) -> None:
        training = self.training
        self.team = distributed.here()
        self.quiet = self.quiet or not self.team.is_main
        self.model.to(self.device)
        self.objective = self.team.joined(Objective(self.model, self.task))
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), training.rate, betas=(0.9, 0.98), weight_decay=training.weight_decay, fused=True
        )
        self.average = Average(self.model, training, self.folder)
        bf16 = should_use_bf16(
            training.precision, self.device, sum(weight.numel() for weight in self.model.parameters())
        )
        self.gradient = Gradient(
            self.objective,
            self.task,
            self.team,
            self.device,
            bf16,
            training.tokens,
            self.micro_tokens,
            self.recorded and self.team.size == 1 and is_recordable(self.model, self.device, bf16),
        )
        self.progress, self.watch = Progress(), Watch()
        self.budget = self.minutes if isinstance(self.minutes, Budget) else Budget.of(self.minutes)
        first = FIRST_VALIDATION if self.validate else 0.0
        self.reserve = min(first, self.budget.seconds / 10)  # seconds that are kept for validating and writing
        self.steps = training.epochs * len(self.task.groups(self.epoch_seed(0)))
        self.interrupted = False
        self.rate_of = self.rate or partial(rate_at, training=training)
        if not self.team.is_main:  # dropout of its own; the parameters are those of rank 0
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
        started, progress = time.monotonic() - self.progress.seconds, self.progress
        progress.ended_by_budget = False
        progress.device = device_name(self.device) + (f" × {self.team.size}" if self.team.size > 1 else "")
        with closing(Bar(progress, self.steps, self.training.epochs, self.task.unit, self.quiet)) as bar:
            while progress.epoch < self.training.epochs and not progress.ended_by_budget:
                self.epoch(started, bar)
                before = time.monotonic()
                progress.seconds = before - started
                bar.show("validating")
                self.close_epoch(bar)
                self.keep()
                # The next validation may take a little longer than this one; half the time is for training.
                self.reserve = min(1.25 * (time.monotonic() - before), self.budget.seconds / 2)
                progress.ended_by_budget |= progress.epoch < self.training.epochs and self.any_process(self.is_late)[0]
        if progress.ended_by_budget and not self.quiet:
            done = f"{progress.epochs:.2g} of {self.training.epochs} epochs"
            by = "by you" if self.interrupted else f"by the time budget of {self.budget.description}"
            more = "" if self.interrupted else "; with more minutes, or less other work beside it, it gets further"
            print(f"ended {by}, after {done}{more}", flush=True)
        self.team.collected(None)  # nobody reads a checkpoint before it is written
        return progress

    def any_process(self, *truths: bool) -> list[bool]:
        """Return for each truth whether it holds in any process of the team."""
        return [count > 0 for count in self.team.sums(*truths)]

    @property
    def is_late(self) -> bool:
        """Return whether only the time to validate is left to this process."""
        return self.budget.left < self.reserve

    def epoch(self, started: float, bar: Bar) -> None:
        """Train on what is left of this epoch."""
        self.model.train()
        self.watch.begin()
        progress = self.progress
        with self.interruptible():
            self.take_steps(started, bar)
        if progress.batch == progress.batches and not self.interrupted:
            progress.epoch, progress.batch = progress.epoch + 1, 0
            progress.ended_by_budget &= progress.epoch < self.training.epochs
            self.average.closed(progress.epoch, write=self.team.is_main)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Let an interrupt end the training, where that is asked for."""
        try:
            yield
        except KeyboardInterrupt:
            if not self.keep_on_interrupt:
                raise
            self.progress.ended_by_budget = self.interrupted = True

    def take_steps(self, started: float, bar: Bar) -> None:
        """Take the remaining steps of this epoch, as far as there is time."""
        progress, saved = self.progress, time.monotonic()
        groups = self.task.groups(self.epoch_seed(progress.epoch))
        progress.batches = len(groups)
        for group in groups[progress.batch :]:
            loss = self.step(group)
            progress.batch += 1
            now = time.monotonic()
            bar.step(loss, self.budget.left)
            is_over, must_save = self.any_process(self.is_late, now - saved > 120)
            if self.watch.is_due() or is_over or must_save or progress.batch == progress.batches:
                self.watch.look(progress.step, self.optimizer.param_groups[0]["lr"])
            if is_over:
                progress.ended_by_budget = True
                break
            if must_save and progress.batch < progress.batches:
                progress.seconds, saved = now - started, now
                self.keep()

    def step(self, group: Any) -> Tensor:
        """Take one step of the optimiser on a batch of examples; return the loss."""
        rate = self.rate_of(self.progress.step, self.steps)
        try:
            rate = float(rate)
        except (TypeError, ValueError):
            raise TypeError(
                f"expected a number as the learning rate of step {self.progress.step + 1}, got {rate!r}"
            ) from None
        for parameters in self.optimizer.param_groups:
            parameters["lr"] = rate
        loss = self.gradient(group)
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.training.clip)
        self.optimizer.step()
        self.average.stepped()
        self.progress.tokens += self.task.units(group)
        self.progress.step += 1
        self.watch.note(loss, norm)
        return loss

    def close_epoch(self, bar: Bar) -> None:
        """Validate, keep the best, and say how it went."""
        progress = self.progress
        score = self.team.from_main(self.validated())
        loss = torch.stack(self.watch.losses).mean().item() if self.watch.losses else math.nan
        entry = {"epoch": progress.epoch, "loss": loss, "validation": score, "seconds": progress.seconds}
        progress.history.append(entry)
        if score > progress.best or progress.best == -math.inf:  # without any score: the newest
            progress.best_epoch = progress.epoch
            progress.best = progress.best if math.isnan(score) else score
            self.keep_best()
        speed = progress.tokens / max(progress.seconds, 1e-9)
        if not self.quiet:
            validation = "no time to validate" if math.isnan(score) else f"validation {score:.2f}"
            bar.print(
                f"epoch {progress.epochs:4.2g}  loss {loss:.3f}  {validation}  "
                f"{progress.seconds:.0f} s  {speed:.0f} {self.task.unit}/s"
            )

    def validated(self) -> float:
        """Return the score on validation, nan if there is no time for one; only rank 0 computes it."""
        if self.validate is None or not self.team.is_main or self.interrupted:
            return math.nan
        self.result.eval()
        with suppress(OutOfTime), self.interruptible(), torch.no_grad():
            return self.validate(self.result)
        return math.nan

    def keep_best(self) -> None:
        if self.team.is_main:
            params = {name: tensor.cpu() for name, tensor in self.result.state_dict().items()}
            save(self.folder / "best.pt", {**self.about, "weights": params, "progress": asdict(self.progress)})

    def keep(self) -> None:
        """Write all that an exact resume needs, from all processes."""
        random = self.team.collected(get_rng_state(self.device))
        state = {
            "about": self.about,
            "seed": self.seed,
            "progress": asdict(self.progress),
            "model": self.model.state_dict(),
            "average": self.average.state(),
            "optimizer": self.optimizer.state_dict(),
            "random": random,
        }
        if self.team.is_main:
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
            set_rng_state(state["random"][self.team.rank], self.device)
        if not self.quiet:
            print(f"going on from epoch {self.progress.epoch}, step {self.progress.step} ({path})", flush=True)
