"""Two layers copy what followed last time, one layer cannot: induction heads (Olsson et al., 2022), and recall.

    python -m solutions.language_model.induction

trains models on random sequences that repeat and writes results/induction.json: over the steps, the score of each head,
the loss on what was seen before, and how many values they recall of pairs, which no training has shown them.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from lab.cli.common import fail
from lab.corpora.repeats import LEAST, MOST, pairs, repeats
from lab.evaluation.result_files import results_folder
from lab.evaluation.trials import Trials
from lab.fit import fit
from lab.ranges import Count, Positive, RecipeError, Size, demand
from solutions.language_model.attention import induction_score
from solutions.language_model.fast import FAST
from solutions.language_model.model import Decoder
from solutions.language_model.recipe import Recipe

VOCABULARY, LENGTH = 48, 64
PAIRS = (2, 4, 8, 12, 16, 20, 24)  # as many as there are keys, at most
RECIPE = Recipe(d_model=48, d_ff=144)


@dataclass(frozen=True)
class Options:
    """How models are trained on sequences that repeat, and how often one looks at their heads."""

    layers: tuple[int, ...] = (1, 2)
    """a model for each number"""
    seeds: tuple[int, ...] = (1,)
    """and for each of these"""
    steps: Size = 1500
    rows: Size = 16
    """sequences in a batch"""
    rate: Positive = 3e-3
    every: Size = 75
    """steps between two looks"""
    threads: Count = 0
    """CPU threads; 0 = as many as torch takes"""


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


def trained(layers: int, seed: int, options: Options) -> Iterator[dict[str, Any]]:
    """Train a model; yield what it is like before the first step, and after each `every` of them."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    model = Decoder(replace(RECIPE, layers=layers), VOCABULARY, parts=FAST)

    def loss() -> Tensor:
        tokens, _ = repeats(options.rows, LENGTH, VOCABULARY, generator)
        return predicted(model(tokens), tokens).mean()

    yield {"step": 0, **look(model)}
    for step in fit(model, loss, options.steps, options.rate):
        if step % options.every == 0 or step == options.steps:
            yield {"step": step, **look(model)}


def main(words: Sequence[str] | None = None, folder: Path | None = None) -> None:
    """Train the models that are asked for, print their way, and keep it; what is kept already is not trained again."""
    import tyro

    options = tyro.cli(Options, prog="python -m solutions.language_model.induction", args=words)
    try:
        demand(options)
        if min(options.layers, default=0) < 1 or min(options.seeds, default=-1) < 0:
            raise RecipeError(
                "--layers, --seeds: expected numbers of 1 or more, and of 0 or more, at least one of each"
            )
    except RecipeError as error:
        fail(str(error))
    if options.threads:
        torch.set_num_threads(options.threads)
    path = (folder or results_folder("language_model")) / "induction.json"
    about = {name: value for name, value in asdict(options).items() if name not in ("layers", "seeds", "threads")}
    about |= {"vocabulary": VOCABULARY, "length": LENGTH, "periods": [LEAST, MOST], "recipe": asdict(RECIPE)}
    trials = Trials(path, about)
    for seed, layers in itertools.product(options.seeds, options.layers):
        if trials.has(layers=layers, seed=seed):
            continue
        history = []
        for row in trained(layers, seed, options):
            history.append(row)
            print(
                f"layers {layers}, seed {seed}, step {row['step']:5}: loss on what was seen before "
                f"{row['again']:.3f}, on what is new {row['new']:.3f}; "
                f"best head {max(map(max, row['scores'])):.3f}; "
                f"recalled {', '.join(f'{share:.2f} of {count}' for count, share in row['pairs'].items())}",
                flush=True,
            )
        trials.keep({"layers": layers, "seed": seed, "history": history})
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
