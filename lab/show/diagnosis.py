"""The point where a training diverges, and the memory that it needs."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from lab.kinds.ranges import RecipeError
from lab.train.progress import EVERY


class Diverged(RecipeError):
    """A loss or a gradient that is no finite number any more; the message says where, and what to try."""


@dataclass
class Watch:
    """Looks at losses and gradient norms once in a while: on a GPU each look waits for the steps before it."""

    losses: list[Tensor] = field(default_factory=list)  # of this epoch, since it was begun or resumed
    norms: list[Tensor] = field(default_factory=list)
    seen: int = 0  # of these
    due: float = 0.0

    def note(self, loss: Tensor, norm: Tensor) -> None:
        """Keep a step's loss and norm, without looking at them."""
        self.losses.append(loss)
        self.norms.append(norm)

    def begin(self) -> None:
        """Forget the last epoch."""
        self.losses, self.norms, self.seen = [], [], 0

    def is_due(self) -> bool:
        """Return whether a second has passed since the last look."""
        return time.monotonic() >= self.due

    def look(self, step: int, rate: float) -> None:
        """Raise Diverged if a step since the last look has no finite loss or norm.

        `step` steps are done, the last with this learning rate.
        """
        losses, norms = self.losses[self.seen :], self.norms[self.seen :]
        self.seen, self.due = len(self.losses), time.monotonic() + EVERY
        for place, (loss, norm) in enumerate(zip(numbers(losses), numbers(norms), strict=True), start=1):
            if not math.isfinite(loss + norm):
                raise Diverged(
                    f"the training diverged at step {step - len(losses) + place}: loss {loss:g}, gradient norm "
                    f"{norm:g}, learning rate about {rate:.2g}. last.pt is older, and was finite. Try a lower --rate, "
                    "a longer --warmup, or --precision fp32 if it was bf16. If the model has functions of yours, run "
                    "their checks first: NaN from one of them causes this, too"
                )


def numbers(scalars: Sequence[Tensor]) -> list[float]:
    """Return the values of scalars, for which a GPU is asked once."""
    return torch.stack([scalar.float() for scalar in scalars]).tolist() if scalars else []


def memory(device: torch.device) -> dict[str, float]:
    """Return the most bytes of a GPU's memory that the training has needed; of a CPU's no package of ours can tell."""
    return {"memory": float(torch.cuda.max_memory_allocated(device))} if device.type == "cuda" else {}
