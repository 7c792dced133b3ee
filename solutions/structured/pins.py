"""The models that the chapter shows, pinned in pinned/ (`make models`): with the penalty, and without it.

The lesson's read two facts, those of its evidence short reviews.
"""

from lab.evaluation.pins import Pin
from solutions.structured.model import SOLUTION
from solutions.structured.watched import short_reviews, watching


def of_reviews(variant: str, penalty: float) -> Pin:
    """Return one with four hops, watched while it is trained on short reviews."""
    changes = {"penalty": penalty, "epochs": 6}
    return Pin(SOLUTION, "reviews", variant, recipe="small", changes=changes, texts=short_reviews, watching=watching)


PINS = (
    Pin(SOLUTION, "two_facts", changes={"hops": 4, "penalty": 0.1}),
    Pin(SOLUTION, "two_facts", "free", changes={"hops": 4}),
    of_reviews("reviews", 0.01),
    of_reviews("reviews-free", 0.0),
)
