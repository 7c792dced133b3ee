"""Noun phrases and pronouns, built in both languages at once."""

import random
from dataclasses import dataclass, replace
from typing import no_type_check

from lab.corpora.phrasebook.nouns import ALL_ADJECTIVES, ALL_NOUNS, NAMES, Adjective, Noun
from lab.corpora.phrasebook.surface import MARK, Word


# made hundreds of times a sentence, and no tensor in sight: the tests' type checks would take minutes
@no_type_check
class Draw:
    """The random choices of one sentence: no noun and no verb comes twice in it."""

    def __init__(self, rng: random.Random):
        self.rng, self.used, self.last = rng, set(), 0

    def says(self) -> tuple[int, ...]:
        """Return a fresh number for the meaning of a word."""
        self.last += 1
        return (self.last,)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def unused(self, options):
        """Return one of the options, a new one in this sentence if a few draws find one."""
        option = self.rng.choice(options)
        for _ in range(7):
            if option not in self.used:
                break
            option = self.rng.choice(options)
        self.used.add(option)
        return option


@no_type_check
@dataclass(frozen=True)
class Nominal:
    """A noun phrase or pronoun: its words, and the features that others agree with."""

    french: list[Word]
    english: list[Word]
    gender: str
    plural: bool
    person: int = 1
    kind: str = "person"
    pronoun: bool = False
    relative: bool = False
    dative: bool = False
    lemma: str = ""
    style: str = ""

    @property
    def english_person(self) -> int:
        return 4 if self.plural and self.person == 1 else self.person


# french subject, English subject, French object, dative, English object, gender, plural, person
PRONOUNS = (
    ("je", "i", "me", "me", "me", "m", False, 0), ("il", "he", "le", "", "him", "m", False, 1),
    ("elle", "she", "la", "", "her", "f", False, 1), ("nous", "we", "nous", "nous", "us", "m", True, 2),
    ("vous", "you", "vous", "vous", "you", "m", True, 3), ("ils", "they", "les", "leur", "them", "m", True, 4),
)  # fmt: skip
IT = ("il", "it", "le", "", "it", "m", False, 1)
POSSESSIVES = {  # by person of the possessor: masculine, feminine, plural, English
    0: ("mon", "ma", "mes", "my"), 2: ("notre", "notre", "nos", "our"), 3: ("votre", "votre", "vos", "your"),
    4: ("leur", "leur", "leurs", "their"),
}  # fmt: skip
NUMBERS = (("deux", "two"), ("trois", "three"), ("quatre", "four"), ("cinq", "five"), ("dix", "ten"))
GOALS = ("école", "musée", "marché", "gare", "plage", "hôpital", "restaurant", "bibliothèque", "magasin", "château",
         "église", "usine", "parc", "gare routière")  # fmt: skip
MASS = ("food", "drink")
NEVER_OWNED = ("outside", "building", "idea")
ONLY_ONE = ("père", "mère", "réveil")
COLOURS = ("red", "green", "blue", "black", "white", "yellow", "grey")
AGES = ("old", "young", "new")
AGELESS = ("enfant", "fille", "garçon", "élève", "étudiant")

BY_KIND: dict[str, list] = {}
for _noun in ALL_NOUNS:
    BY_KIND.setdefault(_noun.kind, []).append(_noun)
    if _noun.lemma in GOALS:
        BY_KIND.setdefault("goal", []).append(_noun)
ADJECTIVES = {
    (kind, place): [a for a in ALL_ADJECTIVES if kind in a.kinds and a.place == place]
    for kind in {kind for a in ALL_ADJECTIVES for kind in a.kinds}
    for place in ("before", "after", "nation")
}


def pronoun(draw: Draw, row: tuple, role: str) -> Nominal:
    """Return a pronoun as `subject`, `object` (before the verb) or `dative`."""
    says = draw.says()
    french = {"subject": row[0], "object": row[2], "dative": row[3]}[role]
    english = row[1] if role == "subject" else row[4]
    return Nominal([(french, says)], [(english, says)], *row[5:8], pronoun=True, dative=role == "dative")


def name(draw: Draw) -> Nominal:
    """Return a proper name."""
    word, says = draw.unused(tuple(NAMES)), draw.says()
    return Nominal([(word, says)], [(word, says)], NAMES[word], False)


def linked(draw: Draw, french: list[str], english: list[str]) -> tuple[list[Word], list[Word]]:
    """Return the words linked: word for word if they are as many, otherwise all with all."""
    says = [draw.says() for _ in french] if len(french) == len(english) else [draw.says()] * 9
    return list(zip(french, says, strict=False)), list(zip(english, says, strict=False))


def linked_by(numbers: dict, *phrases) -> list[list[Word]]:
    """Return a French and an English phrase whose words say the numbers of the pairs of places that they stand in."""
    return [
        [(word, sum((n for pair, n in numbers.items() if pair[side] == i), ())) for i, word in enumerate(words)]
        for side, words in enumerate(phrases)
    ]


def rank(adjective: Adjective) -> int:
    """Return the adjective's rank in English order: size and opinion, quality, age, colour, nation."""
    if adjective.english in COLOURS:
        return 3
    return {"before": 2 if adjective.english in AGES else 0, "after": 1, "nation": 4}[adjective.place]


