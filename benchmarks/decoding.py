"""What a word costs when a Transformer translates: python -m benchmarks.decoding writes its results/cache.json.

The T-th word is computed twice by one model: with the keys and values of the T - 1 words before it at hand, and anew
from all T. What is timed is one step with its readout, several times, in the processor's time, in which other programs
of the machine do not count.
"""

import statistics
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from benchmarks.measured import in_turn, keep, repeats_asked
from lab.decode.decoding import Memory, State
from lab.evaluation.result_files import results_folder
from solutions.transformer.fast import FastTransformer
from solutions.transformer.recipe import RECIPES

RECIPE, VOCABULARY, SOURCE = "tiny", 6000, 20  # SOURCE: words of the sentence that is translated
LENGTHS = (1, 10, 20, 40, 60, 80, 100)


@torch.no_grad()
def step(model: FastTransformer, words: Tensor, memory: Memory, state: State) -> Tensor:
    """Return the scores of the word that follows the last of these words."""
    features, _, _ = model.decode(words, memory, state, need_weights=False)
    return model.readout(features[:, -1])


def milliseconds(model: FastTransformer, length: int, repeats: int) -> dict[str, Any]:
    """Return the times of the word number `length`, with the cache and without; the two take turns."""
    source = torch.randint(4, VOCABULARY, (1, SOURCE))
    words = torch.randint(4, VOCABULARY, (1, length))
    with torch.no_grad():
        memory, nothing = model.encode(source, torch.ones_like(source, dtype=torch.bool))
        cache = model.decode(words[:, :-1], memory, nothing, need_weights=False)[1] if length > 1 else nothing
    ways = {
        "cached": lambda: step(model, words[:, -1:], memory, cache),
        "plain": lambda: step(model, words, memory, nothing),
    }
    torch.testing.assert_close(ways["cached"](), ways["plain"](), rtol=1e-3, atol=1e-4)
    return {"length": length} | {way: statistics.median(times) for way, times in in_turn(ways, repeats).items()}


def main(repeats: int) -> Path:
    """Time words at several places of a translation, on one thread, write the figures, and return the file."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = FastTransformer(RECIPES[RECIPE], VOCABULARY, VOCABULARY).eval()
    return keep(
        results_folder("transformer"),
        "cache.json",
        f"benchmarks.decoding --repeats {repeats}",
        sizes={"recipe": RECIPE, "vocabulary": VOCABULARY, "source": SOURCE},
        words=[milliseconds(model, length, repeats) for length in LENGTHS],
    )


if __name__ == "__main__":
    print(main(repeats_asked("decoding", __doc__, 51)))
