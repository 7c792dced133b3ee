"""What a training shows of itself: where it diverges, and its curves."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lab.checkpoints import save
from lab.progress import EVERY
from lab.ranges import RecipeError


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
