"""The experiments of the chapter: python -m solutions.bahdanau sweep EXPERIMENT."""

from lab.evaluation.sweeps import Sweep

SWEEPS = {
    "query": Sweep(
        "Does it matter whether the state before or after the step asks?",
        corpus="phrasebook",
        recipe="medium",
        variants={"": {}, "after": {"query": "after"}},
    ),
}
