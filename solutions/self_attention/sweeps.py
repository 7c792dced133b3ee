"""The experiments of the chapter: python -m solutions.self_attention sweep EXPERIMENT."""

from lab.evaluation.sweeps import Sweep

SWEEPS = {
    "parts": Sweep(
        "What do positions, parameters and a second block bring?",
        corpus="relations",
        recipe="small",
        variants={
            "": {},
            "unplaced": {"positions": False},
            "simple": {"attention": "simple"},
            "simple-unplaced": {"attention": "simple", "positions": False},
            "two": {"blocks": 2},
            "four": {"blocks": 4},
        },
    ),
}
