"""The models that the chapter shows, pinned in pinned/ (`make models`)."""

from lab.evaluation.pins import Pin
from solutions.self_attention.fast import SOLUTION
from solutions.self_attention.sweeps import ON_TIRED
from solutions.self_attention.translator import TRANSLATOR

TIRED = {"one": ("", 1), "two": ("two", 1), "two-2": ("two", 2), "two-3": ("two", 3)}  # name: variant, seed
PINS = (
    Pin(SOLUTION, "relations"),
    Pin(TRANSLATOR, "phrasebook", "translator"),
    *(Pin(SOLUTION, "tired", name, changes=ON_TIRED.variants[word], seed=n) for name, (word, n) in TIRED.items()),
)
