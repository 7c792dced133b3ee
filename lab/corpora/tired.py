"""Sentences made here in which one adjective decides what *it* is: "… because it was too tired", or "too wide".

"the mouse did not cross the desert because it was too tired": *it* is the mouse, something small. "… because it was
too wide": *it* is the desert, something large. The label is the size of what *it* is: neither animal nor place nor
adjective says it alone. The gold evidence is the adjective and the noun.

Noun and adjective decide which split a sentence is in: no such pair of a test sentence was read in training.
"""

import itertools
import random
from collections.abc import Iterator, Sequence

from lab.corpora import Document, Labelled
from lab.corpora.in_turn import in_turn
from lab.corpora.made_once import made_once
from lab.corpora.reviews import read

LABELS = ("large", "small")
Words = Sequence[str]
# Of a noun: its large nouns and its small ones, and the ten adjectives that can only be said of them.
KINDS: dict[str, tuple[tuple[Words, Words], Words]] = {
    "animal": (
        ("elephant horse cow camel bear".split(), "mouse cat hen rabbit fox".split()),
        "tired hungry thirsty lazy afraid sleepy ill shy old weak".split(),
    ),
    "place": (
        ("desert river valley field lake".split(), "path yard room ditch puddle".split()),
        "wide steep muddy noisy dark slippery icy stony crowded dusty".split(),
    ),
}
VERBS = "cross enter visit".split()
FORM = "the {animal} did not {verb} the {place} because it was too {adjective} ."
SIZES = {"train": 4000, "validation": 500, "test": 1000}

__all__ = ["LABELS", "SIZES", "generate", "load", "read", "sentence"]


def sentence(rng: random.Random, label: str) -> Document:
    """Return one sentence with the label; the other noun is of either size."""
    kind = rng.choice(list(KINDS))
    adjective = rng.choice(KINDS[kind][1])
    sizes = {name: label if name == kind else rng.choice(LABELS) for name in KINDS}
    nouns = {name: rng.choice(of[LABELS.index(sizes[name])]) for name, (of, _) in KINDS.items()}
    text = FORM.format(**nouns, verb=rng.choice(VERBS), adjective=adjective)
    words = text.split()
    return Document((text,), label, frozenset((0, words.index(word)) for word in (nouns[kind], adjective)))


def pair(document: Document) -> tuple[str, ...]:
    """Return the noun that *it* is, and the adjective."""
    return tuple(document.words[place] for _, place in sorted(document.evidence or ()))


def split(noun: str, adjective: str) -> str:
    """Return the split that a sentence with these two belongs to: of ten adjectives a noun has one, two and seven."""
    nouns, adjectives = next(([*large, *small], of) for (large, small), of in KINDS.values() if adjective in of)
    diagonal = (nouns.index(noun) + adjectives.index(adjective)) % len(nouns)
    return "validation" if diagonal == 0 else "test" if diagonal < 3 else "train"


def stream(rng: random.Random, part: str | None = None) -> Iterator[Document]:
    """Return sentences without end, the labels in turn, of one split or of all."""
    return in_turn(LABELS, sentence, lambda made: split(*pair(made)), rng, part)


def generate(count: int, seed: int, part: str | None = None) -> list[Document]:
    """Return `count` sentences, of each label as many."""
    return list(itertools.islice(stream(random.Random(seed), part), count))


@made_once
def load() -> Labelled:
    """Return the fixed splits."""
    parts = {name: generate(size, 2017 + number, name) for number, (name, size) in enumerate(SIZES.items())}
    return Labelled("tired", LABELS, parts["train"], parts["validation"], {"test": parts["test"]})
