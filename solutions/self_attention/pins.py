"""The model that the chapter shows, pinned in pinned/ (`make models`)."""

from lab.evaluation.pins import Pin
from solutions.self_attention.fast import SOLUTION

PINS = (Pin(SOLUTION, "relations"),)
