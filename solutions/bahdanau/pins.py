"""The model that the chapter shows, pinned in pinned/ (`make models`)."""

from lab.evaluation.pins import Pin
from solutions.bahdanau.model import SOLUTION

PINS = (Pin(SOLUTION, "phrasebook"),)
