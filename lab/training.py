"""One training loop for every recipe: it resumes exactly, keeps the best on validation, and stops on time."""

import math
import platform
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from tqdm import tqdm

from lab.batches import Example, bucketed, collate
from lab.checkpoints import CheckpointError, load, save
from lab.text import PAD

Loss = Callable[[Tensor, Tensor], Tensor]  # (scores (real, vocabulary), targets (real,)) -> scalar
Validate = Callable[[nn.Module], float]  # higher is better


@dataclass(frozen=True)
class Training:
    """How a model is trained; a part of every recipe."""

    tokens: int = 2000  # target tokens in a batch
    epochs: int = 10
    rate: float = 1e-3  # highest learning rate of AdamW
    warmup: float = 0.05  # share of all steps in which the rate rises
    halve_after: int = 0  # epochs after which the rate is halved every epoch; 0 = half a cosine down to nothing
    weight_decay: float = 1e-4
    clip: float = 1.0  # largest norm of the gradient
    smoothing: float = 0.0  # label smoothing
    ema: float = 0.0  # decay of the exponential moving average of the weights; 0 = none
    precision: Literal["auto", "fp32", "bf16"] = "auto"  # auto: bf16 where the machine multiplies it natively


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


def seed_all(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def best_device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def device_name(device: torch.device) -> str:
    """Return what computes, in words: the GPU's name, or the CPU's threads."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{platform.machine()} CPU, {torch.get_num_threads()} thread(s)"


def uses_bf16(precision: str, device: torch.device) -> bool:
    """Return whether to compute in bfloat16: as asked, or by `auto` where the hardware does it natively."""
    if precision != "auto":
        return precision == "bf16"
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


def rate_at(step: int, steps: int, training: Training) -> float:
    """Return the learning rate of a step: a straight rise, then half a cosine down to nothing (ours).

    With `halve_after`, constant for so many epochs, then half as high in each: Luong et al. (2015), section 4.1.
    """
    rise = max(1, round(training.warmup * steps))
    if step < rise:
        return training.rate * (step + 1) / rise
    if training.halve_after:
        epoch = step * training.epochs // steps
        return training.rate * 0.5 ** max(0, epoch - training.halve_after + 1)
    return training.rate * 0.5 * (1 + math.cos(math.pi * min(1.0, (step - rise) / max(1, steps - rise))))


@dataclass
class Trainer:
    """Trains one model in `folder`: `last.pt` to go on from, `best.pt` (the best on validation) to use."""

    model: nn.Module
    examples: Sequence[Example]
    training: Training
    folder: Path
    seed: int = 1
    validate: Validate | None = None
    about: dict[str, Any] = field(default_factory=dict)  # goes into the checkpoints; a resume must have the same
    loss: Loss | None = None  # by default cross-entropy with the recipe's label smoothing
    device: torch.device = field(default_factory=best_device)
    minutes: float | None = None  # time budget
    quiet: bool = False

    def __post_init__(self) -> None:
        training = self.training
        self.model.to(self.device)
        self.loss_function = self.loss or nn.CrossEntropyLoss(label_smoothing=training.smoothing)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), training.rate, betas=(0.9, 0.98), weight_decay=training.weight_decay, fused=True
        )
        average = get_ema_multi_avg_fn(training.ema)
        self.average = AveragedModel(self.model, multi_avg_fn=average) if training.ema else None
        self.bf16 = uses_bf16(training.precision, self.device)
        self.progress = Progress()
        first = bucketed(self.examples, training.tokens, seed=self.epoch_seed(0))
        self.steps = training.epochs * sum(1 for _ in first)

    def epoch_seed(self, epoch: int) -> int:
        return self.seed * 100_003 + epoch

    @property
    def result(self) -> nn.Module:
        """The model to evaluate: the averaged one where the recipe averages."""
        return self.average.module if self.average is not None else self.model

    def run(self) -> Progress:
        """Train to the end of the last epoch, or of the time budget, from wherever `last.pt` stands."""
        self.resume()
        started, before = time.monotonic(), self.progress.seconds
        deadline = started + 60 * self.minutes if self.minutes is not None else math.inf
        self.progress.ended_by_budget = False
        self.progress.device = device_name(self.device)
        writer = self.curves()
        while self.progress.epoch < self.training.epochs and not self.progress.ended_by_budget:
            losses = self.epoch(started - before, deadline)
            self.progress.seconds = before + time.monotonic() - started
            self.close_epoch(losses, writer)
            self.keep()
        if writer is not None:
            writer.close()
        return self.progress

    def epoch(self, started: float, deadline: float) -> list[Tensor]:
        """Train on what is left of this epoch; return the losses per token of its steps."""
        self.model.train()
        progress, losses = self.progress, []
        groups = list(bucketed(self.examples, self.training.tokens, seed=self.epoch_seed(progress.epoch)))
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
            if now > deadline:
                progress.ended_by_budget = progress.batch < len(groups) or progress.epoch + 1 < self.training.epochs
                break
            if now - saved > 120:
                progress.seconds, saved = now - started, now
                self.keep()
        bar.close()
        return losses

    def step(self, group: list[Example]) -> Tensor:
        """Take one step of the optimiser; return the loss per token."""
        batch = collate(group)
        real = batch.targets != PAD
        self.progress.tokens += int(real.sum())
        batch, real = batch.to(self.device), real.to(self.device)
        for parameters in self.optimizer.param_groups:
            parameters["lr"] = rate_at(self.progress.step, self.steps, self.training)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
            scores = self.model(batch.source, batch.mask, batch.inputs, real)
            loss = self.loss_function(scores, batch.targets[real])
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.training.clip)
        self.optimizer.step()
        if self.average is not None:
            self.average.update_parameters(self.model)
        self.progress.step += 1
        return loss.detach()

    def close_epoch(self, losses: list[Tensor], writer: Any) -> None:
        """Validate, keep the best, and say how it went."""
        progress = self.progress
        score = math.nan
        if self.validate is not None:
            self.result.eval()
            with torch.no_grad():
                score = self.validate(self.result)
        loss = torch.stack(losses).mean().item() if losses else math.nan
        if not progress.ended_by_budget:
            progress.epoch, progress.batch = progress.epoch + 1, 0
        entry = {"epoch": progress.epoch, "loss": loss, "validation": score, "seconds": progress.seconds}
        progress.history.append(entry)
        if self.validate is None or score > progress.best:
            progress.best_epoch = progress.epoch
            progress.best = progress.best if self.validate is None else score
            self.keep_best()
        if writer is not None:
            writer.add_scalar("loss", loss, progress.step)
            writer.add_scalar("validation", score, progress.step)
            writer.add_scalar("rate", rate_at(progress.step, self.steps, self.training), progress.step)
        if not self.quiet:
            speed = progress.tokens / max(progress.seconds, 1e-9)
            print(
                f"epoch {progress.epoch:3d}  loss {loss:.3f}  validation {score:.2f}  "
                f"{progress.seconds:.0f} s  {speed:.0f} target tokens/s",
                flush=True,
            )

    def curves(self) -> Any:
        """Return a TensorBoard writer for this run, or None where the reader asked for quiet."""
        if self.quiet:
            return None
        from torch.utils.tensorboard import SummaryWriter

        return SummaryWriter(str(self.folder / "tensorboard"), purge_step=self.progress.step)

    def keep_best(self) -> None:
        weights = {name: tensor.cpu() for name, tensor in self.result.state_dict().items()}
        save(self.folder / "best.pt", {**self.about, "weights": weights, "progress": asdict(self.progress)})

    def keep(self) -> None:
        """Write all that an exact resume needs."""
        cuda = torch.cuda.get_rng_state_all() if self.device.type == "cuda" else []
        state = {
            "about": self.about,
            "seed": self.seed,
            "progress": asdict(self.progress),
            "model": self.model.state_dict(),
            "average": self.average.state_dict() if self.average is not None else None,
            "optimizer": self.optimizer.state_dict(),
            "random": {"torch": torch.get_rng_state(), "cuda": cuda},
        }
        save(self.folder / "last.pt", state)

    def resume(self) -> None:
        """Go on from `last.pt`, if there is one; one of another training is an error."""
        path = self.folder / "last.pt"
        if not path.exists():
            return
        state = load(path)
        if state.get("about") != self.about or state.get("seed") != self.seed:
            kept = {**state.get("about", {}), "seed": state.get("seed")}
            differing = [
                key for key in ("seed", *self.about) if kept.get(key) != {**self.about, "seed": self.seed}[key]
            ]
            raise CheckpointError(
                f"{path} belongs to another training: it differs in {', '.join(differing) or 'what it keeps'}. "
                "Give this one a --variant of its own, or start over with --fresh."
            )
        self.progress = Progress(**state["progress"])
        self.model.load_state_dict(state["model"])
        if self.average is not None:
            self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["random"]["torch"])
        if state["random"]["cuda"]:
            torch.cuda.set_rng_state_all(state["random"]["cuda"])
        if not self.quiet:
            print(f"going on from epoch {self.progress.epoch}, step {self.progress.step} ({path})", flush=True)
