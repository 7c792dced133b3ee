"""What do positions bring to the block of 2017, when its embeddings begin as large as those of the Transformer chapter?

    python -m solutions.language_model.starts

trains the block of 2017 with sines, rotary positions and none, as the sweep `block` does, and differs from it in one
thing: words, which are the readout too, are drawn with a standard deviation of 1/√d_model in place of .02. It writes
results/starts.json.
"""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from lab import corpora
from lab.evaluation.language_results import outputs_of, score
from lab.evaluation.result_files import results_folder
from lab.evaluation.sweeps import changed
from lab.evaluation.trials import Trials
from lab.files import scratch
from lab.kinds.language import Run, train
from solutions.language_model.fast import SOLUTION, FastDecoder
from solutions.language_model.recipe import Recipe
from solutions.language_model.sweeps import OLD

CORPUS, RECIPE, SEEDS = "grammar", "small", (1, 2, 3)
VARIANTS = {"sine": OLD, "rope": {**OLD, "positions": "rope"}, "none": {**OLD, "positions": "none"}}


class Larger(FastDecoder):
    """The same model, whose words begin with a standard deviation of 1/√d_model, as in the Transformer chapter."""

    def start(self) -> None:
        super().start()
        nn.init.normal_(self.embedding.weight, std=self.recipe.d_model**-0.5)


def recipe_of(variant: str) -> Recipe:
    return changed(SOLUTION, RECIPE, VARIANTS[variant])


def measured(variant: str, seed: int) -> dict[str, Any]:
    """Train a model, and return its loss on the test sentences and how far that is above the floor, in nats a word."""
    run = Run(SOLUTION.name, CORPUS, RECIPE, f"larger-{variant}", seed)
    cpu = torch.device("cpu")
    trained = train(replace(SOLUTION, build=Larger), run, recipe_of(variant), folder=scratch(), device=cpu)
    corpus = corpora.load(CORPUS)
    scores = score(outputs_of(trained, corpus)[0], corpus)["test"]
    return {name: scores[name]["value"] for name in ("loss", "excess")}


def main(path: Path | None = None) -> None:
    """Train what results/starts.json lacks, and keep what is measured."""
    about = {"corpus": CORPUS, "recipes": {variant: asdict(recipe_of(variant)) for variant in VARIANTS}}
    trials = Trials(path or results_folder(SOLUTION.name) / "starts.json", about)
    for seed in SEEDS:
        for variant in VARIANTS:
            run: dict[str, Any] = {"variant": variant, "seed": seed}
            if not trials.has(**run):
                trials.keep(run | measured(variant, seed))
    print(f"wrote {trials.path}")


if __name__ == "__main__":
    main()
