"""The model that the chapter shows, pinned in pinned/ (`make models`)."""

from lab.evaluation.pins import Pin
from solutions.luong.model import SOLUTION

PINS = (Pin(SOLUTION, "phrasebook"),)
