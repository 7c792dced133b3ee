"""The experiments of the chapter: python -m solutions.transformer sweep EXPERIMENT."""

from lab.evaluation.sweeps import Sweep
from lab.kinds.runs import joined

HEADS = {"heads-1": {"heads": 1}, "heads-2": {"heads": 2}, "": {}, "heads-8": {"heads": 8}}
NORMS = {
    "": {},
    "cold": {"warmup": 0.0},
    "pre-norm": {"pre_norm": True},
    "pre-norm-cold": {"pre_norm": True, "warmup": 0.0},
}
SWEEPS = {
    "heads": Sweep(
        "Are several narrow heads better than one wide one?",
        corpus="phrasebook",
        recipe="medium",
        variants=HEADS,
    ),
    "norms": Sweep(
        "Does post-norm need the warm-up, and pre-norm none?",
        corpus="phrasebook",
        recipe="medium",
        variants=NORMS,
    ),
    "norms-slow": Sweep(
        "Does post-norm need the warm-up at a quarter of the rate too?",
        corpus="phrasebook",
        recipe="medium",
        variants={joined("slow", name): {"rate": 1e-3, **changes} for name, changes in NORMS.items()},
    ),
    "positions": Sweep(
        "Sines, learned positions or none; and which of them reach beyond the lengths of the training?",
        corpus="phrasebook",
        recipe="medium",
        variants={
            "": {},
            "learned": {"positions": "learned"},
            "unplaced": {"positions": "none"},
            # The test's buckets of length end at 8, 14, 20, 26 and 30 words of the source.
            "short": {"longest": 14},
            "short-learned": {"longest": 14, "positions": "learned"},
            "short-unplaced": {"longest": 14, "positions": "none"},
            # Every position of the test is trained, and no longer sentence.
            "short-shifted": {"longest": 14, "shift": 20},
        },
    ),
    "room": Sweep(
        "Heads, positions and smoothing after three epochs, where there is room above: do they matter there?",
        corpus="phrasebook",
        recipe="small",
        variants={
            **HEADS,
            "learned": {"positions": "learned"},
            "unplaced": {"positions": "none"},
            "smooth": {"smoothing": 0.1},
        },
    ),
    "smoothing": Sweep(
        "What does label smoothing change?",
        corpus="phrasebook",
        recipe="medium",
        variants={"": {}, "smooth": {"smoothing": 0.1}},
    ),
}
