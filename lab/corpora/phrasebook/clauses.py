"""Clauses: a subject, a verb that fits it, and what the verb asks for, in both languages at once."""

from dataclasses import dataclass

from lab.corpora.phrasebook.groups import MODALS, Group, english_group, french_group, numbered
from lab.corpora.phrasebook.nominals import IT, PRONOUNS, Draw, Nominal, noun_phrase, pronoun, with_relative
from lab.corpora.phrasebook.surface import Word, opens_with_vowel
from lab.corpora.phrasebook.verbs import ALL_VERBS, Verb

OFTEN = (("souvent", "often"), ("toujours", "always"), ("rarement", "rarely"), ("parfois", "sometimes"))
MANNER = (("lentement", "slowly"), ("doucement", "gently"), ("calmement", "calmly"), ("vite", "quickly"),
          ("prudemment", "carefully"), ("secrètement", "secretly"), ("facilement", "easily"))  # fmt: skip
AT = {
    "gare routière": ("à", "at"),
    "gare": ("à", "at"),
    "marché": ("à", "at"),
    "pont": ("sur", "on"),
    "plage": ("sur", "on"),
    "île": ("sur", "on"),
}
BESIDE = (("dans", "in"), ("dans", "in"), ("dans", "in"), ("près de", "near"), ("devant", "in front of"),
          ("derrière", "behind"), ("à côté de", "next to"))  # fmt: skip
BY_OBJECT: dict[str, list[Verb]] = {}
BY_SUBJECT: dict[str, list[Verb]] = {}
for _verb in ALL_VERBS:
    for _kind in _verb.subject:
        BY_SUBJECT.setdefault(_kind, []).append(_verb)
    if not _verb.flags & {"de", "dative", "with", "give", "swap"}:
        for _kind in _verb.object:
            BY_OBJECT.setdefault(_kind, []).append(_verb)
PLAIN = tuple(verb for verb in ALL_VERBS if "swap" not in verb.flags)
SWAP = tuple(verb for verb in ALL_VERBS if "swap" in verb.flags)
PASSIVE = tuple(verb for verb in ALL_VERBS if "passive" in verb.flags)


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
    source, target = french.split(), english.split()
    says = [draw.says() for _ in source] if len(source) == len(target) else [draw.says()] * 9
    return Part(list(zip(source, says, strict=False)), list(zip(target, says, strict=False)))


def tense(draw: Draw, verb: Verb, person: int, when: str) -> str:
    """Return a tense for the time and the person; "" if the verb has none (nous and vous: compound tenses only)."""
    simple = person in (1, 4)
    if when == "future":
        return "future"
    if when == "past":
        if "stative" in verb.flags:
            return "imperfect" if simple else ""
        return "imperfect" if simple and draw.chance(0.25) else "composed"
    if "stative" not in verb.flags and draw.chance(0.15 if person in (0, 1, 4) else 1):
        return "recent"
    return "present" if person in (0, 1, 4) else ""


def use(draw: Draw, verb: Verb, subject: Nominal, when: str) -> Group | None:
    """Return the verb in a tense, negated or with an adverb or a modal verb; None if it does not fit the subject."""
    chosen, modal, polarity, adverb = tense(draw, verb, subject.english_person, when), "", "", None
    if "stative" not in verb.flags and when != "future" and draw.chance(0.14):
        modal = draw.rng.choice(tuple(MODALS)[:3] if when == "present" else tuple(MODALS)[3:])
        chosen = "present" if when == "present" else "composed"
    if not chosen or (verb.lemma == "suivre" and subject.person == 0):
        return None
    if chosen != "recent" and draw.chance(0.2):
        polarity = "pas"
        if not modal and chosen in ("present", "composed") and draw.chance(0.25):
            polarity = "jamais"
        elif not modal and chosen == "present" and draw.chance(0.15):
            polarity = "plus"
    elif not modal and chosen in ("present", "composed") and draw.chance(0.15):
        word = draw.rng.choice(OFTEN)
        says = draw.says()
        adverb = ((word[0], says), (word[1], says))
    return Group(verb, chosen, polarity, adverb, modal=modal, numbers=numbered(draw, verb))


def clitic(draw: Draw, verb: Verb, subject: Nominal, group: Group) -> Nominal | None:
    """Return a pronoun object, if the verb takes one and its French shows the gender that its English needs."""
    if not verb.object or verb.flags & {"de", "with"}:
        return None
    if "dative" in verb.flags or "give" in verb.flags:
        rows = [row for row in PRONOUNS if row[3]]
        return pronoun(draw, draw.rng.choice([r for r in rows if r[7] != subject.person or r[7] == 4]), "dative")
    if "person" not in verb.object:
        return pronoun(draw, draw.rng.choice((IT, PRONOUNS[5])), "object")
    # l' hides the gender, unless a participle shows it
    infinitive = group.modal or group.tense in ("future", "recent")
    verbal = french_group(group, subject)
    hidden = opens_with_vowel(verb.lemma if infinitive else verbal[bool(group.polarity)][0]) and (
        infinitive or group.tense != "composed"
    )
    rows = [r for r in PRONOUNS if (r[7] != subject.person or r[7] in (1, 4)) and not (hidden and r[7] == 1)]
    return pronoun(draw, draw.rng.choice(rows), "object")


def complements(verb: Verb, group: Group, direct: Nominal | None, indirect: Nominal | None) -> Part:
    """Return what follows the verb: its own words, and the objects that are not clitics, where each language puts them."""
    slots = {"~": direct, "@": indirect}
    french: list[Word] = []
    words, position = verb.french[1:], 0
    for index, word in enumerate(words):
        if word in slots:
            french += [] if slots[word].pronoun else slots[word].french
            continue
        position += 1
        following = slots.get(words[index + 1]) if index + 1 < len(words) else None
        if not (word == "à" and following is not None and following.pronoun):
            french.append((word, group.french(position)))
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
            verb = draw.unused([v for v in BY_SUBJECT[head.kind] if "swap" not in v.flags])
            group = use(draw, verb, head, when)
            if group:
                rest = predicate(draw, group, head, room - 1, light=True)
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
    group = Group(verb, group.tense, group.polarity, None, None, group.modal, head, False, group.numbers)
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


def predicate(draw: Draw, group: Group, subject: Nominal, room: int, light: bool = False) -> Part:
    """Return verb and complements for a subject that stands before them in both languages."""
    verb, direct, indirect = group.verb, None, None
    if verb.object and draw.chance(0.35 if room > 3 else 0.7):
        object_ = clitic(draw, verb, subject, group)
        if object_ is not None:
            agreeing = object_ if not object_.dative else None
            group = Group(**{**group.__dict__, "clitic": object_, "agree": agreeing})
            direct, indirect = (object_, None) if "give" not in verb.flags else (None, object_)
    length = len(subject.french) if not light else 0
    if verb.object and direct is None:
        negated = bool(group.polarity) and not verb.flags & {"de", "with", "dative"}
        direct = noun_phrase(draw, verb.object, room - length - 1, owner=subject, negated=negated,
                             definite=bool(verb.flags & {"de", "with"}))  # fmt: skip
    if "give" in verb.flags and indirect is None:
        indirect = noun_phrase(draw, ("person",), 2, owner=subject, definite=True, whole=False)
    return Part(french_group(group, subject), english_group(group, subject.english_person)) + complements(
        verb, group, direct, indirect
    )
