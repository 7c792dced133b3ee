"""The gradient of a batch: by one process or by several, at once or in parts that fit into the memory."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from lab.distributed import Team
from lab.schedules import RecipeError


@runtime_checkable
class Task(Protocol):
    """What a model is trained on: the batches of an epoch, and the loss of one of them."""

    unit: str  # what `loss` counts: "target tokens"

    def groups(self, seed: int) -> Sequence[Any]:
        """Return the examples of one epoch in groups, a batch each; the same seed gives the same."""
        ...

    def weight(self, group: Any) -> int:
        """Return of how many things the loss of a group is the mean: real target tokens, or texts."""
        ...

    def cells(self, group: Any) -> int:
        """Return how many units the padded table of a group has room for."""
        ...

    def loss(self, model: nn.Module, group: Any, device: torch.device) -> tuple[Tensor, int]:
        """Return the loss of a group (a scalar), and how many units it has."""
        ...


class Objective(nn.Module):
    """The loss of a model on a batch, as one module: gradients of several processes meet in its parameters."""

    def __init__(self, model: nn.Module, task: Task) -> None:
        super().__init__()
        self.model, self.task = model, task

    def forward(self, group: Any, device: torch.device) -> tuple[Tensor, int]:
        return self.task.loss(self.model, group, device)


@dataclass
class Gradient:
    """Computes the gradient of the mean loss over a batch, which is the same however the batch is cut.

    Each process takes its part of a batch of about `tokens` tokens, and takes it in pieces of about `micro_tokens` (0:
    at once). With parts i of weights nᵢ the mean over the batch is Σ nᵢ lossᵢ / Σ nᵢ, and so is its gradient.
    """

    objective: nn.Module  # an Objective, or one that DistributedDataParallel holds
    task: Task
    team: Team
    device: torch.device
    bf16: bool
    tokens: int
    micro_tokens: int = 0
    quiet: bool = False

    def __post_init__(self) -> None:
        if self.micro_tokens < 0:
            raise RecipeError(f"--micro-tokens: expected 1 or more, or 0 for whole batches, got {self.micro_tokens}")

    def __call__(self, group: Any) -> tuple[Tensor, int]:
        """Write the gradient into the parameters; return the loss, and the units of the whole batch.

        When the memory of the device is too small, the pieces are halved from then on.
        """
        part = self.team.part(group)
        (every,) = self.team.sums(self.task.weight(part) if len(part) else 0)
        while True:
            try:
                loss, units = self._computed(part, group[:1], every)
            except torch.OutOfMemoryError as error:
                self._halve(len(part), error)
                continue
            (all_units,) = self.team.sums(units)
            return self.team.summed(loss) / self.team.size, int(all_units)

    def _computed(self, part: Any, instead: Any, every: int | float) -> tuple[Tensor, int]:
        """Add up the gradients of the pieces; a process that has no part takes one with the weight 0."""
        self.objective.zero_grad(set_to_none=True)
        pieces = list(self.pieces(part)) or [instead]
        total, all_units = torch.zeros((), device=self.device), 0
        for number, piece in enumerate(pieces, 1):
            share = self.task.weight(piece) / every if len(part) else 0.0
            with self._alone(number < len(pieces)):
                with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
                    loss, units = self.objective(piece, self.device)
                # The mean over the processes of this is the mean over the whole batch.
                loss = loss * (self.team.size * share)
                loss.backward()
            total = total + loss.detach()
            all_units += units if len(part) else 0
        return total, all_units

    def pieces(self, part: Any) -> Iterator[Any]:
        """Yield the examples in pieces of about `micro_tokens` tokens, at least one example each."""
        count = -(-self.tokens // (self.micro_tokens * self.team.size)) if self.micro_tokens else 1
        count = min(max(count, 1), len(part))
        for number in range(count):
            yield part[number * len(part) // count : (number + 1) * len(part) // count]

    def _alone(self, more_to_come: bool) -> AbstractContextManager[Any]:
        """Return a context in which the gradients stay in this process: they meet at the last piece."""
        if more_to_come and isinstance(self.objective, DistributedDataParallel):
            return self.objective.no_sync()
        return nullcontext()

    def _halve(self, examples: int, error: Exception) -> None:
        """Take smaller pieces; raise RecipeError where there are none, or where other processes wait for this one."""
        own = self.micro_tokens or -(-self.tokens // self.team.size)
        smaller, reason = own // 2, str(error).split(". ", maxsplit=1)[0]
        if self.team.size > 1 and smaller:
            raise RecipeError(
                f"the memory of {self.device} is too small for {own} tokens at a time ({reason}). Ask for less with "
                f"--micro-tokens {smaller}: the gradient stays the same"
            ) from error
        if not smaller or -(-self.tokens // own) >= examples:
            raise RecipeError(
                f"the memory of {self.device} is too small for one example of a batch ({reason}). Choose a smaller "
                "model: another --recipe, or fewer units and layers"
            ) from error
        self.micro_tokens = smaller
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        if not self.quiet:
            print(
                f"the memory of {self.device} is too small for {own} tokens at a time: from now on {smaller}, with the "
                f"same gradient (--micro-tokens {smaller} begins so)",
                flush=True,
            )
