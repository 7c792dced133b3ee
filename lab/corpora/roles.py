"""French sentences made by the phrasebook's grammar, with the question who does something to whom.

The label is "he → me" for "il m' a entarté": one person, and what another does to this one; there are 23. A person is
a pronoun or a noun, and the order of the words does not tell: "la reine le punit", "la reine me manque" ("i miss the
queen": i → her). In front or behind may stand a clause in which nobody does anything to anybody ("elle mange du pain").

The gold evidence is the words that name the two persons, and the verb. The hash of a sentence decides its split.
"""

import itertools
import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from lab.corpora import Document, Labelled
from lab.corpora.made_once import made_once
from lab.corpora.phrasebook import tokenise
from lab.corpora.phrasebook.clauses import PLAIN, SWAP, a_subject, complements, place, predicate, use
from lab.corpora.phrasebook.groups import Group, french_group, numbered
from lab.corpora.phrasebook.nominals import PRONOUNS, Draw, Nominal, noun_phrase, pronoun
from lab.corpora.phrasebook.sentences import time
from lab.corpora.phrasebook.surface import Word, spell_french
from lab.corpora.phrasebook.verbs import Verb

ROWS = {english: row for row in PRONOUNS for english in (row[1], row[4])}  # the pronoun, as English calls it
WHO, WHOM = ("i", "you", "he", "she", "they"), ("me", "you", "him", "her", "them")
LABELS = tuple(f"{who} → {whom}" for who in WHO for whom in WHOM if (who, whom) not in (("i", "me"), ("you", "you")))
SIZES = {"train": 6000, "validation": 500, "test": 1000}
DEEDS = tuple(
    verb for verb in PLAIN if "person" in verb.subject and "person" in verb.object and not verb.flags & {"give", "refl"}
)
MISSING = next(verb for verb in SWAP if verb.lemma == "manquer")
ASIDES = tuple(verb for verb in PLAIN if "person" not in verb.object and "give" not in verb.flags)
JOINTS = ("et", "et", "mais", "puis")
Clause = tuple[list[Word], set[int]]  # its words, and the numbers of those that are evidence


def numbers(words: Sequence[Word]) -> set[int]:
    return {number for _, says in words for number in says}


def somebody(draw: Draw, person: str) -> Nominal:
    """Return a noun for he or him, she or her, they or them."""
    _, _, _, _, _, gender, plural, _ = ROWS[person]
    while True:
        nominal = noun_phrase(draw, ("person",), 2, style="definite", whole=False)
        if nominal.plural == plural and (plural or nominal.gender == gender):
            return nominal


def before(draw: Draw, person: str, role: str) -> Nominal:
    """Return the person before the verb: a pronoun, or half of the time a noun where one can be meant."""
    row = ROWS[person]
    return somebody(draw, person) if row[7] in (1, 4) and draw.chance(0.5) else pronoun(draw, row, role)


def put(group: Group, subject: Nominal, other: Nominal) -> list[Word]:
    """Return the clause of a subject and of the other person, before the verb or behind it."""
    if other.pronoun:
        group = replace(group, clitic=other, agree=None if other.dative else other)
    rest = complements(group.verb, group, other, None)
    return [*subject.french, *french_group(group, subject), *rest.french]


def acted(draw: Draw, who: str, whom: str, verb: Verb, when: str, timed: bool) -> tuple[Group, Nominal, Nominal] | None:
    """Return verb, subject and object of the French for `verb`, done by `who` to `whom` at the time `when`.

    `draw` chooses the words; a `timed` sentence names the time. None if the three do not go together.
    """
    agent = before(draw, who, "subject")
    group = use(draw, verb, agent, when, timed)
    if group is None:
        return None
    row, dative = ROWS[whom], "dative" in verb.flags
    can_precede = not verb.flags & {"de", "with"} and bool(row[3] or not dative)
    if can_precede and (row[7] not in (1, 4) or draw.chance(0.5)):
        patient = pronoun(draw, row, "dative" if dative else "object")
        elided = any(word == "l'" for word, _ in spell_french(put(group, agent, patient)))
        if not elided or (group.tense == "composed" and not group.modal):  # a participle shows the gender
            return group, agent, patient
    return None if row[7] not in (1, 4) else (group, agent, somebody(draw, whom))


