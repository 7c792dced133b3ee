"""Two layers copy what followed last time, one layer cannot: induction heads (Olsson et al., 2022), and recall.

    python -m solutions.language_model.induction

trains models on random sequences that repeat and writes results/induction.json: over the steps, the score of each head,
the loss on what was seen before, and how many values they recall of pairs, which no training has shown them.
"""

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from lab.corpora.repeats import LEAST, MOST, pairs, repeats
from lab.kinds.fit import fit
from solutions import trials
from solutions.language_model import induction  # this module, by its name where it is the program
from solutions.language_model.attention import induction_score
from solutions.language_model.fast import FAST
from solutions.language_model.model import Decoder
from solutions.language_model.recipe import Recipe

VOCABULARY, LENGTH = 48, 64
PAIRS = (2, 4, 8, 12, 16, 20, 24)  # as many as there are keys, at most
RECIPE = Recipe(d_model=48, d_ff=144)
ROWS, STEPS, RATE, EVERY = 16, 1500, 3e-3, 75  # sequences in a batch; steps between two looks at the heads
VARIES, VARIANTS = "layers", (1, 2)
ABOUT = {
    "rows": ROWS,
    "rate": RATE,
    "every": EVERY,
    "vocabulary": VOCABULARY,
    "length": LENGTH,
    "periods": [LEAST, MOST],
    "recipe": asdict(RECIPE),
}


def seen_before(tokens: Int[Tensor, "rows length"], periods: Int[Tensor, " rows"]) -> Bool[Tensor, "rows predictions"]:
    """Return at which predictions the token that is to come was there before: all but those of the first round."""
    return torch.arange(1, tokens.shape[1]) >= periods[:, None]


def look(model: Decoder, period: int = 20) -> dict[str, Any]:
    """Return the loss (nats) where the next token was seen before and where not, each head's score, and the recall."""
    tokens, periods = repeats(64, LENGTH, VOCABULARY, torch.Generator().manual_seed(0), period)
    plain = Decoder(model.recipe, VOCABULARY)  # which has weights to show
    plain.load_state_dict(model.state_dict())
    with torch.no_grad():
        features, _, weights = plain.read(tokens)
        losses = predicted(plain.readout(features), tokens)
    again = seen_before(tokens, periods)
    scores = [induction_score(of_layer.mean(dim=0), period).tolist() for of_layer in weights if of_layer is not None]
    means = {"again": losses[again].mean().item(), "new": losses[~again].mean().item()}
    return means | {"scores": scores, "pairs": recall(plain)}


def recall(model: Decoder) -> dict[str, float]:
    """Return the share of values that are recalled, for each number of pairs."""
    shares = {}
    for count in PAIRS:
        tokens, recalled = pairs(64, count, VOCABULARY, torch.Generator().manual_seed(0))
        with torch.no_grad():
            right = model(tokens)[:, :-1].argmax(dim=-1) == tokens[:, 1:]
        shares[str(count)] = right[:, recalled].double().mean().item()
    return shares


def predicted(
    scores: Float[Tensor, "rows length vocabulary"], tokens: Int[Tensor, "rows length"]
) -> Float[Tensor, "rows predictions"]:
    """Return the loss of each token but the first, in nats."""
    return functional.cross_entropy(scores[:, :-1].transpose(1, 2), tokens[:, 1:], reduction="none")


def begun(layers: int, seed: int) -> tuple[Decoder, Callable[[], Tensor]]:
    """Return a fresh model, and a function that draws a batch and returns the model's loss on it."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    model = Decoder(replace(RECIPE, layers=layers), VOCABULARY, parts=FAST)

    def loss() -> Tensor:
        tokens, _ = repeats(ROWS, LENGTH, VOCABULARY, generator)
        return predicted(model(tokens), tokens).mean()

    return model, loss


def measured(layers: int, seed: int, steps: int) -> dict[str, Any]:
    """Train a model; return what it is like before the first step, and after each EVERY of them."""
    model, loss = begun(layers, seed)
    history = [{"step": 0, **look(model)}]
    for step in fit(model, loss, steps, RATE):
        if step % EVERY == 0 or step == steps:
            history.append({"step": step, **look(model)})
    return {"history": history}


main = partial(trials.main, "solutions.language_model.induction", [induction])

if __name__ == "__main__":
    main()
