"""A French–English phrasebook: a synchronous grammar that makes sentence pairs with gold word alignments.

Both sentences of a pair are built together, and each word carries numbers for what it says; words of the two
languages that share a number are linked. What is linked:

- a word and its translation; the words of one expression all with all ("pomme de terre" – "potato", "a entarté" –
  "hit … with a pie"), unless they answer one another ("avoir faim" – "be hungry"); a contraction (au, du) with what
  both its words say; "ne … pas" both with "not"; the partitive and its article both with "some";
- an auxiliary with the English auxiliary, otherwise with the verb ("a mangé" – "ate"); "do" with the French word that
  carries the tense; "is going to" with "va", "has just" with "vient"; after être, "a doctor" with "médecin".

What is not linked: the article of "le chat de mon frère" ("my brother 's cat": "de" is "'s"), "on" against an English
passive, "de" and "à" where English has no word ("venir de", "donner … à"), the comma after what only French puts
first, and "at", "to" where French has a clitic ("il leur sourit" – "he smiles at them").

French determines the English and English the French: no pronoun, tense or noun has two translations in its place.
Left out for that: tu, elles, lui, and le or la where elision hides which it is. Times and clauses with quand, si,
puisque stand first in French and last in English; possessors, adjectives, pronouns, adverbs, objects change places.
"""

import itertools
import math
import random
import zlib
from collections.abc import Iterator

from lab.corpora import Pair, Parallel
from lab.corpora.made_once import made_once
from lab.corpora.phrasebook.nominals import Draw
from lab.corpora.phrasebook.sentences import sentence
from lab.corpora.phrasebook.surface import detokenise, links, spell_english, spell_french, tokenise

__all__ = ["DIRECTION", "detokenise", "generate", "load", "tokenise"]

DIRECTION = ("fr", "en")
DIRECTIONS = (("fr", "en"), ("en", "fr"))
SIZES = {"train": 20_000, "validation": 1_000, "test": 2_000}


def stream(rng: random.Random, min_words: int, max_words: int) -> Iterator[Pair]:
    """Yield pairs without end; the wanted length n has p(n) ∝ 1/n, the sentence comes out near it.

    So there are about as many sentences of 4 to 8 words as of 8 to 16, and none outside [min_words, max_words].
    """
    while True:
        wanted = math.exp(rng.uniform(math.log(min_words), math.log(max_words)))
        # the grammar leaves about a ninth of the room of a long sentence unused
        part = sentence(Draw(rng), round(wanted * (1.12 if wanted > 10 else 1)))
        french, english = spell_french(part.french), spell_english(part.english)
        source, target = (" ".join(word for word, _ in words) for words in (french, english))
        if min_words <= len(source.split()) <= max_words:
            yield Pair(source, target, links(french, english))


def generate(count: int, seed: int, min_words: int = 3, max_words: int = 60) -> list[Pair]:
    """Return `count` pairs, French first, the French of min_words to max_words words."""
    return list(itertools.islice(stream(random.Random(seed), min_words, max_words), count))


def split(pair: Pair) -> str:
    """Return the split that the pair belongs to, by a hash of its English: a sentence is in one split only."""
    share = zlib.crc32(pair.target.encode()) % 100
    return "validation" if share < 5 else "test" if share < 15 else "train"


@made_once
def splits() -> dict[str, tuple[Pair, ...]]:
    """Return the fixed splits, French to English, 3 to 30 words; validation and test hold no sentence twice."""
    parts: dict[str, list[Pair]] = {name: [] for name in SIZES}
    seen: set[str] = set()
    for pair in stream(random.Random(2015), 3, 30):
        name = split(pair)
        if len(parts[name]) < SIZES[name] and (name == "train" or pair.source not in seen):
            parts[name].append(pair)
            seen.add(pair.source)
        if all(len(parts[name]) == size for name, size in SIZES.items()):
            break
    return {name: tuple(pairs) for name, pairs in parts.items()}


def load(source: str = "fr", target: str = "en") -> Parallel:
    """Return the corpus in one of its two directions."""
    parts = splits()
    if (source, target) != DIRECTION:
        parts = {name: tuple(pair.turned for pair in pairs) for name, pairs in parts.items()}
    return Parallel(
        "phrasebook", source, target, parts["train"], parts["validation"], {"test": parts["test"]}, tokenised=True
    )