def missed(draw: Draw, who: str, whom: str, when: str) -> tuple[Group, Nominal, Nominal] | None:
    """Return "la reine me manque": the person who is missed is the French subject; None for a rare form."""
    patient = before(draw, whom, "subject")
    tense = {"past": "imperfect", "future": "future"}.get(when, "present")
    if tense != "future" and patient.person == 3:
        return None
    agent = pronoun(draw, ROWS[who], "dative") if ROWS[who][3] and draw.chance(0.7) else None
    if agent is None and who in ("i", "you"):
        return None
    return Group(MISSING, tense, numbers=numbered(draw, MISSING)), patient, agent or somebody(draw, who)


def deed(draw: Draw, label: str, when: str, timed: bool) -> Clause:
    """Return a clause in which somebody does something to somebody, as the label says."""
    who, whom = label.split(" → ")
    while True:
        is_missing = not timed and draw.chance(0.08)
        verb = draw.unused([verb for verb in DEEDS if not timed or "stative" not in verb.flags])
        made = missed(draw, who, whom, when) if is_missing else acted(draw, who, whom, verb, when, timed)
        if made:
            group, subject, other = made
            of_verb = {group.numbers[pair] for pair in group.verb.pairs}
            return put(group, subject, other), numbers(subject.french) | numbers(other.french) | of_verb


def aside(draw: Draw, when: str, timed: bool) -> Clause:
    """Return a clause in which nobody does anything to anybody."""
    while True:
        verb = draw.unused([verb for verb in ASIDES if not timed or "stative" not in verb.flags])
        subject = a_subject(draw, verb.subject, 2)
        if group := use(draw, verb, subject, when, timed):
            return [*subject.french, *predicate(draw, group, subject, 5).french], set()


def sentence(rng: random.Random, labels: Sequence[str], asides: float) -> tuple[str, list[frozenset[tuple[int, int]]]]:
    """Return a sentence with a deed for each label, in this order, and where the evidence of each is."""
    draw = Draw(rng)
    when, timed = draw.rng.choice(("past", "past", "present", "present", "future")), draw.chance(0.5)
    clauses = [deed(draw, label, when, timed) for label in labels]
    if draw.chance(asides):
        clauses.insert(draw.rng.randint(0, len(clauses)), aside(draw, when, timed))
    words: list[Word] = time(draw, when).french if timed else []
    for number, (clause, _) in enumerate(clauses):
        joint = draw.rng.choice(JOINTS if timed and when != "present" else JOINTS[:3])
        words += [(",", ()), (joint, ()), *clause] if number else clause
    if clauses[-1][1] and draw.chance(0.3):
        words += place(draw).french
    spelled = spell_french(words)
    places = [
        frozenset((0, place) for place, (_, says) in enumerate(spelled) if evidence & set(says))
        for _, evidence in clauses
        if evidence
    ]
    return " ".join(word for word, _ in spelled), places


def split(text: str) -> str:
    """Return the split that a sentence belongs to."""
    share = zlib.crc32(text.encode()) % 100
    return "validation" if share < 8 else "test" if share < 24 else "train"


def stream(rng: random.Random, part: str | None = None) -> Iterator[Document]:
    """Yield sentences without end, the labels in turn, of one split or of all; none comes twice."""
    seen: set[str] = set()
    for label in itertools.cycle(LABELS):
        while True:
            text, (evidence,) = sentence(rng, [label], 0.75)
            if text not in seen and split(text) == (part or split(text)):
                break
        seen.add(text)
        yield Document((text,), label, evidence)


def generate(count: int, seed: int, part: str | None = None) -> list[Document]:
    """Return `count` sentences, of each label as many."""
    return list(itertools.islice(stream(random.Random(seed), part), count))


@made_once
def load() -> Labelled:
    """Return the fixed splits."""
    parts = {name: generate(size, 2016 + number, name) for number, (name, size) in enumerate(SIZES.items())}
    return Labelled("roles", LABELS, parts["train"], parts["validation"], {"test": parts["test"]})


def read(text: str) -> tuple[str, ...]:
    """Return a French sentence written by people, cut into words."""
    return (tokenise(text),)
