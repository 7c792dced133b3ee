"""The experiments of the chapter: python -m solutions.encoder_decoder sweep EXPERIMENT."""

from lab.evaluation.sweeps import Sweep

SWEEPS = {
    "units": Sweep(
        "Does a wider vector hold longer sentences? The same model with 64 to 512 units.",
        corpus="phrasebook",
        recipe="medium",
        variants={"units-64": {"units": 64}, "": {}, "units-256": {"units": 256}, "units-512": {"units": 512}},
    ),
    "reversed": Sweep(
        "Does the order of the source matter to an encoder that reads one way?",
        corpus="phrasebook",
        recipe="medium",
        variants={"oneway": {"bidirectional": False}, "oneway-reversed": {"bidirectional": False, "reverse": True}},
    ),
}
