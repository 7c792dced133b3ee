"""Clauses in which the two languages are built differently: copulas, passives, swapped subjects, there is."""

from dataclasses import replace

from lab.corpora.phrasebook.clauses import PASSIVE, SWAP, Part, complements, pair, place, relative
from lab.corpora.phrasebook.groups import BE, Group, english_group, french_group, numbered
from lab.corpora.phrasebook.nominals import ADJECTIVES, BY_KIND, PRONOUNS, Draw, Nominal, name, noun_phrase, pronoun
from lab.corpora.phrasebook.surface import Word
from lab.corpora.phrasebook.verbs import french_finite

COPULA = tuple(sorted(kind for kind, where in ADJECTIVES if where == "after" and ADJECTIVES[kind, where]))
# masculine, feminine, English comparative, kinds; "plus grand que" is "bigger than"
COMPARED = (
    ("grand", "grande", "bigger", "animal building vehicle"), ("petit", "petite", "smaller", "animal building vehicle"),
    ("rapide", "rapide", "faster", "animal vehicle"), ("riche", "riche", "richer", "person"),
    ("vieux", "vieille", "older", "person building"), ("jeune", "jeune", "younger", "person"),
    ("lourd", "lourde", "heavier", "device"), ("intelligent", "intelligente", "more clever", "person animal"),
    ("célèbre", "célèbre", "more famous", "person building"), ("cher", "chère", "more expensive", "vehicle device"),
)  # fmt: skip
TRADES = {
    "m": ("médecin", "professeur", "boulanger", "juge", "soldat", "avocat", "peintre", "facteur", "dentiste", "pompier",
          "jardinier", "écrivain", "policier"),
    "f": ("chanteuse", "actrice", "infirmière", "serveuse", "danseuse"),
}  # fmt: skip


def being(draw: Draw, subject: Nominal, when: str, negated: bool) -> Part:
    """Return the forms of être and be with their negation."""
    is_, not_, person = draw.says(), draw.says(), subject.english_person
    form = "imperfect" if when == "past" else "present"
    french: list[Word] = [(french_finite("être", form, person), is_)]
    english: list[Word] = [(BE["past" if when == "past" else "present"][person], is_)]
    if negated:
        return Part([("ne", not_), *french, ("pas", not_)], [*english, ("not", not_)])
    return Part(french, english)


def copula(draw: Draw, when: str, room: int) -> Part:
    """Return "la maison est rouge" / "the house is red"."""
    subject = noun_phrase(draw, (draw.rng.choice(COPULA),), 2, style="definite")
    if room > 9 and subject.lemma and draw.chance(0.6):
        subject = relative(draw, subject, room - 4, when)
    adjective, says = draw.rng.choice(ADJECTIVES[subject.kind, "after"]), draw.says()
    verb = being(draw, subject, when, draw.chance(0.2))
    french = (adjective.agree(subject.gender, subject.plural), says)
    return Part(subject.french, subject.english) + verb + Part([french], [(adjective.english, says)])


def comparison(draw: Draw, when: str, room: int) -> Part:
    """Return "le chien est plus rapide que le chat" / "the dog is faster than the cat"."""
    masculine, feminine, english, kinds = draw.rng.choice(COMPARED)
    kind = draw.rng.choice(kinds.split())
    subject, other = (noun_phrase(draw, (kind,), (room - 3) // 2, style="definite") for _ in range(2))
    word = feminine if subject.gender == "f" else masculine
    word += "s" * (subject.plural and not word.endswith("x"))
    return (
        Part(subject.french, subject.english)
        + being(draw, subject, when, draw.chance(0.2))
        + pair(draw, f"plus {word}", english)
        + pair(draw, "que", "than")
        + Part(other.french, other.english)
    )


def trade(draw: Draw, when: str, _room: int) -> Part:
    """Return "mon frère est médecin" / "my brother is a doctor": the English article is linked to the noun."""
    subject = name(draw)
    if draw.chance(0.7):
        subject = noun_phrase(draw, ("kin",), 2, style="definite", single=True)
    wanted = draw.rng.choice(TRADES[subject.gender])
    noun = next(noun for noun in BY_KIND["person"] if noun.lemma == wanted)
    says = draw.says()
    job = Part([(noun.lemma, says)], [("a", says), (noun.english[0][0], says)])
    return Part(subject.french, subject.english) + being(draw, subject, when, draw.chance(0.2)) + job


def there_is(draw: Draw, when: str, room: int) -> Part:
    """Return "il y a un chat dans le jardin" / "there is a cat in the garden"."""
    negated = draw.chance(0.2)
    thing = noun_phrase(draw, ("animal", "object", "vehicle", "instrument"), max(2, room - 6), style="indefinite",
                        negated=negated)  # fmt: skip
    there_number, is_, not_ = draw.says(), draw.says(), draw.says()
    person = 4 if thing.plural else 1
    french: list[Word] = [
        ("y", there_number),
        (french_finite("avoir", "imperfect" if when == "past" else "present", 1), is_),
    ]
    english: list[Word] = [("there", there_number), (BE["past" if when == "past" else "present"][person], is_)]
    if negated:
        french, english = [("ne", not_), *french, ("pas", not_)], [*english, ("not", not_)]
    return Part([("il", there_number), *french], english) + Part(thing.french, thing.english) + place(draw)


def swapped(draw: Draw, when: str, room: int) -> Part:
    """Return "la fille manque au roi" / "the king misses the girl": the English subject is the French complement."""
    verb = draw.unused(SWAP)
    style = "the" if verb.lemma == "appartenir" else "definite"
    french_subject = noun_phrase(draw, verb.subject, (room - 2) // 2, style=style, whole=style != "the")
    if draw.chance(0.4):
        row = draw.rng.choice([row for row in PRONOUNS if row[3]])
        other = pronoun(draw, row, "dative")
        other = replace(other, english=[(row[1], other.english[0][1])])
    else:
        other = noun_phrase(draw, ("person",), (room - 2) // 2, style="definite")
    chosen = {"past": "imperfect", "future": "future"}.get(when, "present")
    negation = "pas" if draw.chance(0.2) else ""
    group = Group(verb, chosen, negation, clitic=other if other.pronoun else None, numbers=numbered(draw, verb))
    french = french_subject.french + french_group(group, french_subject)
    rest = complements(verb, group, other, None).french
    return Part(french + rest, other.english + english_group(group, other.english_person) + french_subject.english)


def passive(draw: Draw, when: str, room: int) -> Part:
    """Return "on a vendu la maison" / "the house was sold": on has no English."""
    verb = draw.unused(PASSIVE)
    done = noun_phrase(draw, verb.object, room - 2, style="definite")
    chosen = {"past": "composed", "present": "present", "future": "future"}[when]
    group = Group(verb, chosen, "pas" if draw.chance(0.2) else "", passive=True, numbers=numbered(draw, verb))
    on = Nominal([("on", ())], [], "m", False)
    rest = [word for word in verb.english[1:] if word != "~"]
    particles = [(word, group.english(i + 1)) for i, word in enumerate(rest)]
    french = on.french + french_group(group, on) + done.french
    return Part(french, done.english + english_group(group, done.english_person) + particles)
