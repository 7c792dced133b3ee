"""From the host to a device without waiting: the host keeps a copy of the numbers that a step asks for.

A GPU works through its queue while the host prepares more. Asking it for a number, such as the count of words in a
mask, waits until the whole queue is done. So a tensor that is sent keeps the host's copy beside it.
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
    copy = here.to(device, non_blocking=True)
    copy.sent_from = tensor  # pyright: ignore[reportAttributeAccessIssue] — goes where the tensor goes, and no further
    return copy


def on_host(tensor: Tensor) -> Tensor:
    """Return the host's copy of a tensor that was sent; of any other, the tensor itself."""
    return getattr(tensor, "sent_from", tensor)


def derived(tensor: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Return function(tensor), computed by the host and sent, so that the host has a copy of the result, too."""
    return sent(function(on_host(tensor)), tensor.device)


def real_positions(mask: Bool[Tensor, "*axes"]) -> Int[Tensor, " real"]:
    """Return the numbers of the positions where a flattened mask is True."""
    return derived(mask, lambda known: known.flatten().nonzero()[:, 0])


def row_lengths(mask: Bool[Tensor, "rows length"]) -> Int[Tensor, " rows"]:
    """Return the number of True in each row."""
    return derived(mask, lambda known: known.sum(dim=1))
