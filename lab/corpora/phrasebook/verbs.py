"""The verbs of the phrasebook: their forms in both languages and what they go with."""

from dataclasses import dataclass
from typing import no_type_check

from lab.corpora.phrasebook.surface import rows


@no_type_check
@dataclass(frozen=True)
class Verb:
    """A French verb phrase and its English; `~` is the object's place, `@` the indirect object's.

    `subject` and `object` are the kinds of noun that fit; `pairs` links the words of the two phrases (the marks not
    counted), all with all unless the table says otherwise.
    """

    french: tuple[str, ...]
    english: tuple[str, ...]
    subject: tuple[str, ...]
    object: tuple[str, ...]
    flags: frozenset[str]
    pairs: tuple[tuple[int, int], ...]

    @property
    def lemma(self) -> str:
        return self.french[0]

    @property
    def has_form_for_je(self) -> bool:
        """Whether the present has a form of its own for je, avoir apart."""
        parts = french_parts(self.lemma)
        return parts[0] != parts[1] and self.lemma != "avoir"


FRENCH_PARTS, ENGLISH_PARTS = (  # the other forms of each verb by its first one
    {first: forms for first, *forms in map(str.split, rows(name))} for name in ("french_verbs", "english_verbs")
)


def french_parts(infinitive: str) -> list[str]:
    """Return the forms as the table has them: je, il, ils, … of the present first; an unlisted verb ends in -er."""
    if infinitive in FRENCH_PARTS:
        return FRENCH_PARTS[infinitive]
    stem = infinitive[:-2]
    soft = {"g": "ge", "c": "ç"}.get(stem[-1], stem[-1])
    return [stem + "e", stem + "e", stem + "ent", stem[:-1] + soft, stem + "é"]


def french_finite(infinitive: str, tense: str, person: int) -> str:
    """Return the present or imperfect for person 0 je, 1 il, 2 nous, 3 vous, 4 ils."""
    parts = french_parts(infinitive)
    if tense == "imperfect":
        return parts[3] + ("ais", "ait", "", "", "aient")[person]
    return parts[(0, 1, 5, 6, 2)[person]]


def agree(participle: str, gender: str, plural: bool) -> str:
    """Return the participle with its endings."""
    word = participle + "e" * (gender == "f")
    return word + "s" * (plural and not word.endswith("s"))


def english_form(base: str, form: str) -> str:
    """Return a form of an English verb: base, third, past, participle or ing."""
    if form == "base":
        return base
    sibilant = base.endswith(("s", "sh", "ch", "x", "o"))
    falling = base.endswith("y") and base[-2] not in "aeiou"
    if form == "third":
        return "has" if base == "have" else base[:-1] + "ies" if falling else base + ("es" if sibilant else "s")
    parts = ENGLISH_PARTS.get(base, [])
    if form == "ing":
        return (
            parts[2] if len(parts) > 2 else base[:-1] + "ing" if base[-1] == "e" and base[-2] != "e" else base + "ing"
        )
    regular = base + "d" if base.endswith("e") else base[:-1] + "ied" if falling else base + "ed"
    return parts[form == "participle"] if parts else regular


def read_verb(line: str) -> Verb:
    """Return the verb that one line of the table describes."""
    french, english, subject, objects, flags, links = (part.strip() for part in (line + "|").split("|")[:6])
    source, target = tuple(french.split()), tuple(english.split())
    if objects and "~" not in source:
        source += ("~",)
    if objects and "~" not in target:
        target += ("~",)
    if source[0] in ("se", "s'"):
        source = source[1:]
    plain = [[word for word in words if word not in "~@"] for words in (source, target)]
    pairs = [(i, j) for i in range(len(plain[0])) for j in range(len(plain[1]))]
    if links:
        pairs = [(int(link[0]), int(link[2])) for link in links.split()]
    return Verb(source, target, tuple(subject.split()), tuple(objects.split()), frozenset(flags.split()), tuple(pairs))


ALL_VERBS = tuple(read_verb(line) for line in rows("verbs") for _ in range(1 + line.count(" often")))
