"""A small model of every chapter with examples to train it on, nothing left to chance: properties are tried on them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from lab.kinds import classification, language, translation
from lab.kinds.runs import Solution
from lab.text.tokenizers import BOS, EOS
from lab.train.devices import seed_all
from lab.train.gradients import Task
from lab.train.training import Trainer, Training

VOCABULARY, LABELS, COUNT = 40, 3, 46
TRANSLATING = ("encoder_decoder", "bahdanau", "luong", "transformer")
TRAINED = (*TRANSLATING, "pooling", "structured", "self_attention", "language_model")


def solution_of(name: str) -> Solution:
    """Return a chapter's model with its recipes: the fast one, where training needs it."""
    fast = find_spec(f"solutions.{name}.fast")
    return import_module(f"solutions.{name}.{'fast' if fast else 'model'}").SOLUTION


@dataclass(frozen=True)
class SmallModel:
    """A chapter's solution with one of its recipes, without dropout, and a task."""

    solution: Solution
    recipe: Any
    task: Task

    @property
    def training(self) -> Training:
        return self.recipe.training

    def build(self) -> nn.Module:
        """Return the model, always with the same parameters."""
        seed_all(3)
        labels = LABELS if isinstance(self.task, classification.Classifying) else VOCABULARY
        return self.solution.build(self.recipe, VOCABULARY, labels)

    def trainer(self, folder: Path, device: torch.device, **more: Any) -> Trainer:
        """Return a training of it, always the same."""
        rate = self.solution.rate(self.recipe) if self.solution.rate else None
        model = self.build()
        return Trainer(model, self.task, self.training, folder, seed=3, device=device, rate=rate, quiet=True, **more)


def small_models(dropout: float = 0.0, **changes: Any) -> Mapping[str, SmallModel]:
    """Return them by name; each dropout that a recipe has is the one given, and `changes` are of the training."""
    recipes = {name: (name, "small") for name in TRAINED} | {"pooling, HAN": ("pooling", "small_han")}
    return {name: small_model(*recipe, dropout, **changes) for name, recipe in recipes.items()}


def small_model(name: str, size: str, dropout: float = 0.0, **changes: Any) -> SmallModel:
    solution = solution_of(name)
    recipe = solution.recipes[size]
    chances = {field.name: dropout for field in fields(recipe) if field.name.endswith("dropout")}
    settings = {"tokens": 120, "epochs": 2, "rate": 1e-3, "ema": 0.0, "mean_of": 0, "precision": "fp32"} | changes
    recipe = replace(recipe, **chances, training=replace(recipe.training, **settings))
    model = solution.build(recipe, VOCABULARY, LABELS)
    if isinstance(model, classification.Classifier):
        return SmallModel(solution, recipe, classification.Classifying(texts(), recipe.training, model.nested))
    if isinstance(model, language.LanguageModel):
        lines = [[BOS, *line, EOS] for line, _ in pairs()]
        return SmallModel(solution, recipe, language.Predicting(lines, recipe.training.tokens, recipe.context))
    return SmallModel(solution, recipe, translation.Translating(pairs(), recipe.training))


def pairs() -> list[translation.Example]:
    """Return sentence pairs of one to twelve random words a side."""
    rng = np.random.default_rng(0)

    def sentence() -> list[int]:
        return rng.integers(4, VOCABULARY, rng.integers(1, 13)).tolist()

    return [(sentence(), sentence()) for _ in range(COUNT)]


def texts() -> list[classification.Example]:
    """Return texts of one to four sentences of one to nine random words, with labels."""
    rng = np.random.default_rng(1)

    def document() -> list[list[int]]:
        return [rng.integers(4, VOCABULARY, rng.integers(1, 10)).tolist() for _ in range(rng.integers(1, 5))]

    return [(document(), int(rng.integers(LABELS))) for _ in range(COUNT)]
