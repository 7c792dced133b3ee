"""Sentences: clauses with times and places, joined until the wanted length is reached."""

from lab.corpora.phrasebook.clauses import NOTHING, PLAIN, Part, a_subject, pair, place, predicate, relative, use
from lab.corpora.phrasebook.groups import Group, numbered
from lab.corpora.phrasebook.nominals import Draw, Nominal, linked_by, noun_phrase
from lab.corpora.phrasebook.patterns import comparison, copula, passive, swapped, there_is, trade
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
# French begins with the subordinate clause, English ends with it: by the time of the main clause, the conjunctions
# and the time of the subordinate clause
FRONTED = {
    "past": (("quand", "when", "past"), ("puisque", "since", "past")),
    "present": (("quand", "when", "present"), ("puisque", "since", "present")),
    "future": (("si", "if", "present"),),
}
THINKING = (("dire", "say"), ("penser", "think"), ("savoir", "know"), ("croire", "believe"))
PATTERNS = (comparison, copula, trade, there_is, swapped, swapped, passive, passive)
EVENTS = tuple(verb for verb in PLAIN if "stative" not in verb.flags)
SETTLED = {"stative", "etre", "with", "nowhere"}
AIMS = tuple(verb for verb in EVENTS if not verb.flags & {"unwilled", "purpose", "refl", "etre"})


def time(draw: Draw, when: str) -> Part:
    """Return an expression of time."""
    french, english = draw.unused(TIMES[when])
    if french not in TIME_LINKS:
        return pair(draw, french, english)
    numbers = {tuple(map(int, link.split("-"))): draw.says() for link in TIME_LINKS[french].split()}
    return Part(*linked_by(numbers, french.split(), english.split()))


def purpose(draw: Draw, subject: Nominal, room: int) -> Part:
    """Return "pour acheter des pommes" / "to buy some apples"."""
    verb = draw.unused([verb for verb in AIMS if subject.kind in verb.subject])
    group = Group(verb, "infinitive", numbers=numbered(draw, verb))
    return pair(draw, "pour", "to") + predicate(draw, group, subject, room - 1)


def ending(draw: Draw, verb, subject: Nominal, when: str, room: int, timed: bool) -> Part:
    """Return an ending behind the objects of the `verb`, or NOTHING: a purpose, a second predicate or a place.

    It fits the `subject`, the time `when` and the `room` in words; `draw` chooses, and `timed` forbids a second time.
    """
    if room >= 3 and "purpose" in verb.flags and subject.kind == "person" and draw.chance(0.6):
        return purpose(draw, subject, room)
    if room >= 5 and draw.chance(0.35):
        second = draw.unused([v for v in EVENTS if subject.kind in v.subject])
        group = use(draw, second, subject, when, timed)
        if group is not None:
            return pair(draw, "et", "and") + predicate(draw, group, subject, room - 1)
    if room >= 3 and not verb.flags & SETTLED and subject.kind == "person" and draw.chance(0.7):
        return place(draw)
    return NOTHING


def action(draw: Draw, when: str, room: int, timed: bool) -> Part:
    """Return a subject with its predicate, with relative clauses where there is room."""
    group, subject = None, None
    while group is None or subject is None:
        verb = draw.unused(EVENTS if timed else PLAIN)
        subject = a_subject(draw, verb.subject, max(2, room // 2))
        group = use(draw, verb, subject, when, timed)
    if subject.lemma and room > 8 and draw.chance(0.5):
        subject = relative(draw, subject, room // 2, when)
    room -= len(subject.french)
    part = predicate(draw, group, subject, room, "" if timed else when)
    clause = Part(subject.french, subject.english) + part
    heavy = any(word in ("qui", "que") for word, _ in part.french)
    left = 0 if heavy else room - len(part.french)
    return clause + ending(draw, group.verb, subject, when, left, timed)


def simple(draw: Draw, when: str, room: int, timed: bool) -> Part:
    """Return one clause of about `room` French words."""
    if timed and room >= 5 and draw.chance(0.4):
        front = time(draw, when)
        clause = action(draw, when, room - len(front.french), timed=True)
        return Part(front.french + clause.french, clause.english + front.english)
    if draw.chance(0.3):
        options = [pattern for pattern in PATTERNS if when != "future" or pattern in (swapped, passive)]
        return draw.rng.choice(options)(draw, when, room)
    return action(draw, when, room, timed=False)


def fronted(draw: Draw, when: str, room: int) -> Part:
    """Return a clause with a subordinate one: first in French, last in English."""
    french, english, first = draw.rng.choice(FRONTED[when])
    word = pair(draw, french, english)
    # quand and si join events; puisque joins whatever is so
    clause = simple if french == "puisque" else action
    inner = clause(draw, first, (room - 2) // 2, french != "puisque")
    outer = clause(draw, when, room - 2 - len(inner.french), french != "puisque")
    return Part(word.french + inner.french + [(",", ())] + outer.french, outer.english + word.english + inner.english)


def reported(draw: Draw, when: str, room: int) -> Part:
    """Return "le roi pense que …" / "the king thinks that …"."""
    french, english = draw.rng.choice(THINKING)
    subject = noun_phrase(draw, ("person",), 2)
    says, that = draw.says(), draw.says()
    person = subject.english_person
    third = english + "s" * (person == 1)
    when = draw.rng.choice(("past", "present", "future")) if when == "present" else when
    inner = simple(draw, when, room - len(subject.french) - 2, timed=False)
    return Part(
        [*subject.french, (french_finite(french, "present", person), says), ("que", that), *inner.french],
        [*subject.english, (third, says), ("that", that), *inner.english],
    )


def unit(draw: Draw, when: str, room: int) -> Part:
    """Return one independent part of a sentence."""
    kind = draw.rng.random()
    if room >= 8 and kind < 0.25:
        return fronted(draw, when, room)
    if room >= 7 and kind < 0.35:
        return reported(draw, when, room)
    return simple(draw, when, room, timed=True)


def join(draw: Draw, when: str, room: int) -> Part:
    """Return a comma, et, mais or puis, and one more part; puis ("then") joins events only."""
    comma = draw.says()
    word = draw.rng.choice((("et", "and"), ("et", "and"), ("mais", "but"), ("puis", "then")))
    events = word[0] == "puis" and when != "present"
    word = word if events or word[0] != "puis" else ("et", "and")
    following = action(draw, when, room, timed=True) if events else unit(draw, when, room)
    return Part([(",", comma)], [(",", comma)]) + pair(draw, *word) + following


def sentence(draw: Draw, room: int) -> Part:
    """Return a sentence of about `room` French words: units of at most some twenty words, joined."""
    when = draw.rng.choice(("past", "past", "present", "present", "future"))
    pieces = 1 if room < 11 else max(1, round(room / draw.rng.uniform(9, 18)))
    whole = unit(draw, when, room // pieces)
    for left in range(pieces - 1, 0, -1):
        whole += join(draw, when, max(4, (room - len(whole.french)) // left - 2))
    return whole
