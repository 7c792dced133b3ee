"""From words with marks to sentences: elision, contraction, `an`, links, and the text for display."""

import re
import unicodedata
from pathlib import Path
from typing import no_type_check

# A word and the numbers of what it says; words of the two languages that share a number are linked.
Word = tuple[str, tuple[int, ...]]

# The mark tells an article, or an adjective before its noun, from the pronoun or predicate that is spelled alike.
MARK = "°"
ASPIRATED = ("héros", "hérisson", "harpe", "hache")
ELIDED = {"puisque", "le", "la", "je", "me", "se", "ne", "que", "de", "le°", "la°"}
CONTRACTED = {("de", "le°"): "du", ("de", "les°"): "des", ("à", "le°"): "au", ("à", "les°"): "aux"}
BEFORE_VOWEL = {"ma": "mon", "sa": "son", "ce°": "cet", "beau°": "bel", "nouveau°": "nouvel", "vieux°": "vieil"}


def rows(table: str) -> list[str]:
    """Return the lines of a table, TABLE.txt beside this file, without its comments."""
    lines = (Path(__file__).parent / f"{table}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


@no_type_check
def has_initial_vowel(word: str) -> bool:
    """Return whether le and je are elided before this French word."""
    return word[0] in "aeiouyhàâéèêîôûœ" and not word.startswith(ASPIRATED)


def spell_french(words: list[Word]) -> list[Word]:
    """Return the words with elision (l'), contraction (du, aux) and the forms before a vowel (mon, cet, bel)."""
    spelled: list[Word] = []
    for text, says in reversed(words):
        following = spelled[-1][0] if spelled else ","
        vowel = has_initial_vowel(following)
        if (text, following) in CONTRACTED:
            says += tuple(number for number in spelled.pop()[1] if number not in says)
            text = CONTRACTED[text, following]
        elif text == "si" and following in ("il", "ils"):
            text = "s'"
        elif vowel and text in ELIDED:
            text = text.rstrip(MARK)[:-1] + "'"
        elif vowel:
            text = BEFORE_VOWEL.get(text, text)
        spelled.append((text, says))
    return [(text.rstrip(MARK), says) for text, says in reversed(spelled)]


def spell_english(words: list[Word]) -> list[Word]:
    """Return the words with `an` for `a` before a vowel."""
    following = [text for text, _ in words[1:]] + ["."]
    return [
        ("an" if text == "a" and (after[0] in "aeiou" or after == "honest") and after != "useful" else text, says)
        for (text, says), after in zip(words, following, strict=True)
    ]


def links(source: list[Word], target: list[Word]) -> frozenset[tuple[int, int]]:
    """Return the pairs of positions whose words share a number."""
    where: dict[int, list[int]] = {}
    for j, (_, says) in enumerate(target):
        for number in says:
            where.setdefault(number, []).append(j)
    return frozenset((i, j) for i, (_, says) in enumerate(source) for number in says for j in where.get(number, ()))


def detokenise(text: str, language: str = "fr") -> str:
    """Return the text as it is printed: l'homme, my brother's cat, and a capital I in English."""
    words = ["I" if word == "i" and language == "en" else word for word in text.split()]
    return " ".join(words).replace("' ", "'").replace(" 's", "'s").replace(" ,", ",")


def tokenise(text: str, language: str = "fr") -> str:
    """Return a text written by people, cut into the words of the corpus: l' homme, my brother 's cat, no capitals.

    Any apostrophe is one, a comma is a word, other signs are left out. The live figures of the book cut French alike.
    """
    text = re.sub("[‘’ʼ]", "'", unicodedata.normalize("NFC", text).lower())
    text = re.sub('[.!?;:…"“”„«»‹›()]', " ", text).replace(",", " , ")
    text = text.replace("'", "' ") if language == "fr" else re.sub(r" ?'s\b", " 's", text)
    return " ".join(word for word in text.split() if word != "'")
