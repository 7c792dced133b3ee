"""A training loop over batches that are made on the fly, for experiments of many small models."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from lab.train.budget import Budget
from lab.train.schedules import Training, rate_at


def fit(
    model: nn.Module, batch_loss: Callable[[], Tensor], steps: int, rate: float, minutes: float | None = None
) -> Iterator[int]:
    """Take steps of AdamW on the loss of a new batch each, with the schedule of every training; yield their number.

    It ends early when the minutes are over, and says so.
    """
    optimizer = torch.optim.AdamW(model.parameters(), rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    training, budget = Training(rate=rate), Budget.of(minutes)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate_at(step, steps, training)
        optimizer.zero_grad()
        batch_loss().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), training.clip)
        optimizer.step()
        yield step + 1
        if budget.left <= 0:
            print(f"ended after {step + 1} of {steps} steps by the limit of {budget.description}")
            return
