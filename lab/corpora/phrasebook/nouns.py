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


# Names are the same in both languages; their gender settles his and her.
NAMES = {"pierre": "m", "paul": "m", "antoine": "m", "hugo": "m", "louis": "m",
         "marie": "f", "julie": "f", "sophie": "f", "alice": "f", "emma": "f"}  # fmt: skip


def french_plural(word: str) -> str:
    """Return the plural of a French noun or masculine adjective."""
    if word[-1] in "sxz":
        return word
    if word.endswith(("au", "eu")) and word != "bleu":
        return word + "x"
    return word[:-2] + "aux" if word.endswith("al") else word + "s"


def english_plural(word: str) -> str:
    """Return the regular plural of an English noun."""
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    return word[:-1] + "ies" if word.endswith("y") and word[-2] not in "aeiou" else word + "s"


def read_noun(line: str) -> Noun:
    """Return the noun that one line of the table describes; the plural is written where it is not regular."""
    kind, french, gender, english = line.split()
    english, _, links = english.partition(":")
    (french, _, many_french), (english, _, many_english) = french.partition("/"), english.partition("/")
    source, target = tuple(french.split("_")), tuple(english.split("_"))
    after = (french_plural(source[1]),) if len(source) == 2 else source[1:]
    sources = tuple(many_french.split("_")) if many_french else (french_plural(source[0]), *after)
    targets = tuple(many_english.split("_")) if many_english else (*target[:-1], english_plural(target[-1]))
    pairs = [(i, j) for i in range(len(source)) for j in range(len(target))]
    if links:
        pairs = [(int(link[0]), int(link[2])) for link in links.split(",")]
    return Noun((source, sources), (target, targets), gender, kind, tuple(pairs))


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
