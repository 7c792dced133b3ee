"""CUDA graphs: the kernels of a gradient are recorded once for each shape of a batch, and then launched as one.

A step of a small model is a thousand short kernels or more, and the host needs longer to launch them one by one than
the GPU to compute them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from lab.text.batches import Batch, filled_up

LONGEST = 256  # positions of a row; longer rows keep the GPU busy by themselves


@dataclass(frozen=True)
class Recorded:
    """The kernels of one shape, the tensors that they read, and the loss that they write."""

    graph: Any
    batch: Batch
    loss: Tensor


class CudaGraphs:
    """Writes the gradient of a batch into the parameters, by kernels that were recorded with a batch of its shape.

    `gradient` gets a batch on the device, writes into gradients that stay where they are, and returns the loss. It
    asks the device for nothing, and calls the same kernels for every batch of a shape.
    """

    def __init__(self, gradient: Callable[[Batch], Tensor], device: torch.device) -> None:
        self.gradient, self.device = gradient, device
        self.seen: set[tuple[torch.Size, torch.Size]] = set()
        self.recorded: dict[tuple[torch.Size, torch.Size], Recorded] = {}
        self.pool = torch.cuda.graph_pool_handle() if device.type == "cuda" else None

    def __call__(self, batch: Batch) -> Tensor:
        """Return the loss. The first batch of a shape is computed as ever, the second one is recorded."""
        batch = Batch(*(each.pin_memory() for each in filled_up(batch)))
        shape = batch.source.shape, batch.targets.shape
        if shape not in self.seen or max(shape[0][1], shape[1][1]) > LONGEST:
            self.seen.add(shape)
            return self.gradient(self.sent(batch))
        if shape not in self.recorded:
            self.recorded[shape] = self.record(batch)
        recorded = self.recorded[shape]
        for target, here in zip(recorded.batch, batch, strict=True):
            target.copy_(here, non_blocking=True)
        recorded.graph.replay()
        return recorded.loss.clone()  # the next replay writes over it

    def record(self, batch: Batch) -> Recorded:
        """Record the kernels for a batch; nothing is computed."""
        batch_sent, graph = self.sent(batch), torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self.pool):
            loss = self.gradient(batch_sent)
        return Recorded(graph, batch_sent, loss)

    def sent(self, batch: Batch) -> Batch:
        return Batch(*(each.to(self.device, non_blocking=True) for each in batch))


def is_recordable(model: nn.Module, device: torch.device, bf16: bool) -> bool:
    """Return whether a model's gradient can be recorded, and is worth it: large models, in bf16, keep a GPU busy."""
    return device.type == "cuda" and not bf16 and getattr(model, "recordable", False)
