"""Clauses: a subject, a verb that fits it, and the verb's objects, in both languages at once."""

from dataclasses import dataclass, replace
from typing import Any, no_type_check

from lab.corpora.phrasebook.groups import MODALS, Group, english_group, french_group, numbered
from lab.corpora.phrasebook.nominals import IT, PRONOUNS, Draw, Nominal, linked, noun_phrase, pronoun, with_relative
from lab.corpora.phrasebook.surface import Word, has_initial_vowel
from lab.corpora.phrasebook.verbs import ALL_VERBS, Verb

OFTEN = (("souvent", "often"), ("toujours", "always"), ("rarement", "rarely"), ("parfois", "sometimes"))
MANNER = (
    ("lentement", "slowly"), ("calmement", "calmly"), ("rapidement", "quickly"), ("prudemment", "carefully"),
    ("secrètement", "secretly"), ("tranquillement", "quietly"), ("joyeusement", "cheerfully"),
)  # fmt: skip
AT = {
    "gare routière": ("à", "at"),
    "gare": ("à", "at"),
    "marché": ("à", "at"),
    "pont": ("sur", "on"),
    "plage": ("sur", "on"),
    "île": ("sur", "on"),
}
BESIDE = {
    "outside": (("dans", "in"), ("dans", "in"), ("près de", "near")),
    "building": (("dans", "in"), ("dans", "in"), ("près de", "near"), ("devant", "in front of"), ("derrière", "behind"),
                 ("à côté de", "next to")),
}  # fmt: skip
BY_OBJECT: dict[str, list[Verb]] = {}
BY_SUBJECT: dict[str, list[Verb]] = {}
for _verb in ALL_VERBS:
    for _kind in _verb.subject if "swap" not in _verb.flags else ():
        BY_SUBJECT.setdefault(_kind, []).append(_verb)
    if not _verb.flags & {"de", "dative", "with", "give", "swap"}:
        for _kind in _verb.object:
            BY_OBJECT.setdefault(_kind, []).append(_verb)
PLAIN = tuple(verb for verb in ALL_VERBS if "swap" not in verb.flags)
SWAP = tuple(verb for verb in ALL_VERBS if "swap" in verb.flags)
PASSIVE = tuple(verb for verb in ALL_VERBS if "passive" in verb.flags)


@no_type_check
@dataclass(frozen=True)
class Part:
    """A piece of a sentence in both languages."""

    french: list[Word]
    english: list[Word]

    def __add__(self, other: "Part") -> "Part":
        return Part(self.french + other.french, self.english + other.english)


NOTHING = Part([], [])


def pair(draw: Draw, french: str, english: str) -> Part:
    """Return two phrases linked word for word if they are as many, otherwise all with all."""
    return Part(*linked(draw, french.split(), english.split()))


def place(draw: Draw) -> Part:
    """Return a place: a preposition and a noun phrase."""
    spot = noun_phrase(draw, ("building", "outside", "outside"), 2, style="the", whole=False, single=True)
    french, english = AT.get(spot.lemma) or draw.rng.choice(BESIDE[spot.kind])
    return pair(draw, french, english) + Part(spot.french, spot.english)


def tense(draw: Draw, verb: Verb, person: int, when: str, timed: bool) -> str:
    """Return a tense for the time and the person; "" if the verb has none: rare forms are left out."""
    simple = person in (1, 4)
    plain = simple or (person == 0 and not verb.has_form_for_je)
    if when == "future":
        return "" if verb.lemma == "aller" else "future"
    if when == "past":
        if "stative" in verb.flags:
            return "imperfect" if simple else ""
        lasting = person == 1 and not timed and "instant" not in verb.flags
        return "imperfect" if lasting and draw.chance(0.2) else "composed"
    if "stative" not in verb.flags and not timed and draw.chance(0.15 if plain else 1.0):
        return "recent"
    # "i hit" is the present and the past: English would not say which French is meant
    return "present" if plain and (person == 1 or verb.english[0] not in ("hit", "read", "put")) else ""


def modal_verb(draw: Draw, verb: Verb, when: str) -> str:
    """Return a modal verb or none: vouloir, pouvoir, devoir in the present, essayer, refuser, commencer in the past."""
    if verb.flags & {"stative", "unwilled"} or when == "future" or draw.chance(0.86):
        return ""
    return draw.rng.choice(tuple(MODALS)[:3] if when == "present" else tuple(MODALS)[3:])


