"""The models that the chapter shows, pinned in pinned/ (`make models`): on roles, on relations, and two of reviews.

That of relations has an adversary, which predicts as it does and attends elsewhere.
"""

from lab.corpora import reviews
from lab.evaluation.pins import Pin
from solutions.pooling.model import SOLUTION

PINS = (
    Pin(SOLUTION, "roles", changes={"epochs": 8}),
    Pin(SOLUTION, "relations", "relations", changes={"epochs": 2}),
    Pin(SOLUTION, "relations", "away", changes={"epochs": 8, "adversary": 0.1, "base": "pooling-relations"}),
    *(Pin(SOLUTION, "reviews", f"han-{seed}", recipe="short_han", seed=seed, texts=reviews.short) for seed in (1, 2)),
)
