"""The sentences of a corpus that rules make: the labels in turn, each sentence in the split that is its own."""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence

from lab.corpora import Document


def in_turn(
    labels: Sequence[str],
    sentence: Callable[[random.Random, str], Document],
    split: Callable[[Document], str],
    rng: random.Random,
    part: str | None,
) -> Iterator[Document]:
    """Yield sentences without end, the labels in turn, of one split or of all."""
    for label in itertools.cycle(labels):
        while split(made := sentence(rng, label)) != (part or split(made)):
            pass
        yield made
