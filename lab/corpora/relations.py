"""Sentences made here with two marked persons, and the question which relation, in which direction, holds between them.

The label is the relation that one verb, the trigger, states of the two: Teaching(e1,e2) when the first marked person
teaches the second, Teaching(e2,e1) the other way round ("was taught by"), Other when no verb joins the two. The
gold evidence is the trigger, and "by" where it is passive. Every sentence holds other triggers, between other persons,
in front, in a relative clause, or behind.

The hash of the marked pair decides which split a sentence is in: no pair of a test sentence was read in training.
"""

import itertools
import random
import zlib
from collections.abc import Iterator

from lab.corpora import Document, Labelled
from lab.corpora.in_turn import in_turn
from lab.corpora.made_once import made_once
from lab.corpora.markers import with_markers

# Active past and passive participle of each trigger.
TRIGGERS = {
    "Teaching": ("taught", "trained", "instructed", "coached"),
    "Employment": ("hired", "employed", "recruited", "engaged"),
    "Healing": ("cured", "healed", "treated", "nursed"),
    "Accusation": ("accused", "denounced", "charged", "sued"),
    "Payment": ("paid", "rewarded", "reimbursed", "funded"),
    "Rescue": ("rescued", "saved", "freed", "sheltered"),
}
OTHER = "Other"
LABELS = (*(f"{name}({way})" for name in TRIGGERS for way in ("e1,e2", "e2,e1")), OTHER)
CLASSES = {label: None if label == OTHER else label.split("(")[0] for label in LABELS}
SIZES = {"train": 4000, "validation": 500, "test": 1000}

PERSONS = (
    "baker painter judge sailor nurse farmer lawyer singer miller tailor poet gardener soldier butcher dancer "
    "carpenter fisherman merchant clerk cook driver engineer mayor priest porter printer shepherd smith surgeon tutor"
).split()
KINDS = "old young tall famous quiet rich stubborn cheerful tired foreign".split()
PLACES = "in the village|near the harbour|at the market|behind the church|in the north|by the river".split("|")
TIMES = "last year|in the spring|long ago|after the war|on a monday|before the feast".split("|")
HABITS = (
    "who lived {place}|who came back {time}|who had a house {place}|who sang {place}|who seldom slept|"
    "whose brother worked {place}"
).split("|")

ADVERBS = "later secretly gladly often finally once also probably".split()

Word = tuple[str, bool]  # the word, and whether it is evidence


def words(text: str, evidence: bool = False) -> list[Word]:
    return [(word, evidence) for word in text.split()]


class Scene:
    """One sentence in the making: its persons, all different, and the random numbers."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.free = rng.sample(PERSONS, 8)

    def person(self, marker: str = "") -> list[Word]:
        """Return "the old baker", or with a marker "the old <e1> baker </e1>"; no person appears twice."""
        name = self.free.pop()
        kind = f"{self.rng.choice(KINDS)} " if self.rng.random() < 0.5 else ""
        return words(f"the {kind}<{marker}> {name} </{marker}>" if marker else f"the {kind}{name}")

    def aside(self) -> list[Word]:
        """Return an expression of place or of time, or nothing."""
        return words(self.rng.choice(["", "", self.rng.choice(PLACES), self.rng.choice(TIMES)]))

    def habit(self) -> list[Word]:
        """Return a relative clause without a trigger."""
        clause = self.rng.choice(HABITS)
        return words(clause.format(place=self.rng.choice(PLACES), time=self.rng.choice(TIMES)))

    def verb(self, evidence: str = "", passive: bool | None = None) -> list[Word]:
        """Return a trigger of the relation named as evidence, or of any, in the active or the passive."""
        trigger = self.rng.choice(TRIGGERS[evidence or self.rng.choice(list(TRIGGERS))])
        passive = self.rng.random() < 0.5 if passive is None else passive
        say = bool(evidence)
        adverb = words(self.rng.choice([*ADVERBS, ""]))
        return [*words("was"), *adverb, (trigger, say), ("by", say)] if passive else [*adverb, (trigger, say)]

    def distraction(self) -> list[Word]:
        """Return a whole clause between two other persons."""
        return [*self.person(), *self.verb(), *self.person(), *self.aside()]

    def relative(self, chance: float) -> list[Word]:
        """Return ", who hired the cook ," or one without a trigger, or nothing."""
        if self.rng.random() >= chance:
            return []
        inner = [*words("who"), *self.verb(), *self.person()] if self.rng.random() < 0.7 else self.habit()
        return [*words(","), *inner, *words(",")]


def core(scene: Scene, label: str) -> list[Word]:
    """Return the clause that joins the two marked persons; for Other each is joined with a third one only."""
    rng = scene.rng
    if label != OTHER:
        name, way = label.rstrip(")").split("(")
        verb = scene.verb(name, passive=way == "e2,e1")
        return [*scene.person("e1"), *scene.relative(0.6), *verb, *scene.person("e2"), *scene.aside()]
    first = [*scene.person("e1"), *scene.relative(0.3), *scene.verb(), *scene.person()]
    if rng.random() < 0.5:
        return [*first, *words(", who"), *scene.verb(), *scene.person("e2")]
    return [
        *first,
        *scene.aside(),
        *words(rng.choice([", and", ", while"])),
        *scene.person(),
        *scene.verb(),
        *scene.person("e2"),
    ]


def sentence(rng: random.Random, label: str) -> Document:
    """Return one sentence with the label, with a clause about other persons in front or behind, or both."""
    scene = Scene(rng)
    clause = core(scene, label)
    place = rng.choice(["front", "behind", "behind", "none"]) if label == OTHER else rng.choice(["front", "behind"])
    if place == "front":
        clause = [*scene.distraction(), *words(rng.choice([", and", ", but", ", while"])), *clause]
    elif place == "behind":
        clause = [*clause, *words(rng.choice([", and", ", but", ", while", ", because"])), *scene.distraction()]
    clause = [*clause, (".", False)]
    evidence = frozenset((0, place) for place, (_, says) in enumerate(clause) if says)
    return Document((" ".join(word for word, _ in clause),), label, evidence)


def marked(document: Document) -> tuple[str, str]:
    """Return the two marked persons of a sentence."""
    every = document.words
    return every[every.index("<e1>") + 1], every[every.index("<e2>") + 1]


def split(pair: tuple[str, str]) -> str:
    """Return the split that a sentence about these two belongs to."""
    share = zlib.crc32(" ".join(pair).encode()) % 100
    return "validation" if share < 8 else "test" if share < 24 else "train"


def stream(rng: random.Random, part: str | None = None) -> Iterator[Document]:
    """Return sentences without end, the labels in turn, of one split or of all."""
    return in_turn(LABELS, sentence, lambda made: split(marked(made)), rng, part)


def generate(count: int, seed: int, part: str | None = None) -> list[Document]:
    """Return `count` sentences, of each label as many."""
    return list(itertools.islice(stream(random.Random(seed), part), count))


@made_once
def load() -> Labelled:
    """Return the fixed splits."""
    parts = {name: generate(size, 2016 + number, name) for number, (name, size) in enumerate(SIZES.items())}
    tests = {"test": parts["test"]}
    return Labelled("relations", LABELS, parts["train"], parts["validation"], tests, "macro_f1", CLASSES)


def read(text: str) -> tuple[str, ...]:
    """Return a sentence written by people, its two persons between <e1> </e1> and <e2> </e2>, cut into words."""
    return (with_markers(text.lower()),)
