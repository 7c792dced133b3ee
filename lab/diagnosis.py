"""What a training shows of itself: where it diverges, where its time goes, its curves."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lab.checkpoints import save
from lab.progress import EVERY
from lab.ranges import RecipeError

DEAREST = 5  # operations that are printed
WARM_UP = 3  # steps before the ones that are profiled


class Diverged(RecipeError):
    """A loss or a gradient that is no finite number any more; the message says where, and what to try."""


@dataclass
class Watch:
    """Looks at losses and gradient norms once in a while: on a GPU each look waits for the steps before it."""

    folder: Path
    losses: list[Tensor] = field(default_factory=list)  # of this epoch, since it was begun or resumed
    norms: list[Tensor] = field(default_factory=list)
    unseen: list[Any] = field(default_factory=list)  # the examples of those that nobody has looked at
    due: float = 0.0

    def note(self, loss: Tensor, norm: Tensor, examples: Any) -> None:
        """Keep a step's loss and norm, without looking at them, and its examples until then."""
        self.losses.append(loss)
        self.norms.append(norm)
        self.unseen.append(examples)

    def begin(self) -> None:
        """Forget the last epoch."""
        self.losses, self.norms, self.unseen = [], [], []

    def is_due(self) -> bool:
        """Return whether a second has passed since the last look."""
        return time.monotonic() >= self.due

    def look(self, step: int, rate: float) -> None:
        """Raise Diverged if one of the last steps has no finite loss or norm, with its batch in diverged.pt.

        `step` steps are done, the last with this learning rate.
        """
        unseen, self.unseen, self.due = self.unseen, [], time.monotonic() + EVERY
        if not unseen:
            return
        losses, norms = ([t.float() for t in every[-len(unseen) :]] for every in (self.losses, self.norms))
        both = torch.stack([torch.stack(losses), torch.stack(norms)]).cpu()
        bad = (~both.isfinite().all(dim=0)).nonzero()
        if not len(bad):
            return
        place = int(bad[0])
        loss, norm = both[:, place].tolist()
        path = self.folder / "diverged.pt"
        at = step - len(unseen) + 1 + place
        kept = {"step": at, "rate": rate, "loss": loss, "gradient_norm": norm, "batch": unseen[place]}
        save(path, kept)
        raise Diverged(
            f"the training diverged at step {kept['step']}: loss {loss:g}, gradient norm {norm:g}, learning rate about "
            f"{rate:.2g}. Its batch is in {path}; last.pt is older, and was finite. Try a lower --rate, a longer "
            "--warmup, or --precision fp32 if it was bf16"
        )


@contextmanager
def profiled(steps: int, folder: Path) -> Iterator[Any]:
    """Profile `steps` steps after a few that warm up: yield what is to be called after each step.

    At the end trace.json lies in the folder, for chrome://tracing, and the dearest operations are printed.
    """
    if steps < 0:
        raise RecipeError(f"--profile: expected a number of steps, 0 for none, got {steps}")
    if not steps:
        yield lambda: None
        return

    def ready(profile: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        profile.export_chrome_trace(str(folder / "trace.json"))
        print(f"{steps} steps profiled, the whole trace is in {folder / 'trace.json'}. The dearest operations:")
        print(dearest(profile), flush=True)

    when = torch.profiler.schedule(wait=0, warmup=WARM_UP, active=steps, repeat=1)
    with torch.profiler.profile(activities=activities(), schedule=when, on_trace_ready=ready) as profile:
        yield profile.step


def activities() -> list[torch.profiler.ProfilerActivity]:
    """Return what is profiled: the CPU, and a GPU where there is one."""
    cuda = [torch.profiler.ProfilerActivity.CUDA] if torch.cuda.is_available() else []
    return [torch.profiler.ProfilerActivity.CPU, *cuda]


def operation_times(profile: Any) -> dict[str, float]:
    """Return the time that each operation has taken by itself: on a GPU there, else on the CPU."""
    kind = "self_device_time_total" if torch.cuda.is_available() else "self_cpu_time_total"
    events = (event for event in profile.key_averages() if not event.key.startswith("ProfilerStep"))  # steps as a whole
    return {event.key: float(getattr(event, kind)) for event in events}


def dearest(profile: Any) -> str:
    """Return a line for each of the dearest operations: its share of the time, its calls, its name."""
    times = operation_times(profile)
    whole = sum(times.values()) or 1
    calls = {event.key: event.count for event in profile.key_averages()}
    first = sorted(times, key=times.__getitem__, reverse=True)[:DEAREST]
    return "\n".join(f"  {times[name] / whole:5.1%}  {calls[name]:7d} calls  {name}" for name in first)


class Curves:
    """TensorBoard's curves of a run; none where the reader asked for quiet."""

    def __init__(self, folder: Path, step: int, quiet: bool) -> None:
        self.writer: Any = None
        if not quiet:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                print("no curves are drawn: tensorboard is not installed", flush=True)
                return
            self.writer = SummaryWriter(str(folder / "tensorboard"), purge_step=step)

    def add(self, step: int, **values: float) -> None:
        """Add a point to each curve."""
        if self.writer is not None:
            for name, value in values.items():
                self.writer.add_scalar(name, value, step)

    def __enter__(self) -> "Curves":
        return self

    def __exit__(self, *_: object) -> None:
        if self.writer is not None:
            self.writer.close()


def memory(device: torch.device) -> dict[str, float]:
    """Return the bytes that the training has needed at most, of a GPU's memory: no package of ours can tell a CPU's."""
    return {"memory": float(torch.cuda.max_memory_allocated(device))} if device.type == "cuda" else {}
