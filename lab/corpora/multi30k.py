"""Multi30k (Elliott et al., 2016 and 2017): image captions in German, English and French, from the official repository.

Derived from Flickr30K; for non-commercial research and education only, so it is fetched and never shipped.
"""

import gzip
from itertools import permutations
from pathlib import Path

from lab.corpora import Pair, Parallel
from lab.corpora.sources import Source, fetch

DIRECTION = ("de", "en")
LANGUAGES = ("de", "en", "fr")
DIRECTIONS = tuple(permutations(LANGUAGES, 2))
TESTS = {
    "test2016": "test_2016_flickr",
    "test2017": "test_2017_flickr",
    "mscoco": "test_2017_mscoco",
    "test2018": "test_2018_flickr",
}
FILES = {"train": "train", "validation": "val"} | TESTS

COMMIT = "a3d2e0d26b56f3846f66a952536ffed4e401d05a"
TASK = f"https://raw.githubusercontent.com/multi30k/dataset/{COMMIT}/data/task1"

# SHA-256 by file, as sha256sum lists it: the text as it was written, packed, and as the organisers lower-cased,
# normalised and tokenised it, the scale on which the literature reports BLEU.
LIST = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
SHA256 = {name: digest for digest, name in map(str.split, LIST)}


def load(source: str, target: str) -> Parallel:
    """Return one direction; only the files of its two languages are fetched."""
    splits = {
        split: [Pair(*pair) for pair in zip(lines(split, source), lines(split, target), strict=True)] for split in FILES
    }
    train, validation = splits.pop("train"), splits.pop("validation")
    return Parallel("multi30k", source, target, train, validation, splits)


def lines(split: str, language: str) -> list[str]:
    """Return the sentences of a split in one language, cased and not tokenised."""
    name = f"{FILES[split]}.{language}.gz"
    path = fetch(Source(f"{TASK}/raw/{name}", SHA256[name], f"multi30k/{name}"))
    return _split(gzip.decompress(path.read_bytes()))


def references(split: str, language: str) -> list[str]:
    """Return the organisers' lower-cased and tokenised sentences of a split: the literature's references."""
    name = f"{FILES[split]}.lc.norm.tok.{language}"
    path = fetch(Source(f"{TASK}/tok/{name}", SHA256[name], f"multi30k/tok/{name}"))
    return _split(path.read_bytes())


def _split(text: bytes) -> list[str]:
    # Not splitlines: it also cuts at characters that may stand inside a sentence.
    return text.decode("utf-8").removesuffix("\n").split("\n")
