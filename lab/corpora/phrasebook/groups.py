"""The verb with its clitics, negation, auxiliaries and adverbs, in both languages."""

from dataclasses import dataclass, field
from typing import no_type_check

from lab.corpora.phrasebook.nominals import Draw, Nominal
from lab.corpora.phrasebook.surface import Word
from lab.corpora.phrasebook.verbs import Verb, agree, english_form, french_finite, french_parts

REFLEXIVE = ("me", "se", "nous", "vous", "se")
BE = {"present": ("am", "is", "are", "are", "are"), "past": ("was", "was", "were", "were", "were")}
# French verb, its preposition, the English before the infinitive
MODALS = {
    "vouloir": ((), ("want", "to")), "pouvoir": ((), ("can",)), "devoir": ((), ("must",)),
    "essayer": (("de",), ("try", "to")), "refuser": (("de",), ("refuse", "to")), "commencer": (("à",), ("start", "to")),
}  # fmt: skip
NEGATIONS = {"pas": ("not",), "jamais": ("never",), "plus": ("no", "longer")}


@no_type_check
@dataclass(frozen=True)
class Group:
    """One verb in use: its tense and polarity, the clitic before it, the object that its participle agrees with."""

    verb: Verb
    tense: str
    polarity: str = ""
    adverb: tuple[Word, Word] | None = None
    clitic: Nominal | None = None
    modal: str = ""
    agree: Nominal | None = None
    passive: bool = False
    numbers: dict = field(default_factory=dict)

    def french(self, position: int) -> tuple[int, ...]:
        """Return the numbers that the word at this position of the French verb phrase stands for."""
        return tuple(self.numbers[pair] for pair in self.verb.pairs if pair[0] == position)

    def english(self, position: int) -> tuple[int, ...]:
        """Return the numbers that the word at this position of the English verb phrase stands for."""
        return tuple(self.numbers[pair] for pair in self.verb.pairs if pair[1] == position)


def numbered(draw: Draw, verb: Verb) -> dict:
    """Return fresh numbers for the links inside the verb, its auxiliary and its negation."""
    return {key: draw.says()[0] for key in (*verb.pairs, "auxiliary", "negation", "infinitive", "modal")}


def french_group(group: Group, subject: Nominal) -> list[Word]:
    """Return the French verb up to its last verbal word: [ne] clitic verb [pas] participle or infinitive."""
    verb, infinitive, says = group.verb, group.verb.french[0], group.french(0)
    auxiliary, clitics = (group.numbers["auxiliary"],), list(group.clitic.french) if group.clitic else []
    if "refl" in verb.flags:
        clitics = [(REFLEXIVE[subject.english_person], says)]
    if group.modal:
        preposition = [(word, (group.numbers["infinitive"],)) for word in MODALS[group.modal][0]]
        finite = surround(group, [], french_core(group, group.modal, (group.numbers["modal"],), subject, own=False))
        return [*finite, *preposition, *clitics, (infinitive, says)]
    if group.tense == "infinitive":
        return [*clitics, (infinitive, says)]
    if group.tense == "future":
        return [*surround(group, [], [(french_finite("aller", "present", subject.english_person), auxiliary)]),
                *clitics, (infinitive, says)]  # fmt: skip
    if group.tense == "recent":
        came = (french_finite("venir", "present", subject.english_person), auxiliary)
        return [came, ("de", ()), *clitics, (infinitive, says)]
    return surround(group, clitics, french_core(group, infinitive, says, subject, own=True))


def french_core(group: Group, infinitive: str, says: tuple, subject: Nominal, own: bool) -> list[Word]:
    """Return the finite verb, with its participle in the passé composé; `own` is false for a modal verb."""
    person = subject.english_person
    if group.tense != "composed":
        return [(french_finite(infinitive, group.tense, person), says)]
    being = own and bool(group.verb.flags & {"etre", "refl"})
    governor = subject if being else group.agree if own else None
    participle = french_parts(infinitive)[4]
    if governor:
        participle = agree(participle, governor.gender, governor.plural)
    have = french_finite("être" if being else "avoir", "present", person)
    return [(have, (group.numbers["auxiliary"],)), (participle, says)]


