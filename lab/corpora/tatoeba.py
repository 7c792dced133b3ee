"""Tatoeba (tatoeba.org): short English and French sentences by volunteers, the list of manythings.org of April 2019.

CC BY 2.0 France, by the contributors of tatoeba.org and by manythings.org/anki; the zip says so in `_about.txt`.
"""

import hashlib
import itertools
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from lab.corpora import CorpusError, Pair, Parallel
from lab.corpora.sources import Source, fetch

DIRECTION = ("en", "fr")
DIRECTIONS = (("en", "fr"), ("fr", "en"))
NO_LETTER = re.compile(r"[\W_]+")
HELD_OUT = {"validation": 1000, "test": 2000}  # groups, of which one pair each is kept

COMMIT = "adddaf33ac35572bcfeb421efec29435e7ea9332"
LIST = Source(
    f"https://raw.githubusercontent.com/modelexlab/data/{COMMIT}/fra-eng.zip",
    "161c93f18da3a7e6df611ed961426613260de8af06ccf8c79c977afe5135ac44",
    "tatoeba/fra-eng.zip",
)


def load(source: str, target: str) -> Parallel:
    """Return one direction, in splits that share no sentence of either language."""
    train, held_out = split(pairs())
    if source == "fr":
        train = [pair.turned for pair in train]
        held_out = {name: [pair.turned for pair in part] for name, part in held_out.items()}
    return Parallel("tatoeba", source, target, train, held_out["validation"], {"test": held_out["test"]})


def pairs() -> list[Pair]:
    """Return all pairs, English first, in the order of the list."""
    path = fetch(LIST)
    try:
        with zipfile.ZipFile(path) as archive:
            text = archive.read("fra-eng/fra.txt").decode("utf-8")
    except (zipfile.BadZipFile, KeyError):
        raise CorpusError(
            f"{path} is not a list of pairs: expected a zip with fra-eng/fra.txt in it. Delete it: it is fetched again."
        ) from None
    lines = (line.split("\t") for line in text.removesuffix("\n").split("\n"))
    return [Pair(english, french) for english, french, *_ in lines]


def split(every: Iterable[Pair]) -> tuple[list[Pair], dict[str, list[Pair]]]:
    """Return the training part and the held-out parts: whole groups of pairs that repeat each other's sentences.

    Many sentences have several translations, so a split by pairs would test on sentences that were trained on.
    """
    groups = sorted(grouped(every), key=lambda group: digest(min(sentence_key(pair.source) for pair in group)))
    held_out: dict[str, list[Pair]] = {}
    for name, count in HELD_OUT.items():
        held_out[name] = [group[0] for group in groups[:count]]
        del groups[:count]
    return [pair for group in groups for pair in group], held_out


def grouped(every: Iterable[Pair]) -> list[list[Pair]]:
    """Return the connected groups: two pairs are joined if they have a sentence in common, in either language."""
    from scipy.sparse import coo_array, csgraph  # late, as all that a bare machine with a GPU may lack

    pairs, numbers = list(every), defaultdict[tuple[str, str], int](itertools.count().__next__)
    ends = [[numbers[side, sentence_key(getattr(pair, side))] for pair in pairs] for side in ("source", "target")]
    graph = coo_array((np.ones(len(pairs)), ends), shape=(len(numbers), len(numbers)))
    _, group_of = csgraph.connected_components(graph, directed=False)
    groups: dict[int, list[Pair]] = {}
    for pair, source in zip(pairs, ends[0], strict=True):
        groups.setdefault(int(group_of[source]), []).append(pair)
    return list(groups.values())


def sentence_key(sentence: str) -> str:
    """Return the letters and digits alone: "Go!" and "go." are one sentence, and may not stand on both sides."""
    return NO_LETTER.sub("", sentence.casefold())


def digest(text: str) -> bytes:
    # Not random numbers: a group keeps its place when a later list brings other groups.
    return hashlib.sha256(text.encode()).digest()
