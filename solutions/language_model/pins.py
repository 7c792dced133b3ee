"""The model that the chapter shows, pinned in pinned/ (`make models`)."""

from lab.evaluation.pins import Pin
from solutions.language_model.fast import SOLUTION

PINS = (Pin(SOLUTION, "grammar"),)
