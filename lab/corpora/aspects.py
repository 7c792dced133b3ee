"""Film reviews made here that judge two things, the music and the acting; the label is the pair of verdicts.

Each verdict is good or bad by itself, so that there are four labels. The two stand in one sentence or in two, in either
order, among sentences that decide nothing: what somebody else thought of the music or of the acting, what the writer
had expected, another film's music, the popcorn. All of them draw from the same adjectives, and a third of the opinions
turn an adjective round (not good, far from dull), so that it is not the words that decide but which stand together.

Each aspect has its own gold evidence: the adjective of its verdict and what turns it round.

The hash of a sentence with a verdict decides which split it is in: none of a test review was read in training.
"""

import itertools
import random
from collections.abc import Iterator, Sequence

from lab.corpora import Document, Labelled
from lab.corpora.made_once import made_once
from lab.corpora.reviews import PEOPLE, THINGS, Clause, any_view, filled, opinion, read, split

ASPECTS = {
    "music": "the music|the score|the soundtrack|the title song".split("|"),
    "acting": "the acting|the cast|the lead actor|the ensemble".split("|"),
}
WORDS = ("bad", "good")  # what a verdict can be
PAIRS = tuple(itertools.product((False, True), repeat=len(ASPECTS)))
LABELS = tuple(
    ", ".join(f"{aspect} {WORDS[good]}" for aspect, good in zip(ASPECTS, pair, strict=True)) for pair in PAIRS
)
SIZES = {"train": 5000, "validation": 500, "test": 1000}
SHORTEST, LONGEST = 20, 45  # words of a review
TOGETHER = 0.4  # share of the reviews that have both verdicts in one sentence
OTHERS = "of his last film|of her first film|in the trailer|in the old version|of the sequel|in the play".split("|")
VERDICTS = (
    "for me {name} was {view} .|i found {name} {view} .|{person} called {name} {other} , but i found it {view} .|"
    "i expected {name} to be {other} , but it was {view} .|{thing} was {other} , but {name} was {view} .|"
    "{name} was {view} , although {thing} was {other} .|"
    "{person} found {second} {other} , but for me {name} was {view} ."
).split("|")
BOTH = (
    "{name} was {view} {joint} {second} was {its_view} .|i found {name} {view} {joint} {second} {its_view} .|"
    "for me {name} was {view} {joint} i found {second} {its_view} ."
).split("|")
DISTRACTIONS = (
    "{person} found {name} {view} .|for {person} {name} was {view} .|i expected {name} to be {view} .|"
    "for me {name} {elsewhere} was {view} .|i found {name} {elsewhere} {view} .|"
    "{thing} was {view} , but {name} {elsewhere} was {other} .|for me {thing} was {view} .|{filler}"
).split("|")

__all__ = ["LABELS", "SIZES", "generate", "load", "read"]


def named(rng: random.Random, aspect: str) -> str:
    return rng.choice(ASPECTS[aspect])


def verdict(rng: random.Random, aspect: str, good: bool) -> Clause:
    """Return a sentence with the writer's verdict on one aspect."""
    name, view = named(rng, aspect), opinion(rng, good, aspect)
    other, person, thing = any_view(rng), rng.choice(PEOPLE), rng.choice(THINGS)
    second = named(rng, rng.choice(list(ASPECTS)))  # judged as well, by somebody else or elsewhere
    return filled(rng, VERDICTS, name=name, view=view, other=other, person=person, thing=thing, second=second)


def both(rng: random.Random, pair: Sequence[bool]) -> Clause:
    """Return one sentence with the writer's verdicts on both aspects, in either order."""
    verdicts = [(named(rng, aspect), opinion(rng, good, aspect)) for aspect, good in zip(ASPECTS, pair, strict=True)]
    rng.shuffle(verdicts)
    (name, view), (second, its_view) = verdicts
    joint = rng.choice([", and", ", while", ", but"])
    return filled(rng, BOTH, name=name, view=view, joint=joint, second=second, its_view=its_view)


def distraction(rng: random.Random) -> Clause:
    """Return a sentence that says nothing of what the writer thinks of this film's music or acting."""
    name, person, thing = named(rng, rng.choice(list(ASPECTS))), rng.choice(PEOPLE), rng.choice(THINGS)
    view, other, elsewhere = any_view(rng), any_view(rng), rng.choice(OTHERS)
    parts = {"name": name, "person": person, "thing": thing, "view": view, "other": other, "elsewhere": elsewhere}
    return filled(rng, DISTRACTIONS, **parts)


def deciding(rng: random.Random, pair: Sequence[bool], part: str) -> list[Clause]:
    """Return the one or two sentences with the verdicts, in random order, all of one split."""
    if rng.random() < TOGETHER:
        while split(joint := both(rng, pair)) != part:
            pass
        return [joint]
    each = []
    for aspect, good in zip(ASPECTS, pair, strict=True):
        while split(single := verdict(rng, aspect, good)) != part:
            pass
        each.append(single)
    rng.shuffle(each)
    return each


def review(rng: random.Random, pair: Sequence[bool], part: str) -> Document:
    """Return a review with these verdicts, of a length within the bounds."""
    while True:
        lines = deciding(rng, pair, part)
        for _ in range(rng.randint(1, 3)):
            lines.insert(rng.randint(0, len(lines)), distraction(rng))
        if SHORTEST <= sum(len(line.words) for line in lines) <= LONGEST:
            break
    aspects = tuple(
        (aspect, frozenset((n, word) for n, line in enumerate(lines) for of, word in line.evidence if of == aspect))
        for aspect in ASPECTS
    )
    evidence = frozenset().union(*(places for _, places in aspects))
    return Document(tuple(line.text for line in lines), LABELS[PAIRS.index(tuple(pair))], evidence, aspects)


def stream(rng: random.Random, part: str | None) -> Iterator[Document]:
    """Yield reviews without end, the labels in turn, of one split or of all."""
    for pair in itertools.cycle(PAIRS):
        yield review(rng, pair, part or rng.choice(["train", "validation", "test"]))


def generate(count: int, seed: int, part: str | None = None) -> list[Document]:
    """Return `count` reviews, of each label as many."""
    return list(itertools.islice(stream(random.Random(seed), part), count))


@made_once
def load() -> Labelled:
    """Return the fixed splits."""
    parts = {name: generate(size, 2017 + number, name) for number, (name, size) in enumerate(SIZES.items())}
    return Labelled("aspects", LABELS, parts["train"], parts["validation"], {"test": parts["test"]})
