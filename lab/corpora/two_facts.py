"""French sentences made by the phrasebook's grammar in which two things happen: who to whom, and then who to whom?

Each is one of the facts of `roles`, so that there are 23 × 23 labels: "he → me, she → him" for "il va me parler , puis
votre sœur va soigner l' homme". The first that is told is the first of the label. A clause in which nobody does
anything to anybody may stand before, between or behind them.

Each fact has its own gold evidence. The hash of a sentence decides its split.
"""

import itertools
import random
from collections.abc import Iterator

from lab.corpora import Document, Labelled, roles
from lab.corpora.made_once import made_once
from lab.corpora.roles import read, sentence, split

QUESTIONS = ("first", "second")
LABELS = tuple(", ".join(each) for each in itertools.product(roles.LABELS, repeat=len(QUESTIONS)))
SIZES = {"train": 8000, "validation": len(LABELS), "test": 2 * len(LABELS)}

__all__ = ["LABELS", "SIZES", "generate", "load", "read"]


def stream(rng: random.Random, part: str | None = None) -> Iterator[Document]:
    """Yield sentences without end, the labels in turn, of one split or of all; none comes twice."""
    seen: set[str] = set()
    for label in itertools.cycle(LABELS):
        while True:
            text, places = sentence(rng, label.split(", "), 0.3)
            if text not in seen and split(text) == (part or split(text)):
                break
        seen.add(text)
        yield Document((text,), label, frozenset().union(*places), tuple(zip(QUESTIONS, places, strict=True)))


def generate(count: int, seed: int, part: str | None = None) -> list[Document]:
    """Return `count` sentences, of each label as many."""
    return list(itertools.islice(stream(random.Random(seed), part), count))


@made_once
def load() -> Labelled:
    """Return the fixed splits."""
    parts = {name: generate(size, 2017 + number, name) for number, (name, size) in enumerate(SIZES.items())}
    return Labelled("two_facts", LABELS, parts["train"], parts["validation"], {"test": parts["test"]})
