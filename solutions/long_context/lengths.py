"""Longer than trained: loss above the floor by the place in the text, for positions of every kind, and of a stream."""

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache
from typing import Any

import torch
from torch import Tensor

from lab import corpora
from lab.corpora.running import Made, batches, rows_of, sentences
from lab.kinds.fit import fit
from lab.text import tokenizers
from solutions.language_model.fast import FAST
from solutions.language_model.induction import predicted
from solutions.language_model.model import Decoder
from solutions.language_model.recipe import Recipe
from solutions.long_context.attention import stretched
from solutions.long_context.model import SMALL, full, reader, repositioned, stream_losses, with_alibi

LENGTH, ROWS, STEPS, RATE = 64, 16, 1500, 4e-3
TRAINING, TEST, LONGEST = 40_000, 12_000, 512
PLACES = [0, 32, 64, 128, 256, 512]  # sentences that end between two of these are looked at together
STREAM = 20_000
NEAR = 1.0, 4.0  # turns within LENGTH, in place of YaRN's 1 and 32: the fastest pair makes 10
VARIANTS = {
    "rope": {"positions": "rope"},
    "sine": {"positions": "sine"},
    "learned": {"positions": "learned"},
    "none": {"positions": "none"},
    "alibi": {"positions": "none"},
}
VARIES = "variant"
ABOUT = {
    "length": LENGTH,
    "rows": ROWS,
    "rate": RATE,
    "places": PLACES,
    "stream": STREAM,
    "sentences": [TRAINING, TEST],
    "recipe": asdict(SMALL),
}


@cache
def words() -> tokenizers.Words:
    """Return the vocabulary of the grammar."""
    return tokenizers.Words.learn(corpora.load("grammar").train)


@cache
def made(count: int, seed: int) -> Made:
    """Return so many sentences as tokens."""
    return sentences(words(), count, seed)


def begun(variant: str, seed: int) -> tuple[Decoder, Callable[[], Tensor]]:
    """Return a fresh model, and a function that draws a batch and returns the model's loss on it."""
    recipe = replace(SMALL, **VARIANTS[variant])
    torch.manual_seed(seed)
    attend = with_alibi if variant == "alibi" else full
    model = reader(recipe, len(words()), [attend] * recipe.layers, FAST)
    rows = batches(made(TRAINING, 1), LENGTH, ROWS, seed)

    def loss() -> Tensor:
        tokens = next(rows)
        return predicted(model(tokens), tokens).mean()

    return model, loss


def measured(variant: str, seed: int, steps: int) -> dict[str, Any]:
    """Train a model on rows of LENGTH tokens; return its loss above the floor at each place of longer rows."""
    model, loss = begun(variant, seed)
    for _ in fit(model, loss, steps, RATE):
        pass
    test = made(TEST, 2)
    run = {"excess": excess(model, test)}
    if variant != "rope":
        return run
    others = {name: excess(repositioned(model, *changed), test) for name, changed in changes(model.recipe).items()}
    return run | others | {"stream": streamed(model, test)}


def changes(recipe: Recipe) -> dict[str, tuple[Tensor, float]]:
    """Return by name the angles, and the scale of queries and keys, for texts LONGEST / LENGTH times as long.

    "by parts" has YaRN's borders, "by near parts" borders that this short training allows, "unscaled" the same angles.
    """
    factor, width = LONGEST / LENGTH, recipe.d_model // recipe.heads
    plain, _ = stretched(width, recipe.rope_base, 1.0, LENGTH)
    rebased, _ = stretched(width, recipe.rope_base * factor ** (width / (width - 2)), 1.0, LENGTH)
    near, scale = stretched(width, recipe.rope_base, factor, LENGTH, *NEAR)
    return {
        "interpolated": (plain / factor, 1.0),
        "rebased": (rebased, 1.0),
        "by parts": stretched(width, recipe.rope_base, factor, LENGTH),
        "by near parts": (near, scale),
        "by near parts, unscaled": (near, 1.0),
    }


@torch.no_grad()
def excess(model: Decoder, texts: Made) -> list[float]:
    """Return the loss above the floor, in nats a token, for sentences that end between two of the PLACES."""
    rows, contents = rows_of(texts, LONGEST + 1)
    above, counts = [0.0] * (len(PLACES) - 1), [0] * (len(PLACES) - 1)
    for tokens, group in zip(rows.split(16), (contents[at : at + 16] for at in range(0, len(rows), 16)), strict=True):
        for losses, content in zip(predicted(model(tokens), tokens).double(), group, strict=True):
            for start, end, log_p in content:
                place = next(number for number, edge in enumerate(PLACES[1:]) if end - 1 <= edge)
                above[place] += losses[start - 1 : end - 1].sum().item() + log_p
                counts[place] += end - start
    return [each / count for each, count in zip(above, counts, strict=True)]


def streamed(model: Decoder, texts: Made) -> dict[str, list[float]]:
    """Return the loss of a stream in nats a token, for each tenth, with caches of LENGTH tokens and with a full one."""
    tokens = rows_of(texts, STREAM + 1)[0][0]
    with torch.no_grad():
        whole = predicted(model(tokens[None]), tokens[None])[0]
    ways = {
        "everything": whole,
        "window": stream_losses(model, tokens, LENGTH),
        "sinks": stream_losses(model, tokens, LENGTH - 4, 4),
    }
    return {name: [part.mean().item() for part in losses.chunk(10)] for name, losses in ways.items()}
