"""The model that the chapter shows, pinned in pinned/ (`make models`): it reads a stream."""

from functools import partial

from lab.evaluation.small_pins import SmallPin
from solutions.long_context import lengths

READS = SmallPin(
    "long_context",
    "reads",
    lengths.__name__,
    partial(lengths.begun, variant="rope", seed=1),
    {**lengths.ABOUT, "variant": "rope", "seed": 1},
    lengths.STEPS,
    lengths.RATE,
)
PINS = (READS,)
