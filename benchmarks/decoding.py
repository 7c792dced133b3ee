"""What a word costs when a Transformer translates: python -m benchmarks.decoding writes its results/cache.json.

The T-th word is computed twice by one model: with the keys and values of the T - 1 words before it at hand, and anew
from all T. What is timed is one step with its readout, several times, in the processor's time, in which other programs
of the machine do not count.
"""

import statistics
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.measured import in_turn, keep, repeats_asked
from benchmarks.training import TorchTransformer
from lab.decode.decoding import Memory, State, Translator, beam, greedy
from lab.evaluation.result_files import results_folder
from lab.text.tokenizers import EOS
from solutions.transformer.fast import FastTransformer
from solutions.transformer.recipe import RECIPES
from solutions.transformer.recipe import Recipe as TransformerRecipe

RECIPE, VOCABULARY, SOURCE = "tiny", 6000, 20  # SOURCE: words of the sentence that is translated
LENGTHS = (1, 10, 20, 40, 60, 80, 100)
SENTENCES, LONG = 16, 30


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


class Uncached(Translator):
    """nn.Transformer as a translator: it has no cache, so each step reads the whole prefix again."""

    def __init__(self, width: int, vocabulary: int) -> None:
        super().__init__()
        self.inner = TorchTransformer(width, vocabulary)
        self.readout = self.inner.words

    def encode(self, source: Tensor, mask: Tensor) -> tuple[Memory, State]:
        read = self.inner.network.encoder(self.inner.source(source), src_key_padding_mask=~mask)
        return {"read": read, "mask": mask}, {"prefix": torch.zeros(len(source), 0, dtype=torch.long)}

    def decode(self, inputs: Tensor, memory: Memory, state: State) -> tuple[Tensor, State, Tensor | None]:
        prefix = torch.cat([state["prefix"], inputs], dim=1)
        future = nn.Transformer.generate_square_subsequent_mask(prefix.shape[1])
        features = self.inner.network.decoder(
            self.inner.target(prefix), memory["read"], future, memory_key_padding_mask=~memory["mask"]
        )
        return features[:, -inputs.shape[1] :], {"prefix": prefix}, None


class Endless(nn.Module):
    """Scores of words of which none ends a translation."""

    def __init__(self, readout: nn.Module) -> None:
        super().__init__()
        self.readout = readout

    def forward(self, features: Tensor) -> Tensor:
        scores = self.readout(features)
        return scores.index_fill(-1, torch.tensor(EOS), -torch.inf)


def words_a_second(repeats: int) -> dict[str, tuple[float, float]]:
    """Return words a second of our cached Transformer and of PyTorch's, by search: the same search, the same sizes.

    SENTENCES sentences of SOURCE words become LONG words each: the weights are random, and no translation ends itself.
    """
    torch.manual_seed(0)
    shape = TransformerRecipe(d_model=256, d_ff=1024, layers=3, shared=False, dropout=0.0)
    models = {"ours": FastTransformer(shape, VOCABULARY, VOCABULARY).eval(), "theirs": Uncached(256, VOCABULARY).eval()}
    for model in models.values():
        model.readout = Endless(model.readout)
    source = torch.randint(4, VOCABULARY, (SENTENCES, SOURCE))
    mask = torch.ones_like(source, dtype=torch.bool)
    rates = {}
    for name, search in {"greedy": greedy, "a beam of 4": partial(beam, width=4)}.items():
        calls = {who: partial(search, model, source, mask, max_len=LONG) for who, model in models.items()}
        assert all(len(output.tokens) == LONG for call in calls.values() for output in call())
        milliseconds_of = {who: statistics.median(times) for who, times in in_turn(calls, repeats).items()}
        ours, theirs = (1000 * SENTENCES * LONG / milliseconds_of[who] for who in models)
        rates[name] = ours, theirs
    return rates


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
