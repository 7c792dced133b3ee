"""The sentence of 18 words that every translation chapter tries: the encoder–decoder loses its thread in it."""

from typing import Protocol

from lab import corpora
from lab.corpora import Pair


class Translates(Protocol):
    """A trained model, text in and text out."""

    def translate(self, sentences: list[str]) -> list[str]: ...


def long_sentence() -> Pair:
    """Return the sentence, French and English, of the phrasebook's validation part, which no model was trained on."""
    by_length = sorted(corpora.load("phrasebook").validation, key=lambda pair: len(pair.source.split()))
    return by_length[int(0.8 * len(by_length))]


def show(**models: Translates) -> None:
    """Print the sentence, its true translation, and what each model makes of it (greedy)."""
    pair = long_sentence()
    width = max(map(len, [*models, "true"]))
    print(f"{len(pair.source.split())} words  {pair.source}\n")
    print(f"{'true':{width}}  {pair.target}")
    for name, model in models.items():
        print(f"{name:{width}}  {model.translate([pair.source])[0]}")
