"""Look less far: what windows lose when something has to be found again, over the distance."""

from dataclasses import asdict, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor

from lab.corpora.repeats import LEAST, MOST, repeats
from lab.kinds.fit import fit
from solutions.language_model.fast import FAST
from solutions.language_model.induction import LENGTH, RECIPE, VOCABULARY, predicted, seen_before
from solutions.long_context.model import full, reader, windowed

WINDOW, ROWS, STEPS, RATE = 24, 16, 1500, 3e-3
LOCAL = partial(windowed, window=WINDOW)
VARIANTS = {
    "full, full": (full, full),
    "window, full": (LOCAL, full),
    "full, window": (full, LOCAL),
    "window, window": (LOCAL, LOCAL),
    "four windows": (LOCAL,) * 4,
}
VARIES = "variant"
ABOUT = {"window": WINDOW, "rows": ROWS, "rate": RATE, "length": LENGTH, "recipe": asdict(RECIPE)}


def measured(variant: str, seed: int, steps: int) -> dict[str, Any]:
    """Train a model on tokens that repeat; return the loss on those seen before, over how far away they are."""
    attends = VARIANTS[variant]
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    model = reader(replace(RECIPE, layers=len(attends)), VOCABULARY, attends, FAST)

    def loss() -> Tensor:
        tokens, _ = repeats(ROWS, LENGTH, VOCABULARY, generator)
        return predicted(model(tokens), tokens).mean()

    for _ in fit(model, loss, steps, RATE):
        pass
    with torch.no_grad():
        again = {}
        for period in range(LEAST, MOST + 1, 2):
            tokens, periods = repeats(128, LENGTH, VOCABULARY, torch.Generator().manual_seed(0), period)
            again[str(period)] = predicted(model(tokens), tokens)[seen_before(tokens, periods)].mean().item()
    return {"again": again}
