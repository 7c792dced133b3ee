"""The nouns, adjectives and names of the phrasebook, by the classes that say what goes with what."""

from dataclasses import dataclass
from typing import no_type_check

from lab.corpora.phrasebook.surface import rows


@no_type_check
@dataclass(frozen=True)
class Noun:
    """A French noun and its English, one singular and one plural each; pairs link their words."""

    french: tuple[tuple[str, ...], tuple[str, ...]]
    english: tuple[tuple[str, ...], tuple[str, ...]]
    gender: str
    kind: str
    pairs: tuple[tuple[int, int], ...]

    @property
    def lemma(self) -> str:
        return " ".join(self.french[0])


@dataclass(frozen=True)
class Adjective:
    """A French adjective (four forms), its English, and the kinds of noun that it fits."""

    french: tuple[str, str, str, str]
    english: str
    place: str
    kinds: tuple[str, ...]

    def agree(self, gender: str, plural: bool) -> str:
        return self.french[2 * plural + (gender == "f")]


FRENCH_PLURALS = {"bijou": "bijoux", "maillot": "maillots"}
ENGLISH_PLURALS = {
    "man": "men", "woman": "women", "child": "children", "thief": "thieves", "mouse": "mice",
    "policeman": "policemen", "fireman": "firemen", "postman": "postmen", "knife": "knives", "hero": "heroes",
    "scarf": "scarves", "tomato": "tomatoes", "potato": "potatoes", "wolf": "wolves",
}  # fmt: skip

# Names are the same in both languages; who is masculine settles his and her.
NAMES = {"pierre": "m", "paul": "m", "antoine": "m", "hugo": "m", "louis": "m",
         "marie": "f", "julie": "f", "sophie": "f", "alice": "f", "emma": "f"}  # fmt: skip


def french_plural(word: str) -> str:
    """Return the plural of a French noun or masculine adjective."""
    if word in FRENCH_PLURALS or word[-1] in "sxz":
        return FRENCH_PLURALS.get(word, word)
    if word.endswith(("au", "eu")) and word != "bleu":
        return word + "x"
    return word[:-2] + "aux" if word.endswith("al") else word + "s"


def english_plural(word: str) -> str:
    """Return the plural of an English noun."""
    if word in ENGLISH_PLURALS:
        return ENGLISH_PLURALS[word]
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    return word[:-1] + "ies" if word.endswith("y") and word[-2] not in "aeiou" else word + "s"


def french_noun_plural(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a French compound's plural: its head is first, an adjective after it agrees."""
    tail = words[1:]
    if len(tail) == 1 and tail[0] != "photo":
        tail = (french_plural(tail[0]),)
    return ("grands-" + words[0][6:] + "s",) if words[0].startswith("grand-") else (french_plural(words[0]), *tail)


def english_noun_plural(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return an English compound's plural: its head is last."""
    return (*words[:-1], english_plural(words[-1]))


def read_noun(line: str) -> Noun:
    """Return the noun that one line of the table describes."""
    kind, french, gender, english = line.split()
    english, _, links = english.partition(":")
    source, target = tuple(french.split("_")), tuple(english.split("_"))
    pairs = [(i, j) for i in range(len(source)) for j in range(len(target))]
    if links:
        pairs = [(int(link[0]), int(link[2])) for link in links.split(",")]
    return Noun((source, french_noun_plural(source)), (target, english_noun_plural(target)), gender, kind, tuple(pairs))


def read_adjective(line: str) -> Adjective:
    """Return the adjective of one line; the feminine is written only where it is more than an added e."""
    words, kinds = line.split(":")
    place, french, english = words.split()
    masculine, _, feminine = french.partition("/")
    feminine = feminine or (masculine if masculine.endswith("e") else masculine + "e")
    forms = (masculine, feminine, french_plural(masculine), feminine + "s")
    return Adjective(forms, english.lower(), place, tuple(kinds.split()))


ALL_NOUNS = tuple(map(read_noun, rows("nouns")))
ALL_ADJECTIVES = tuple(map(read_adjective, rows("adjectives")))
