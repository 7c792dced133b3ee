"""The gradient of a batch: by one process or by several, at once or in parts that fit into the memory."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from lab.kinds.ranges import RecipeError
from lab.train.cuda_graphs import CudaGraphs
from lab.train.distributed import Team


@runtime_checkable
class Task(Protocol):
    """The task of a model: the batches of an epoch, and the loss of one of them."""

    unit: str  # what `units` counts: "target tokens"

    def groups(self, seed: int) -> Sequence[Any]:
        """Return the examples of one epoch in groups, a batch each; the same seed gives the same."""
        ...

    def weight(self, group: Any) -> int:
        """Return the number of things over which a group's loss is the mean: real target tokens, or texts."""
        ...

    def units(self, group: Any) -> int:
        """Return the number of units in a group."""
        return self.weight(group)

    def collate(self, group: Any) -> Any:
        """Return the padded tables of a group, a named tuple."""
        ...

    def loss(self, model: nn.Module, batch: Any, device: torch.device) -> Tensor:
        """Return the loss of a batch from `collate`: a scalar."""
        ...


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
    task: Task
    team: Team
    device: torch.device
    bf16: bool
    tokens: int  # of a whole batch
    micro_tokens: int = 0  # of a piece, about; 0: a batch in one
    recorded: bool = False  # in CUDA graphs, as long as batches are taken whole

    def __post_init__(self) -> None:
        if self.micro_tokens < 0:
            raise RecipeError(f"--micro-tokens: expected 1 or more, or 0 for whole batches, got {self.micro_tokens}")
        self.graphs = CudaGraphs(self._again, self.device) if self.recorded and not self.micro_tokens else None

    def __call__(self, group: Any) -> Tensor:
        """Write the gradient into the parameters; return the loss of the whole batch."""
        try:
            loss = self.graphs(self.task.collate(group)) if self.graphs else self._computed(group)
        except torch.OutOfMemoryError as error:
            own = self.micro_tokens or -(-self.tokens // self.team.size)
            raise RecipeError(
                f"the memory of {self.device} is too small for {own} tokens at a time ({str(error).split('. ')[0]}). "
                f"Ask for less with --micro-tokens {max(1, own // 2)}, which leaves the gradient as it is, or choose a "
                "smaller model: another --recipe, fewer units or layers"
            ) from error
        return self.team.summed(loss) / self.team.size

    def pieces(self, group: Any) -> Iterator[Any]:
        """Yield the examples of this process's part in pieces of about `micro_tokens` tokens, at least one each."""
        part = self.team.part(group)
        count = -(-self.tokens // (self.micro_tokens * self.team.size)) if self.micro_tokens else 1
        count = min(max(count, 1), len(part))
        for number in range(count):
            yield part[number * len(part) // count : (number + 1) * len(part) // count]

    def _again(self, batch: Any) -> Tensor:
        """Write the gradient of a batch on the device into tensors that stay where they are; return the loss."""
        self.objective.zero_grad(set_to_none=False)
        loss = self.objective(batch, self.device)
        loss.backward()
        return loss.detach()

    def _computed(self, group: Any) -> Tensor:
        """Add up the gradients of the pieces; a process without a part takes one example with the share 0."""
        self.objective.zero_grad(set_to_none=True)
        pieces, whole = list(self.pieces(group)), self.task.weight(group)
        shares = [self.task.weight(piece) / whole for piece in pieces] or [0.0]
        pieces = pieces or [group[:1]]
        total = torch.zeros((), device=self.device)
        for number, (piece, share) in enumerate(zip(pieces, shares, strict=True), 1):
            with self._alone(number < len(pieces)):
                with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
                    loss = self.objective(self.task.collate(piece), self.device)
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
