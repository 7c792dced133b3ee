"""From the host to a device, without waiting: what a step has to know of its words stays known to the host.

A GPU works through what it has been given while the host prepares more. Asking it for a number, such as how many
words a mask has, waits until all of that is done. So a tensor that is sent keeps the host's copy beside it.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def sent(tensor: Tensor, device: torch.device) -> Tensor:
    """Return the tensor on a device; `on_host` gives the copy that was sent."""
    if tensor.device.type == device.type:
        return tensor
    here = tensor.pin_memory() if device.type == "cuda" else tensor  # else the copy waits for the work before it
    there = here.to(device, non_blocking=True)
    there.sent_from = tensor  # pyright: ignore[reportAttributeAccessIssue] — goes where the tensor goes, and no further
    return there


def on_host(tensor: Tensor) -> Tensor:
    """Return the host's copy of a tensor that was sent; of any other, the tensor itself."""
    return getattr(tensor, "sent_from", tensor)


def derived(tensor: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Return function(tensor), computed by the host and sent: what is made of it is known to the host, too."""
    return sent(function(on_host(tensor)), tensor.device)


def real_positions(mask: Bool[Tensor, "*axes"]) -> Int[Tensor, " real"]:
    """Return the numbers of the positions where a flattened mask is True."""
    return derived(mask, lambda known: known.flatten().nonzero()[:, 0])


def row_lengths(mask: Bool[Tensor, "rows length"]) -> Int[Tensor, " rows"]:
    """Return how many True each row has."""
    return derived(mask, lambda known: known.sum(dim=1))
