"""The experiments of the chapter: python -m solutions.language_model sweep EXPERIMENT."""

from lab.evaluation.sweeps import Sweep

SWEEPS: dict[str, Sweep] = {}
