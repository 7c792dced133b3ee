"""The models that the chapter shows, pinned in pinned/ (`make models`): of the grammar, and one that copies."""

from functools import partial

from lab.evaluation.pins import Pin
from lab.evaluation.small_pins import SmallPin
from solutions.language_model import induction
from solutions.language_model.fast import SOLUTION

COPIES = SmallPin(
    "language_model",
    "copies",
    induction.__name__,
    partial(induction.begun, layers=2, seed=1),
    {**induction.ABOUT, "layers": 2, "seed": 1},
    induction.STEPS,
    induction.RATE,
)
PINS = (Pin(SOLUTION, "grammar"), COPIES)
