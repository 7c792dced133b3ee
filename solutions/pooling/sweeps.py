"""The experiments of the chapter: python -m solutions.pooling sweep EXPERIMENT."""

from lab.evaluation.sweeps import Sweep

SWEEPS: dict[str, Sweep] = {}
