"""The part of a recipe that the training loop reads: how long and how fast a model learns."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lab.kinds.ranges import Amount, Count, Part, Positive, Share, Size

Rate: TypeAlias = Callable[[int, int], float]  # (step, from 0, and number of all steps) -> learning rate


@dataclass(frozen=True)
class Training:
    """How a model is trained; a part of every recipe."""

    tokens: Size = 2000  # tokens in a batch: target tokens in translation, words in classification
    epochs: Size = 10
    rate: Positive = 1e-3  # highest learning rate of AdamW
    warmup: Share = 0.05  # share of all steps in which the rate rises
    halve_after: Count = 0  # epochs after which the rate is halved every epoch; 0 = half a cosine down to nothing
    weight_decay: Amount = 1e-4
    clip: Positive = 1.0  # largest norm of the gradient
    smoothing: Part = 0.0  # label smoothing
    ema: Part = 0.0  # decay of the exponential moving average of the parameters; 0 = none
    mean_of: Count = 0  # the mean of the parameters after so many last epochs is validated and kept; 0 = no mean
    precision: Literal["auto", "fp32", "bf16"] = "auto"  # auto: bf16 where the machine multiplies it natively


def rate_at(step: int, steps: int, training: Training) -> float:
    """Return the learning rate of a step: a straight rise, then half a cosine down to nothing (ours).

    With `halve_after`, constant for so many epochs, then half as high in each: Luong et al. (2015), section 4.1.
    """
    rise = max(1, round(training.warmup * steps))
    if step < rise:
        return training.rate * (step + 1) / rise
    if training.halve_after:
        epoch = step * training.epochs // steps
        return training.rate * 0.5 ** max(0, epoch - training.halve_after + 1)
    return training.rate * 0.5 * (1 + math.cos(math.pi * min(1.0, (step - rise) / max(1, steps - rise))))
