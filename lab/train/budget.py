"""The time that a training may take, reading, validating and writing included.

ATTENTION_TRAINING_SECONDS in the environment ends every training after so many seconds, whatever else was asked for:
with it all cells of a notebook run in a minute. No published result is trained with it.
"""

import math
import os
import time
from dataclasses import dataclass, field

from lab.kinds.ranges import RecipeError

SECONDS = "ATTENTION_TRAINING_SECONDS"


class OutOfTime(Exception):
    """The work cannot be ended within the budget."""


@dataclass(frozen=True)
class Budget:
    """So many seconds, from the moment that the budget is made."""

    seconds: float = math.inf
    description: str = "no limit"
    started: float = field(default_factory=lambda: time.monotonic())

    @classmethod
    def of(cls, minutes: int | float | None) -> "Budget":
        """Return a budget of so many minutes (None: without a limit), or the environment's if that is less."""
        own = math.inf if minutes is None else 60.0 * minutes
        most = cut()
        if most < own:
            return cls(most, f"{most:g} seconds ({SECONDS})")
        return cls() if minutes is None else cls(own, f"{minutes:g} minutes")

    @property
    def left(self) -> float:
        """The seconds that are left; below 0 when the time is over."""
        return self.started + self.seconds - time.monotonic()

    def demand(self) -> None:
        """Raise OutOfTime when the time is over."""
        if self.left < 0:
            raise OutOfTime(f"the time budget of {self.description} is over")


def cut() -> float:
    """Return the seconds after which the environment ends every training."""
    value = os.environ.get(SECONDS, "").strip()
    try:
        seconds = float(value or "inf")
    except ValueError:
        seconds = math.nan
    if not seconds >= 0:
        raise RecipeError(
            f"{SECONDS} ends every training after that many seconds: expected 0 or more, got {value!r}; "
            "unset it to train as long as asked"
        )
    return seconds
