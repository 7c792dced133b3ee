"""The experiments of the chapter: python -m solutions.structured sweep EXPERIMENT."""

from lab.evaluation.sweeps import Sweep

SWEEPS = {
    "penalty": Sweep(
        "Does the penalty make the hops differ, and does it help?",
        corpus="reviews",
        recipe="small",
        variants={"free": {"penalty": 0.0}, "": {}, "strong": {"penalty": 0.03}},
    ),
}
