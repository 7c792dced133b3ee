"""The models that the chapter shows, pinned in pinned/ (`make models`): with the penalty, and without it."""

from lab.evaluation.pins import Pin
from solutions.structured.model import SOLUTION
from solutions.structured.watched import short_reviews, watching

PINS = tuple(
    Pin(
        SOLUTION,
        "reviews",
        variant,
        recipe="small",
        changes={"penalty": penalty, "epochs": 6},
        texts=short_reviews,
        watching=watching,
    )
    for variant, penalty in (("", 0.01), ("free", 0.0))
)
