"""The experiments of the chapter: python -m solutions.bahdanau sweep EXPERIMENT."""

from lab.evaluation.sweeps import Sweep

SWEEPS = {
    "query": Sweep(
        "Does it matter which state asks, and which the readout gets?",
        corpus="phrasebook",
        recipe="medium",
        variants={"": {}, "previous": {"readout": "previous"}, "after": {"query": "after"}},
    ),
}