def described(draw: Draw, noun: Noun, plural: bool, room: int) -> tuple[list[Word], list[Word], bool]:
    """Return the noun with its adjectives in both orders, and whether one stands before the French noun."""
    core = linked_by({pair: draw.says() for pair in noun.pairs}, noun.french[plural], noun.english[plural])
    kind, chosen = "person" if noun.kind == "kin" else noun.kind, []
    for place, share in (("nation", 0.12), ("after", 0.38), ("before", 0.3)):
        options = ADJECTIVES.get((kind, place), ())
        if noun.lemma in AGELESS:
            options = [adjective for adjective in options if adjective.english not in AGES]
        if options and room > len(chosen) and noun.kind != "kin" and draw.chance(share):
            adjective, says = draw.unused(options), draw.says()
            word = adjective.agree(noun.gender, plural)
            chosen.append(
                (adjective, (word + MARK * (place == "before" and not plural), says), (adjective.english, says))
            )
    french = (
        [f for a, f, _ in chosen if a.place == "before"] + core[0] + [f for a, f, _ in chosen if a.place != "before"]
    )
    english = [e for a, _, e in sorted(chosen, key=lambda row: rank(row[0]))] + core[1]
    return french, english, any(a.place == "before" for a, _, _ in chosen)


def possessive(owner: Nominal | int, gender: str, plural: bool) -> tuple[str, str]:
    """Return the possessive for an owner: a person's number (0 my, 2 our, 3 your) or the subject of the clause."""
    person = owner if isinstance(owner, int) else owner.english_person
    hers = not isinstance(owner, int) and owner.gender == "f"
    rows = ("son", "sa", "ses", "her" if hers else "his") if person == 1 else POSSESSIVES[person]
    return rows[2 if plural else gender == "f"], rows[3]


def indefinite(noun: Noun, plural: bool, before: bool, negated: bool) -> tuple[list[str], str]:
    """Return un, une, des, du, or de, and the English a, some or any."""
    mass = noun.kind in MASS
    if negated:
        return ["de"], "any" if plural or mass else "a"
    if mass:
        return ["de", "la°" if noun.gender == "f" else "le°"], "some"
    if plural:
        return ["de" if before else "des"], "some"
    return ["une" if noun.gender == "f" else "un"], "a"


def determiner(draw, noun, plural, style, context) -> tuple[list[str], list[str]]:
    """Return the words before the noun in both languages for a style of determination."""
    before, negated, owner = context
    feminine = noun.gender == "f"
    article = "les°" if plural else "la°" if feminine else "le°"
    if style == "own":
        french, english = possessive(owner, noun.gender, plural)
        return [french], [english]
    if style == "indefinite":
        french, english = indefinite(noun, plural, before, negated)
        return french, [english]
    if style == "this":
        return ["ces" if plural else "cette" if feminine else "ce°"], ["these" if plural else "this"]
    if style == "count" and plural:
        options = (*NUMBERS, ("plusieurs", "several"), ("quelques", "a few"), ("beaucoup de", "many"))
        french, english = draw.rng.choice(options)
        return french.split(), english.split()
    if style == "all" and plural:
        return ["toutes" if feminine else "tous", article], ["all", "the"]
    return [article], ["the"]


def choose_style(draw: Draw, noun: Noun, owner: Nominal | None, style: str) -> tuple[str, Nominal | int | None]:
    """Return a style of determination that the noun allows, and the owner for a possessive."""
    free = noun.kind not in (*NEVER_OWNED, *MASS, "person", "plan") and style != "the"
    if noun.kind == "kin" or (free and draw.chance(0.15)):
        able = owner is not None and owner.kind == "person" and draw.chance(0.6)
        return "own", owner if able else draw.rng.choice((0, 0, 2, 3))
    styles = ["the", "the", "the", "this"]
    if not style:
        styles += ["indefinite", "indefinite"] + ["count", "all"] * (noun.kind not in MASS)
    return "the" if style == "the" else draw.rng.choice(styles), None


def noun_phrase(draw, kinds, room, *, owner=None, negated=False, style="", whole=True, single=False) -> Nominal:
    """Return a noun phrase of one of the kinds with at most about `room` French words, by the choices of `draw`.

    `owner` is the subject that a possessive may point back to; `negated` turns un, des and du into de; `style` asks
    for a determination ("definite" leaves out un, des and du); `whole` allows a possessor ("le chat de mon frère");
    `single` asks for the singular.
    """
    kind = draw.rng.choice(kinds)
    if kind == "person" and not style.startswith("ind") and draw.chance(0.35):
        if draw.chance(0.4):
            return name(draw)
        kind = "kin"
    noun = draw.unused(BY_KIND[kind])
    genitive = whole and room >= 5 and kind not in (*MASS, *NEVER_OWNED, "person") and draw.chance(0.4)
    plural = kind not in MASS and noun.lemma not in ONLY_ONE and not single and draw.chance(0.3)
    french, english, before = described(draw, noun, plural, max(0, room - 2 - 3 * genitive))
    if genitive:
        return possessed(draw, noun, plural, french, english)
    if style != "indefinite":
        style, owner = choose_style(draw, noun, owner, style)
    words = linked(draw, *determiner(draw, noun, plural, style, (before, negated, owner)))
    kind = "person" if kind == "kin" else noun.kind
    french, english = words[0] + french, words[1] + english
    return Nominal(french, english, noun.gender, plural, kind=kind, lemma=noun.lemma, style=style)


def possessed(draw, noun, plural, french, english) -> Nominal:
    """Return "le chat de mon frère" / "my brother 's cat": de and 's are linked, the French article is not."""
    owner = noun_phrase(draw, ("person",), 2, style="definite", whole=False, single=True)
    article = "les°" if plural else "la°" if noun.gender == "f" else "le°"
    says = draw.says()
    return Nominal(
        [(article, ()), *french, ("de", says), *owner.french],
        [*owner.english, ("'s", says), *english],
        noun.gender,
        plural,
        kind="person" if noun.kind == "kin" else noun.kind,
    )


def with_relative(nominal: Nominal, french: list[Word], english: list[Word]) -> Nominal:
    """Return the nominal with a relative clause after it."""
    return replace(nominal, french=nominal.french + french, english=nominal.english + english, relative=True)
