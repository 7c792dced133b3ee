"""Film reviews made here that judge eight things in one sentence; the label is the list of the eight verdicts.

Each verdict is good or bad by itself, so that there are 256 labels. The eight stand in any order, each with one of the
twenty adjectives of its kind: "i found the ending dull , the story witty , …". Nothing else decides.

Each thing has its own gold evidence: the adjective of its verdict.
"""

import itertools
import random
from collections.abc import Iterator, Sequence

from lab.corpora import Document, Labelled
from lab.corpora.aspects import WORDS
from lab.corpora.made_once import made_once
from lab.corpora.reviews import BAD, GOOD, Clause, joined, read

THINGS = "music acting story camera lighting dialogue ending pace".split()
VERDICTS = tuple(itertools.product((False, True), repeat=len(THINGS)))
LABELS = tuple(
    ", ".join(f"{thing} {WORDS[good]}" for thing, good in zip(THINGS, each, strict=True)) for each in VERDICTS
)
SIZES = {"train": 5000, "validation": 500, "test": 500}

__all__ = ["LABELS", "SIZES", "generate", "load", "read"]


def review(rng: random.Random, verdicts: Sequence[bool]) -> Document:
    """Return a review with these verdicts, in the order of THINGS."""
    parts: list[str | Clause] = []
    for thing, good in rng.sample(list(zip(THINGS, verdicts, strict=True)), len(THINGS)):
        view = Clause((rng.choice(GOOD if good else BAD),), ((thing, 0),))
        parts += [f", the {thing}" if parts else f"i found the {thing}", view]
    sentence = joined(*parts, ".")
    places = {thing: frozenset({(0, word)}) for thing, word in sentence.evidence}
    label = LABELS[VERDICTS.index(tuple(verdicts))]
    return Document((sentence.text,), label, frozenset().union(*places.values()), tuple(sorted(places.items())))


def stream(rng: random.Random) -> Iterator[Document]:
    """Yield reviews without end, the labels in turn."""
    for verdicts in itertools.cycle(VERDICTS):
        yield review(rng, verdicts)


def generate(count: int, seed: int) -> list[Document]:
    """Return `count` reviews, of each label as many."""
    return list(itertools.islice(stream(random.Random(seed)), count))


@made_once
def load() -> Labelled:
    """Return the fixed splits."""
    parts = {name: generate(size, 2017 + number) for number, (name, size) in enumerate(SIZES.items())}
    return Labelled("verdicts", LABELS, parts["train"], parts["validation"], {"test": parts["test"]})
