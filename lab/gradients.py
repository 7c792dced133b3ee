"""The gradient of a batch: by one process or by several, at once or in parts that fit into the memory."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from lab.distributed import Team
from lab.ranges import RecipeError


@runtime_checkable
class Task(Protocol):
    """What a model is trained on: the batches of an epoch, and the loss of one of them."""

    unit: str  # what `units` counts: "target tokens"

    def groups(self, seed: int) -> Sequence[Any]:
        """Return the examples of one epoch in groups, a batch each; the same seed gives the same."""
        ...

    def weight(self, group: Any) -> int:
        """Return of how many things the loss of a group is the mean: real target tokens, or texts."""
        ...

    def units(self, group: Any) -> int:
        """Return how many units a group has."""
        ...

    def cells(self, group: Any, multiple: int = 1) -> int:
        """Return how many units the padded table of a group has room for."""
        ...

    def collate(self, group: Any, multiple: int = 1) -> Any:
        """Return the padded tables of a group, a named tuple; their lengths are multiples of `multiple`."""
        ...

    def loss(self, model: nn.Module, batch: Any, device: torch.device) -> Tensor:
        """Return the loss of what `collate` has returned: a scalar."""
        ...


@dataclass(frozen=True)
class Collated:
    """A batch as one process takes it: its part, in pieces, as tables on the host."""

    examples: Callable[[], Any]  # of the whole batch
    pieces: list[Any]  # at least one; each what the task's `collate` returns
    shares: list[float]  # of the mean over the whole batch, for each piece
    units: int  # of the whole batch
    cells: int  # of the whole batch
    micro_tokens: int  # how many tokens a piece was to have


@dataclass
class Collator:
    """Makes tables of a batch: the part of this process, in pieces of about `micro_tokens` tokens (0: in one).

    A process without a part takes one example with the share 0.
    """

    task: Task
    team: Team
    tokens: int  # of a whole batch
    micro_tokens: int = 0
    multiple: int = 1  # padded lengths are multiples of it

    def __post_init__(self) -> None:
        if self.micro_tokens < 0:
            raise RecipeError(f"--micro-tokens: expected 1 or more, or 0 for whole batches, got {self.micro_tokens}")

    def __call__(self, group: Any) -> Collated:
        pieces, whole = list(self.pieces(group)), self.task.weight(group)
        return Collated(
            lambda: group,
            [self.task.collate(piece, self.multiple) for piece in pieces or [group[:1]]],
            [self.task.weight(piece) / whole for piece in pieces] or [0.0],
            self.task.units(group),
            self.task.cells(group, self.multiple),
            self.micro_tokens,
        )

    def pieces(self, group: Any) -> Iterator[Any]:
        """Yield the examples of this process's part in pieces of about `micro_tokens` tokens, at least one each."""
        part = self.team.part(group)
        count = -(-self.tokens // (self.micro_tokens * self.team.size)) if self.micro_tokens else 1
        count = min(max(count, 1), len(part))
        for number in range(count):
            yield part[number * len(part) // count : (number + 1) * len(part) // count]


class Objective(nn.Module):
    """The loss of a model on a batch, as one module: gradients of several processes meet in its parameters."""

    def __init__(self, model: nn.Module, task: Task) -> None:
        super().__init__()
        self.model, self.task = model, task

    def forward(self, batch: Any, device: torch.device) -> Tensor:
        return self.task.loss(self.model, batch, device)


@dataclass
class Gradient:
    """Computes the gradient of the mean loss over a batch, which is the same however the batch is cut.

    Each process takes its part of a batch, piece by piece. With pieces i of weights nᵢ the mean over the batch is
    Σ nᵢ lossᵢ / Σ nᵢ, and so is its gradient.
    """

    objective: nn.Module  # an Objective, or one that DistributedDataParallel holds
    collator: Collator
    device: torch.device
    bf16: bool
    quiet: bool = False

    @property
    def team(self) -> Team:
        return self.collator.team

    def __call__(self, batch: Collated) -> Tensor:
        """Write the gradient into the parameters; return the loss of the whole batch.

        When the memory of the device is too small, the pieces are halved from then on.
        """
        while True:
            if batch.micro_tokens != self.collator.micro_tokens:  # made ahead, before they were halved
                batch = self.collator(batch.examples())
            try:
                loss = self._computed(batch)
            except torch.OutOfMemoryError as error:
                self._halve(len(self.team.part(batch.examples())), error)
                continue
            return self.team.summed(loss) / self.team.size

    def _computed(self, batch: Collated) -> Tensor:
        """Add up the gradients of the pieces."""
        self.objective.zero_grad(set_to_none=True)
        total, last = torch.zeros((), device=self.device), len(batch.pieces) - 1
        for number, (piece, share) in enumerate(zip(batch.pieces, batch.shares, strict=True)):
            with self._alone(number < last):
                with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
                    loss = self.objective(piece, self.device)
                # The mean over the processes of this is the mean over the whole batch.
                loss = loss * (self.team.size * share)
                loss.backward()
            total = total + loss.detach()
        return total

    def _alone(self, more_to_come: bool) -> AbstractContextManager[Any]:
        """Return a context in which the gradients stay in this process: they meet at the last piece."""
        if more_to_come and isinstance(self.objective, DistributedDataParallel):
            return self.objective.no_sync()
        return nullcontext()

    def _halve(self, examples: int, error: Exception) -> None:
        """Take smaller pieces; raise RecipeError where there are none, or where other processes wait for this one."""
        tokens = self.collator.tokens
        own = self.collator.micro_tokens or -(-tokens // self.team.size)
        smaller, reason = own // 2, str(error).split(". ", maxsplit=1)[0]
        if self.team.size > 1 and smaller:
            raise RecipeError(
                f"the memory of {self.device} is too small for {own} tokens at a time ({reason}). Ask for less with "
                f"--micro-tokens {smaller}: the gradient stays the same"
            ) from error
        if not smaller or -(-tokens // own) >= examples:
            raise RecipeError(
                f"the memory of {self.device} is too small for one example of a batch ({reason}). Choose a smaller "
                "model: another --recipe, or fewer units and layers"
            ) from error
        self.collator.micro_tokens = smaller
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        if not self.quiet:
            print(
                f"the memory of {self.device} is too small for {own} tokens at a time: from now on {smaller}, with the "
                f"same gradient (--micro-tokens {smaller} begins so)",
                flush=True,
            )
