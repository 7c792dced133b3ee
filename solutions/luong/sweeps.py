"""The experiments of the chapter: python -m solutions.luong sweep EXPERIMENT."""

from lab.evaluation.sweeps import Sweep

SWEEPS = {
    "scores": Sweep(
        "Which score aligns and translates best?",
        corpus="phrasebook",
        recipe="medium",
        variants={"": {}, **{score: {"score": score} for score in ("dot", "concat", "location")}},
    ),
    "windows": Sweep(
        "What does a window cost, and does it find the word?",
        corpus="phrasebook",
        recipe="medium",
        variants={
            "": {},
            "local-m": {"attention": "local_m", "D": 2},
            "local-p": {"attention": "local_p", "D": 2},
            "local-p-10": {"attention": "local_p", "D": 10},
        },
    ),
    "feeding": Sweep(
        "What does input feeding bring, and an encoder that reads both ways?",
        corpus="phrasebook",
        recipe="medium",
        variants={"": {}, "no-feeding": {"feeding": False}, "oneway": {"bidirectional": False}},
    ),
}
