"""The models that the chapter shows, pinned in pinned/ (`make models`)."""

from lab.evaluation.pins import Pin
from solutions.self_attention.fast import SOLUTION
from solutions.self_attention.sweeps import ON_TIRED

PINS = (
    Pin(SOLUTION, "relations"),
    *(Pin(SOLUTION, "tired", name, changes=ON_TIRED.variants[word]) for name, word in (("one", ""), ("two", "two"))),
)
