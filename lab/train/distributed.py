"""The processes that train one model together, as torchrun starts them; usually there is one.

    torchrun --nproc-per-node 2 -m solutions.NAME train …

Each takes its part of every batch, and their gradients are put together: but for dropout, the training is the same on
any number.
"""

import os
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

PATIENCE = timedelta(hours=3)  # how long a process waits for the others


@dataclass(frozen=True)
class Team:
    """One process among `size`; all must call the same methods in the same order. Alone, they do nothing."""

    rank: int = 0
    size: int = 1

    @property
    def is_main(self) -> bool:
        """Return whether this is rank 0, the process that writes files and prints."""
        return self.rank == 0

    def part(self, group: Any) -> Any:
        """Return this process's share of a batch, of about equally long examples; empty if there are too few."""
        return group if self.size == 1 else group[self.rank :: self.size]

    def sums(self, *values: float | int) -> list[float | int]:
        """Return the sum of each value over the processes: the hosts add up, and wait for no GPU."""
        if self.size == 1:
            return list(values)
        total = torch.tensor(values, dtype=torch.float64)
        distributed.all_reduce(total)
        return total.tolist()

    def summed(self, value: Tensor) -> Tensor:
        """Return the sum of one tensor over the processes."""
        if self.size > 1:
            value = value.clone()
            distributed.all_reduce(value)
        return value

    def collected(self, thing: Any) -> list[Any]:
        """Return the things of all processes, in their order."""
        things = [thing] * self.size
        if self.size > 1:
            distributed.all_gather_object(things, thing)
        return things

    def from_main(self, thing: Any) -> Any:
        """Return the thing of rank 0."""
        things = [thing]
        if self.size > 1:
            distributed.broadcast_object_list(things)
        return things[0]

    def joined(self, objective: nn.Module) -> nn.Module:
        """Return the objective with gradients that are the mean over the processes."""
        return DistributedDataParallel(objective) if self.size > 1 else objective


def here() -> Team:
    """Return the team that this process belongs to; one that torchrun started joins the others first."""
    size = int(os.environ.get("WORLD_SIZE", 1)) if "RANK" in os.environ else 1
    if size == 1:
        return Team()
    if not distributed.is_initialized():
        if torch.cuda.is_available():
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
        backends = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"  # gradients by GPUs, counts by hosts
        # The others wait while rank 0 validates.
        distributed.init_process_group(backends, timeout=PATIENCE)
    return Team(distributed.get_rank(), distributed.get_world_size())


def is_process_lost(error: RuntimeError) -> bool:
    """Return whether the error is that another process of the team is gone."""
    text = str(error).lower()
    gone = any(word in text for word in ("gloo", "nccl", "connection closed", "connection reset"))
    return distributed.is_initialized() and (isinstance(error, distributed.DistError) or gone)


def part_ways() -> None:
    """Leave the team, at the end of the program."""
    if distributed.is_initialized():
        distributed.destroy_process_group()