def polarity(draw: Draw, chosen: str, modal: str, timed: bool) -> str:
    """Return pas, jamais, plus or none; beside a time only pas."""
    if chosen == "recent" or draw.chance(0.8):
        return ""
    if modal or timed or chosen not in ("present", "composed") or draw.chance(0.65):
        return "pas"
    return "plus" if chosen == "present" and draw.chance(0.4) else "jamais"


def use(draw: Draw, verb: Verb, subject: Nominal, when: str, timed: bool = False) -> Group | None:
    """Return the verb in a tense, negated or with an adverb or a modal verb; None if it does not fit the subject."""
    chosen, modal, adverb = tense(draw, verb, subject.english_person, when, timed), modal_verb(draw, verb, when), None
    if modal:
        chosen = "present" if when == "present" else "composed"
    chanced = timed and when == "present" and "unwilled" in verb.flags
    if not chosen or chanced or (verb.lemma == "suivre" and subject.person == 0):
        return None
    negation = "" if subject.style == "all" else polarity(draw, chosen, modal, timed)
    repeated = chosen in ("present", "composed") and not timed and "instant" not in verb.flags
    if not negation and not modal and repeated and draw.chance(0.2):
        word, says = draw.rng.choice(OFTEN), draw.says()
        adverb = ((word[0], says), (word[1], says))
    return Group(verb, chosen, negation, adverb, modal=modal, numbers=numbered(draw, verb))


def is_another_person(row: tuple, subject: Nominal) -> bool:
    """Return whether the pronoun means somebody else than the subject: not "je nous", "vous vous"."""
    groups = ((0, 2), (3,))
    return not any(row[7] in group and subject.person in group for group in groups)


def clitic(draw: Draw, verb: Verb, subject: Nominal, group: Group) -> Nominal | None:
    """Return a pronoun object, if the verb takes one and its French shows the gender that its English needs."""
    if not verb.object or verb.flags & {"de", "with"}:
        return None
    if "dative" in verb.flags or "give" in verb.flags:
        rows = [row for row in PRONOUNS if row[3]]
        return pronoun(draw, draw.rng.choice([r for r in rows if is_another_person(r, subject)]), "dative")
    if "person" not in verb.object:
        return pronoun(draw, IT if verb.object == ("drink",) else draw.rng.choice((IT, PRONOUNS[5])), "object")
    # l' hides the gender, unless a participle shows it
    infinitive = group.modal or group.tense in ("future", "recent")
    verbal = french_group(group, subject)
    hidden = has_initial_vowel(verb.lemma if infinitive else verbal[bool(group.polarity)][0]) and (
        infinitive or group.tense != "composed"
    )
    rows = [r for r in PRONOUNS if is_another_person(r, subject) and not (hidden and r[7] == 1)]
    return pronoun(draw, draw.rng.choice(rows), "object")


def complements(verb: Verb, group: Group, direct: Nominal | None, indirect: Nominal | None) -> Part:
    """Return the words after the verb: its own, and its objects, where each language puts them."""
    slots: dict[str, Any] = {"~": direct, "@": indirect}
    french: list[Word] = []
    words, position = verb.french[1:], 0
    for index, word in enumerate(words):
        if word in slots:
            french += [] if slots[word].pronoun else slots[word].french
            continue
        position += 1
        following = slots.get(words[index + 1]) if index + 1 < len(words) else None
        if not (word == "à" and following is not None and following.pronoun):
            spelled = "de" if group.polarity and word in ("un", "une") else word
            french.append((spelled, group.french(position)))
    english: list[Word] = []
    words, position = verb.english[1:], 0
    if direct and direct.relative and "~" in words:
        # a heavy object goes last: "throws away the letter that …"
        words = (*(word for word in words if word != "~"), "~")
    for word in words:
        if word in slots:
            english += slots[word].english
        else:
            position += 1
            english.append((word, group.english(position)))
    return Part(french, english)


