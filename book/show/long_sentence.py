"""The sentences that every translation chapter tries; in the one of 18 words the encoder–decoder loses its thread."""

from lab import corpora
from lab.corpora import Pair
from lab.kinds.translation import Trained

SHORT = "il m' a entarté"  # he hit me with a pie
LONG = 0.8  # so many of the validation sentences are shorter


def at(*shares: float) -> list[Pair]:
    """Return sentences of the phrasebook's validation part, which no model was trained on, by their place in length."""
    by_length = sorted(corpora.load("phrasebook").validation, key=lambda pair: len(pair.source.split()))
    return [by_length[int(share * len(by_length))] for share in shares]


def long_sentence() -> Pair:
    """Return the sentence of 18 words, French and English."""
    return at(LONG)[0]


def show(**models: Trained) -> None:
    """Print the sentence, its true translation, and what each model makes of it (greedy)."""
    pair = long_sentence()
    width = max(map(len, [*models, "true"]))
    print(f"{len(pair.source.split())} words  {pair.source}\n")
    print(f"{'true':{width}}  {pair.target}")
    for name, model in models.items():
        print(f"{name:{width}}  {model.translate([pair.source])[0]}")
