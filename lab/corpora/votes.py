"""Film reviews made here in which several sentences judge the film; the label is what most of them say.

Three sentences are the writer's verdicts on the film, and two or all three of them agree; two to four others distract,
as in the corpus `reviews`, whose sentences these are. So no single verdict decides: they have to be counted, each as
good or bad, and only they.

The evidence is that of all three verdicts. The hash of a verdict decides which split it is in: none of a test review
was read in training.
"""

import itertools
import random
from collections.abc import Iterator

from lab.corpora import Document, Labelled
from lab.corpora.made_once import made_once
from lab.corpora.reviews import LABELS, Clause, distraction, read, split, verdict

VOTES = 3
SIZES = {"train": 4000, "validation": 500, "test": 1000}

__all__ = ["LABELS", "SIZES", "generate", "load", "read"]


def votes(rng: random.Random, good: bool, part: str | None) -> list[Clause]:
    """Return the verdicts, most of them `good`, of one split or of all, in random order."""
    against = rng.randint(0, (VOTES - 1) // 2)
    made = []
    for number in range(VOTES):
        while split(vote := verdict(rng, good == (number >= against))) != (part or split(vote)):
            pass
        made.append(vote)
    rng.shuffle(made)
    return made


def stream(rng: random.Random, part: str | None) -> Iterator[Document]:
    """Yield reviews without end, the labels in turn, of one split or of all."""
    for number in itertools.count():
        good = number % 2 == 1
        clauses = votes(rng, good, part)
        decides = set(map(id, clauses))
        for _ in range(rng.randint(2, 4)):
            clauses.insert(rng.randint(0, len(clauses)), distraction(rng))
        evidence = frozenset(
            (place, word) for place, each in enumerate(clauses) if id(each) in decides for _, word in each.evidence
        )
        yield Document(tuple(clause.text for clause in clauses), LABELS[good], evidence)


def generate(count: int, seed: int, part: str | None = None) -> list[Document]:
    """Return `count` reviews, as many positive as negative."""
    return list(itertools.islice(stream(random.Random(seed), part), count))


@made_once
def load() -> Labelled:
    """Return the fixed splits."""
    parts = {name: generate(size, 2016 + number, name) for number, (name, size) in enumerate(SIZES.items())}
    return Labelled("votes", LABELS, parts["train"], parts["validation"], {"test": parts["test"]})