def relative(draw: Draw, head: Nominal, room: int, when: str) -> Nominal:
    """Return the noun phrase with a relative clause: qui and its verb, or que, a subject and its verb."""
    when = "past" if when == "past" or draw.chance(0.4) else "present"
    if head.kind in BY_SUBJECT and (head.kind not in BY_OBJECT or draw.chance(0.5)):
        who = draw.says()
        for _ in range(5):
            verb = draw.unused(BY_SUBJECT[head.kind])
            group = use(draw, verb, head, when)
            if group:
                rest = predicate(draw, group, head, room - 1)
                english = ("who" if head.kind == "person" else "that", who)
                return with_relative(head, [("qui", who), *rest.french], [english, *rest.english])
        return head
    return object_relative(draw, head, room, when) if head.kind in BY_OBJECT else head


def object_relative(draw: Draw, head: Nominal, room: int, when: str) -> Nominal:
    """Return "la pomme que mange le garçon" / "the apple that the boy eats": French turns verb and subject round."""
    verb = draw.unused(BY_OBJECT[head.kind])
    subject = a_subject(draw, verb.subject, min(3, room - 2))
    group = use(draw, verb, subject, when)
    if group is None:
        return head
    group = replace(group, adverb=None, agree=head)
    verbal, that = french_group(group, subject), [("que", draw.says())]
    turned = not subject.pronoun and not group.polarity and not group.modal and group.tense != "recent"
    french = verbal + subject.french if turned else subject.french + verbal
    rest = [word for word in verb.english[1:] if word != "~"]
    particles = [(word, group.english(i + 1)) for i, word in enumerate(rest)]
    english = subject.english + english_group(group, subject.english_person) + particles
    return with_relative(head, that + french, [("that", that[0][1]), *english])


def a_subject(draw: Draw, kinds: tuple[str, ...], room: int) -> Nominal:
    """Return a subject: a pronoun or a noun phrase."""
    if "person" in kinds and draw.chance(0.3 if room > 2 else 0.5):
        return pronoun(draw, draw.rng.choice(PRONOUNS), "subject")
    return noun_phrase(draw, kinds, room)


def manner(draw: Draw, group: Group) -> Part:
    """Return an adverb of manner, if the verb takes one: after the French verb, at the end of the English clause."""
    plain = not (group.polarity or group.adverb or group.modal) and "manner" in group.verb.flags
    return pair(draw, *draw.rng.choice(MANNER)) if plain and draw.chance(0.3) else NOTHING


def objects(draw, group: Group, subject: Nominal, room: int, when: str) -> tuple[Nominal | None, Nominal | None]:
    """Return the direct and the indirect object, each a pronoun or a noun phrase."""
    verb, clitic_pronoun = group.verb, group.clitic
    give = "give" in verb.flags
    direct, indirect = (None, clitic_pronoun) if give else (clitic_pronoun, None)
    prepositional = bool(verb.flags & {"de", "with", "dative"})
    if verb.object and direct is None:
        # "refused to eat any apples" has no French in de
        free = group.modal not in ("essayer", "refuser", "commencer") or not group.polarity
        negated = bool(group.polarity) and not prepositional
        the = "the" in verb.flags
        style = "the" if the else "definite" if verb.flags & {"de", "with"} or not free else ""
        room -= 1 + 2 * give
        direct = noun_phrase(
            draw, verb.object, room, owner=subject, negated=negated, style=style, whole=not the, single=the
        )
        heavy = direct.lemma and when and room > 7 and not the and verb.lemma != "entarter" and draw.chance(0.6)
        direct = relative(draw, direct, room - 4, when) if heavy else direct
    if give and indirect is None:
        indirect = noun_phrase(draw, ("person",), 2, owner=subject, style="definite", whole=False)
    return direct, indirect


def predicate(draw: Draw, group: Group, subject: Nominal, room: int, when: str = "") -> Part:
    """Return verb and complements for a subject before them; `when` allows a relative clause on the object."""
    if group.verb.object and draw.chance(0.3 if room > 4 else 0.7):
        before = clitic(draw, group.verb, subject, group)
        group = replace(group, clitic=before, agree=None if before is None or before.dative else before)
    direct, indirect = objects(draw, group, subject, room, when)
    adverb = NOTHING if direct and direct.relative else manner(draw, group)
    rest = complements(group.verb, group, direct, indirect)
    french = french_group(group, subject) + adverb.french + rest.french
    return Part(french, english_group(group, subject.english_person) + rest.english + adverb.english)