def surround(group: Group, clitics: list[Word], core: list[Word]) -> list[Word]:
    """Return the finite verb with ne and the clitics before it, pas or an adverb after it, then the participle."""
    negation = (group.numbers["negation"],)
    before = [("ne", negation)] if group.polarity else []
    after: list[Word] = [(group.polarity, negation)] if group.polarity else []
    if group.adverb:
        after.append(group.adverb[0])
    return [*before, *clitics, core[0], *after, *core[1:]]


def english_chain(group: Group, person: int) -> tuple[list[Word], bool]:
    """Return the affirmative English verb, and whether its first word is an auxiliary."""
    base, says, auxiliary = group.verb.english[0], group.english(0), (group.numbers["auxiliary"],)
    third = "third" if person == 1 else "base"
    if group.tense == "infinitive":
        return [(base, says)], True
    if group.modal:
        return modal_chain(group, third), len(MODALS[group.modal][1]) == 1
    if group.passive:
        return passive_chain(group, person), True
    if group.tense == "future":
        return [*((word, auxiliary) for word in (BE["present"][person], "going", "to")), (base, says)], True
    if group.tense == "recent":
        have = [(word, auxiliary) for word in (english_form("have", third), "just")]
        return [*have, (english_form(base, "participle"), says)], True
    if group.tense == "imperfect" and "stative" not in group.verb.flags:
        return [(BE["past"][person], says), (english_form(base, "ing"), says)], True
    return simple_chain(group, person, third)


def simple_chain(group: Group, person: int, third: str) -> tuple[list[Word], bool]:
    """Return "eats", "ate" or a form of be; the past of a passé composé is linked to both its words."""
    base, says = group.verb.english[0], group.english(0)
    past = group.tense != "present"
    if base == "be":
        return [(BE["past" if past else "present"][person], says)], True
    if group.tense == "composed":
        says += (group.numbers["auxiliary"],)
    return [(english_form(base, "past" if past else third), says)], False


def modal_chain(group: Group, third: str) -> list[Word]:
    """Return "wants to eat": to is linked to the French preposition, or to the infinitive if there is none."""
    says, (first, *rest) = group.english(0), MODALS[group.modal][1]
    infinitive = (group.numbers["infinitive"],) if MODALS[group.modal][0] else says
    if rest:
        first = english_form(first, third if group.tense == "present" else "past")
    finite = (group.numbers["modal"], *((group.numbers["auxiliary"],) if group.tense == "composed" else ()))
    return [(first, finite), *((word, infinitive) for word in rest), (group.verb.english[0], says)]


def passive_chain(group: Group, person: int) -> list[Word]:
    """Return "is sold" for "on vend": the finite French verb is linked to the form of be."""
    says, participle = group.english(0), english_form(group.verb.english[0], "participle")
    auxiliary = (group.numbers["auxiliary"],)
    if group.tense == "future":
        return [*((w, auxiliary) for w in (BE["present"][person], "going", "to", "be")), (participle, says)]
    if group.tense == "composed":
        return [(BE["past"][person], auxiliary), (participle, says)]
    return [(BE["present"][person], says), (participle, says)]


def english_group(group: Group, person: int) -> list[Word]:
    """Return the English verb with its negation or adverb and, where English asks for it, a form of do."""
    chain, auxiliary = english_chain(group, person)
    says = (group.numbers["negation"],)
    if group.polarity == "pas":
        if not auxiliary:
            return do_support(group, chain, person)
        if chain[0][0] == "can":
            return [("cannot", chain[0][1] + says), *chain[1:]]
    inserted: list[Word] = [(word, says) for word in NEGATIONS.get(group.polarity, ())]
    if group.adverb:
        inserted.append(group.adverb[1])
    return [*chain[:auxiliary], *inserted, *chain[auxiliary:]]


def do_support(group: Group, chain: list[Word], person: int) -> list[Word]:
    """Return "does not eat": do carries the tense, so it is linked to the finite French verb."""
    first = MODALS[group.modal][1][0] if group.modal else group.verb.english[0]
    says = chain[0][1]
    if group.tense == "composed":
        does, finite = "did", (group.numbers["auxiliary"],)
        says = (group.numbers["modal"],) if group.modal else group.english(0)
    else:
        does, finite = "did" if group.tense == "imperfect" else "does" if person == 1 else "do", says
    return [(does, finite), ("not", (group.numbers["negation"],)), (first, says), *chain[1:]]
