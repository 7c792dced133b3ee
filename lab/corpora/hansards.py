"""Hansards: 447 sentences of the Canadian parliament with alignments by hand (Och and Ney, 2003), and text to train on.

The sentences are the test set of the workshop on parallel texts of 2003, as awesome-align has it. Training text from
the parliament is not free, so the models are trained on Tatoeba, written as the test set is written: cut into words,
lower-cased (the test set is not quite), with contractions undone: "du" is "de le" there, "l'avis" is "le avis".
"""

import re

from lab.corpora import CorpusError, Pair, Parallel, tatoeba
from lab.corpora.sources import Source, fetch

DIRECTION = ("en", "fr")
DIRECTIONS = (("en", "fr"), ("fr", "en"))

COMMIT = "5f150d45bbe51e167daf0a84abebaeb07c3323d1"
EXAMPLES = f"https://raw.githubusercontent.com/neulab/awesome-align/{COMMIT}/examples"
SENTENCES = Source(
    f"{EXAMPLES}/enfr.src-tgt",
    "19d56c3de3634ab8420d553df4d9dfd849502b18225f1599382e98a6de9cfc72",
    "hansards/enfr.src-tgt",
)
GOLD = Source(
    f"{EXAMPLES}/enfr.gold",
    "0a11b51cba8a92a7608fb00884cb3cf50fe0fcc4e4aa92d70624fd11451c4ddd",
    "hansards/enfr.gold",
)

REWRITTEN = {
    "en": (
        (r"\bcan't\b", "cannot"),
        (r"\bwon't\b", "will not"),
        (r"\bshan't\b", "shall not"),
        (r"n't\b", " not"),
        (r"\blet's\b", "let us"),
        (r"'re\b", " are"),
        (r"'ll\b", " will"),
        (r"'ve\b", " have"),
        (r"'m\b", " am"),
        # Anywhere else 's is a genitive, which the test set keeps.
        (r"\b(it|he|she|that|what|there|here|where|who|how)'s\b", r"\1 is"),
    ),
    "fr": (
        (r"\b(l|d|j|n|m|t|s|c|\w*qu)'", r"\1e "),
        (r"\bdu\b", "de le"),
        (r"\bdes\b", "de les"),
        (r"\bau\b", "à le"),
        (r"\baux\b", "à les"),
    ),
}
TOKEN = re.compile(r"aujourd'|'s\b|\d+(?:[.,]\d+)*|\b(?:mr|mrs|dr|st|hon)\.|\w+|[^\w\s]")


def load(source: str, target: str) -> Parallel:
    """Return Tatoeba's sentences to train on, and as tests the 447 aligned ones and Tatoeba's own."""
    corpus = tatoeba.load(source, target)

    def written(part: list[Pair]) -> list[Pair]:
        return [Pair(tokenise(pair.source, source), tokenise(pair.target, target)) for pair in part]

    aligned = sentences() if source == "en" else [pair.turned for pair in sentences()]
    tests = {"test": aligned, "tatoeba": written(list(corpus.tests["test"]))}
    train, validation = written(list(corpus.train)), written(list(corpus.validation))
    return Parallel("hansards", source, target, train, validation, tests, tokenised=True)


def tokenise(text: str, language: str) -> str:
    """Return text as the test set would have it."""
    text = text.lower().replace("’", "'")
    for pattern, replacement in REWRITTEN[language]:
        text = re.sub(pattern, replacement, text)
    return " ".join(TOKEN.findall(text))


def sentences() -> list[Pair]:
    """Return the 447 pairs, English first, lower-cased, with the sure links and the possible ones."""
    text = fetch(SENTENCES).read_text("utf-8").removesuffix("\n").split("\n")
    gold = fetch(GOLD).read_text("utf-8").removesuffix("\n").split("\n")
    return [pair(line, links) for line, links in zip(text, gold, strict=True)]


def pair(line: str, gold: str) -> Pair:
    """Return a pair from its line "source ||| target" and its links: 1-based, i-j is sure and ipj possible."""
    source, target = (" ".join(side.lower().split()) for side in line.split("|||"))
    links: dict[str, set[tuple[int, int]]] = {"-": set(), "p": set()}
    for item in gold.split():
        i, kind, j = re.fullmatch(r"(\d+)([-p])(\d+)", item).groups()  # pyright: ignore[reportOptionalMemberAccess]
        links[kind].add((int(i) - 1, int(j) - 1))
    aligned = Pair(source, target, frozenset(links["-"]), frozenset(links["-"] | links["p"]))
    sizes = len(source.split()), len(target.split())
    if any(i >= sizes[0] or j >= sizes[1] for i, j in aligned.possible or ()):
        raise CorpusError(f"{GOLD.path} links words that {SENTENCES.path} does not have, in: {line}")
    return aligned
