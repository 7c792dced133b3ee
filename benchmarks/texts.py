"""The part of `make bench` that is about reading texts: a classifier's documents, and recurrent networks."""

import statistics
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from lab.classification import Classifying
from lab.recurrent import states, states_and_final
from lab.training import Trainer, best_device
from solutions.pooling.model import HAN
from solutions.pooling.recipe import RECIPES as POOLING_RECIPES

VOCABULARY = 6000


def pooling_rates(rounds: int) -> dict[str, float]:
    """Return words per second of HAN's training: documents by length, and drawn at random as tutorials do."""
    recipe = POOLING_RECIPES["small_han"]
    rng = np.random.default_rng(0)
    documents = [
        ([rng.integers(4, VOCABULARY, max(1, int(rng.gamma(2, 9)))).tolist() for _ in range(rng.integers(1, 25))], 0)
        for _ in range(120)
    ]
    task = Classifying(documents, replace(recipe.training, tokens=12_000), nested=True)
    ways = {"by length": task.groups(1), "at random": [documents[start : start + 15] for start in range(0, 120, 15)]}
    rates = {}
    for way, groups in ways.items():
        trainer = Trainer(HAN(recipe, VOCABULARY, 2), task, recipe.training, Path("unused"), quiet=True)
        times = []
        for turn in range(rounds + 1):
            started = clock()
            for group in groups:
                trainer.step(group)
            if turn:  # the first round warms up
                times.append(clock() - started)
        words = sum(len(sentence) for document, _ in documents for sentence in document)
        rates[f"HAN, documents {way}"] = words / statistics.median(times)
    return rates


def reading_gains(rounds: int, width: int = 128) -> dict[str, float]:
    """Return how much faster rows of about equal length are read as lab.recurrent does than packed, with gradients."""
    gains = {}
    for kind in (nn.LSTM, nn.GRU):
        for rows, length in ((200, 20), (27, 300)):
            network = kind(width, width, batch_first=True, bidirectional=True).to(best_device())
            inputs = torch.randn(rows, length, width, device=best_device(), requires_grad=True)
            lengths = torch.linspace(0.9 * length, length, rows).round().long().to(best_device())
            ways = {"padded": states, "packed": lambda *given: states_and_final(*given)[0]}
            seconds: dict[str, list[float]] = {way: [] for way in ways}
            for _ in range(rounds):
                for way, read in ways.items():
                    started = clock()
                    read(network, inputs, lengths).sum().backward()
                    seconds[way].append(clock() - started)
            gain = statistics.median(seconds["packed"]) / statistics.median(seconds["padded"])
            gains[f"{kind.__name__}, {rows} rows of {length} words"] = gain
    return gains


def clock() -> float:
    """Return seconds: CPU time on one CPU thread, for others may use the machine too; else those of the wall."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    elif torch.get_num_threads() == 1:
        return time.process_time()
    return time.perf_counter()
