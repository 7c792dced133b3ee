"""Sentences: clauses with times and places, joined until the wanted length is reached."""

from dataclasses import replace

from lab.corpora.phrasebook.clauses import (
    AT,
    BESIDE,
    MANNER,
    NOTHING,
    PASSIVE,
    PLAIN,
    SWAP,
    Part,
    a_subject,
    clitic,
    complements,
    pair,
    predicate,
    relative,
    tense,
    use,
)
from lab.corpora.phrasebook.groups import BE, Group, english_group, french_group, numbered
from lab.corpora.phrasebook.nominals import (
    ADJECTIVES,
    BY_KIND,
    PRONOUNS,
    Draw,
    Nominal,
    noun_phrase,
    pronoun,
)
from lab.corpora.phrasebook.surface import Word
from lab.corpora.phrasebook.verbs import french_finite

# French puts the time first, English last
TIMES = {
    "past": (("hier", "yesterday"), ("hier soir", "last night"), ("ce matin", "this morning"),
             ("la semaine dernière", "last week"), ("l' année dernière", "last year"), ("lundi dernier", "last monday"),
             ("il y a deux jours", "two days ago"), ("il y a trois ans", "three years ago")),
    "present": (("chaque jour", "every day"), ("chaque matin", "every morning"), ("le dimanche", "on sundays"),
                ("en hiver", "in winter"), ("en été", "in summer"), ("chaque soir", "every evening")),
    "future": (("demain", "tomorrow"), ("demain matin", "tomorrow morning"), ("la semaine prochaine", "next week"),
               ("dans deux jours", "in two days"), ("ce soir", "tonight"), ("l' année prochaine", "next year"),
               ("bientôt", "soon")),
}  # fmt: skip
TIME_LINKS = {
    "la semaine dernière": "1-1 2-0", "l' année dernière": "1-1 2-0", "lundi dernier": "0-1 1-0",
    "il y a deux jours": "0-2 1-2 2-2 3-0 4-1", "il y a trois ans": "0-2 1-2 2-2 3-0 4-1",
    "la semaine prochaine": "1-1 2-0", "l' année prochaine": "1-1 2-0",
}  # fmt: skip
JOINS = (("et", "and"), ("et", "and"), ("mais", "but"), ("puis", "then"))
# French begins with the subordinate clause, English ends with it: conjunctions, time of both clauses
FRONTED = (("quand", "when", "present", "present"), ("quand", "when", "past", "past"),
           ("si", "if", "present", "future"), ("puisque", "since", "present", "present"),
           ("puisque", "since", "past", "past"))  # fmt: skip
THINKING = (("dire", "say"), ("penser", "think"), ("savoir", "know"), ("croire", "believe"))
COPULA = tuple(kind for kind, place in ADJECTIVES if place == "after" and ADJECTIVES[kind, place])


def place(draw: Draw) -> Part:
    """Return a place: a preposition and a noun phrase."""
    spot = noun_phrase(draw, ("building", "outside", "outside"), 2, definite=True, whole=False)
    french, english = AT.get(spot.lemma) or draw.rng.choice(BESIDE)
    return pair(draw, french, english) + Part(spot.french, spot.english)


def time(draw: Draw, when: str) -> Part:
    """Return an expression of time."""
    french, english = draw.rng.choice(TIMES[when])
    if french not in TIME_LINKS:
        return pair(draw, french, english)
    numbers = {tuple(map(int, link.split("-"))): draw.says() for link in TIME_LINKS[french].split()}
    return Part(*(
        [(w, sum((n for link, n in numbers.items() if link[side] == i), ())) for i, w in enumerate(words.split())]
        for side, words in enumerate((french, english))
    ))  # fmt: skip


def copula(draw: Draw, when: str, room: int) -> Part:
    """Return "la maison est rouge", sometimes with a comparison."""
    kind = draw.rng.choice(COPULA)
    subject = noun_phrase(draw, (kind,), room - 3)
    adjective = draw.unused(ADJECTIVES[subject.kind, "after"])
    is_, not_, says = draw.says(), draw.says(), draw.says()
    negated = draw.chance(0.2)
    form = {"past": "imperfect"}.get(when, "present")
    person = subject.english_person
    french = [("ne", not_)] * negated + [(french_finite("être", form, person), is_)] + [("pas", not_)] * negated
    english = [(BE["past" if when == "past" else "present"][person], is_)] + [("not", not_)] * negated
    french.append((adjective.agree(subject.gender, subject.plural), says))
    return Part(subject.french + french, [*subject.english, *english, (adjective.english, says)])


def swapped(draw: Draw, when: str, room: int) -> Part:
    """Return "la fille manque au roi" / "the king misses the girl": the English subject is the French complement."""
    verb = draw.unused(SWAP)
    french_subject = noun_phrase(draw, verb.subject, (room - 2) // 2, definite=True)
    if draw.chance(0.4):
        row = draw.rng.choice([row for row in PRONOUNS if row[3] and row[7] != 4])
        other = pronoun(draw, row, "dative")
        english = [(row[1], other.english[0][1])]
        other = replace(other, english=english, person=row[7])
    else:
        other = noun_phrase(draw, ("person",), (room - 2) // 2, definite=True)
    chosen = "imperfect" if when == "past" else "future" if when == "future" else "present"
    polarity = "pas" if draw.chance(0.2) else ""
    group = Group(verb, chosen, polarity, clitic=other if other.pronoun else None, numbers=numbered(draw, verb))
    french = french_subject.french + french_group(group, french_subject)
    rest = complements(verb, group, other, None).french
    return Part(french + rest, other.english + english_group(group, other.english_person) + french_subject.english)


def passive(draw: Draw, when: str, room: int) -> Part:
    """Return "on a vendu la maison" / "the house was sold": on has no English."""
    verb = draw.unused(PASSIVE)
    done = noun_phrase(draw, verb.object, room - 2, definite=True)
    chosen = {"past": "composed", "present": "present", "future": "future"}[when]
    polarity = "pas" if draw.chance(0.2) else ""
    group = Group(verb, chosen, polarity, passive=True, numbers=numbered(draw, verb))
    on = Nominal([("on", ())], [], "m", False)
    rest = [word for word in verb.english[1:] if word != "~"]
    particles = [(word, group.english(i + 1)) for i, word in enumerate(rest)]
    french = on.french + french_group(group, on) + done.french
    return Part(french, done.english + english_group(group, done.english_person) + particles)


def action(draw: Draw, when: str, room: int) -> Part:
    """Return a subject with its predicate, with relative clauses where there is room."""
    for _ in range(20):
        verb = draw.unused(PLAIN)
        subject = a_subject(draw, verb.subject, max(2, room // 2))
        group = use(draw, verb, subject, when)
        if group is not None:
            break
    else:
        return copula(draw, when, room)
    if not subject.pronoun and room > 9 and draw.chance(0.6):
        subject = relative(draw, subject, room // 2, when)
    part = predicate(draw, group, subject, room - len(subject.french) + 2)
    clause = Part(subject.french, subject.english) + part
    if len(clause.french) + 3 <= room and draw.chance(0.7):
        clause += place(draw)
    return clause


def simple(draw: Draw, when: str, room: int, timed: bool = True) -> Part:
    """Return one clause of about `room` French words."""
    front = NOTHING
    if timed and room >= 5 and draw.chance(0.35):
        front = time(draw, when)
        room -= len(front.french)
    kind = draw.rng.random()
    if kind < 0.08 and when != "future":
        clause = copula(draw, when, room)
    elif kind < 0.16:
        clause = swapped(draw, when, room)
    elif kind < 0.24:
        clause = passive(draw, when, room)
    else:
        clause = action(draw, when, room)
    return Part(front.french + clause.french, clause.english + front.english)


def fronted(draw: Draw, room: int) -> Part:
    """Return a clause with a subordinate one: first in French, last in English."""
    french, english, first, second = draw.rng.choice(FRONTED)
    word = pair(draw, french, english)
    inner = simple(draw, first, (room - 2) // 2, timed=False)
    outer = simple(draw, second, room - 2 - len(inner.french), timed=False)
    return Part(word.french + inner.french + [(",", ())] + outer.french, outer.english + word.english + inner.english)


def reported(draw: Draw, room: int) -> Part:
    """Return "le roi pense que …" / "the king thinks that …"."""
    french, english = draw.rng.choice(THINKING)
    subject = noun_phrase(draw, ("person",), 2)
    says, that = draw.says(), draw.says()
    person = subject.english_person
    third = english + "s" * (person == 1)
    inner = simple(draw, draw.rng.choice(("past", "present", "future")), room - len(subject.french) - 2, timed=False)
    return Part(
        [*subject.french, (french_finite(french, "present", person), says), ("que", that), *inner.french],
        [*subject.english, (third, says), ("that", that), *inner.english],
    )


def unit(draw: Draw, when: str, room: int) -> Part:
    """Return one independent part of a sentence."""
    kind = draw.rng.random()
    if room >= 8 and kind < 0.25 and when != "future":
        return fronted(draw, room)
    if room >= 7 and kind < 0.35:
        return reported(draw, room)
    return simple(draw, when, room)


def sentence(draw: Draw, room: int) -> Part:
    """Return a sentence of about `room` French words: units of at most some twenty words, joined."""
    when = draw.rng.choice(("past", "past", "present", "present", "future"))
    pieces = 1 if room < 11 else max(1, round(room / draw.rng.uniform(9, 18)))
    whole = unit(draw, when, room // pieces)
    for left in range(pieces - 1, 0, -1):
        comma, join = draw.says(), pair(draw, *draw.rng.choice(JOINS))
        following = unit(draw, when, max(4, (room - len(whole.french)) // left - 2))
        whole += Part([(",", comma)], [(",", comma)]) + join + following
    return whole


__all__ = ["Part", "Word", "clitic", "sentence", "tense"]
