"""Corpora by name: a corpus is a module of this folder that has a function load.

A parallel text has a DIRECTION, and `load` returns a Parallel; a text with labels has LABELS, and returns a Labelled; a
text to write on has a UNIT, and returns a Text.
"""

import difflib
import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any


class CorpusError(Exception):
    """A corpus that cannot be loaded as asked for; the message says which, what was expected, and what to do."""


@dataclass(frozen=True)
class Pair:
    """A sentence and its translation; links are the gold (source word, target word), from 0, words = text.split().

    Where annotators were asked how sure they were, links are the sure ones, and the possible ones hold these too.
    """

    source: str
    target: str
    links: frozenset[tuple[int, int]] | None = None
    possible: frozenset[tuple[int, int]] | None = None

    @property
    def turned(self) -> "Pair":
        """The pair and its links with source and target exchanged."""
        links, possible = (each and frozenset((j, i) for i, j in each) for each in (self.links, self.possible))
        return Pair(self.target, self.source, links, possible)


@dataclass(frozen=True)
class Parallel:
    """One direction of a corpus, in its splits; source and target are language codes."""

    name: str
    source: str
    target: str
    train: Sequence[Pair]
    validation: Sequence[Pair]
    tests: Mapping[str, Sequence[Pair]]
    tokenised: bool = False  # words and marks stand apart in the text: scored as it is


@dataclass(frozen=True)
class Document:
    """A text and its label; evidence holds the gold (sentence, word), from 0, words = sentence.split().

    Where a label answers several questions, aspects holds the evidence of each: (its name, its part of the evidence).
    """

    sentences: tuple[str, ...]
    label: str
    evidence: frozenset[tuple[int, int]] | None = None
    aspects: tuple[tuple[str, frozenset[tuple[int, int]]], ...] = ()

    @property
    def words(self) -> list[str]:
        """All words, the sentences one after the other."""
        return [word for sentence in self.sentences for word in sentence.split()]


@dataclass(frozen=True)
class Labelled:
    """A corpus of texts with labels, in its splits."""

    name: str
    labels: tuple[str, ...]
    train: Sequence[Document]
    validation: Sequence[Document]
    tests: Mapping[str, Sequence[Document]]
    metric: str = "accuracy"  # the score that a model is selected by: accuracy, or macro_f1
    classes: Mapping[str, str | None] | None = None  # label: the class whose F1 counts it (None: not counted)

    def sentences(self) -> list[str]:
        """Return the sentences of the training part."""
        return [sentence for document in self.train for sentence in document.sentences]


@dataclass(frozen=True)
class Text:
    """A corpus for language models: sentences of words, running text by characters, or texts by subwords.

    Where rules made the text, `entropy` is the loss that no model goes below, in nats a token (</s> is one), and
    `known` the log-probability of each test sentence by these rules.
    """

    name: str
    unit: str  # what a token is: "word", of whole sentences, "character", of running text, or "subword", of texts
    train: Sequence[Any]
    validation: Sequence[Any]
    tests: Mapping[str, Sequence[Any]]
    entropy: float | None = None
    known: Mapping[str, Sequence[float]] | None = None


def names() -> list[str]:
    """Return the names of all corpora, found by looking into this folder."""
    return [name for name in _modules() if _is_corpus(_import(name))]


def load(name: str, source: str | None = None, target: str | None = None) -> Any:
    """Return the corpus: a Labelled, a Text, or a Parallel in the direction asked for (by default its DIRECTION)."""
    return _corpus(name).load(*direction(name, source, target)) if is_parallel(name) else _corpus(name).load()


def is_labelled(name: str) -> bool:
    """Return whether the corpus is one of texts with labels."""
    return hasattr(_corpus(name), "LABELS")


def is_parallel(name: str) -> bool:
    """Return whether the corpus is one of sentences and their translations."""
    return hasattr(_corpus(name), "DIRECTION")


def is_text(name: str) -> bool:
    """Return whether the corpus is one for language models."""
    return hasattr(_corpus(name), "UNIT")


def is_made(name: str) -> bool:
    """Return whether rules make the corpus: it is at hand everywhere, and nothing is downloaded."""
    return hasattr(_corpus(name), "generate")


def direction(name: str, source: str | None = None, target: str | None = None) -> tuple[str, str]:
    """Return the languages that `load` would take, without loading anything."""
    module = _corpus(name)
    if not is_parallel(name):
        known = ", ".join(filter(is_parallel, names()))
        raise CorpusError(f"{name} has no translations: take one of {known}.")
    default: tuple[str, str] = module.DIRECTION
    source, target = source or default[0], target or default[1]
    directions = getattr(module, "DIRECTIONS", None)
    if directions is not None and (source, target) not in directions:
        known = ", ".join("→".join(direction) for direction in directions)
        raise CorpusError(
            f"{name} has no direction {source}→{target}. It has: {known}. Give --source and --target as one of these."
        )
    return source, target


def references(name: str, split: str, language: str) -> list[str] | None:
    """Return the references that the literature scores against, lower-cased and tokenised; None if there are none."""
    module = _corpus(name)
    return module.references(split, language) if hasattr(module, "references") else None


def tokenise(name: str, text: str, language: str) -> str:
    """Return a text written by people in the form of the corpus: cut into words if the corpus is."""
    module = _corpus(name)
    return module.tokenise(text, language) if hasattr(module, "tokenise") else text


def read(name: str, text: str) -> tuple[str, ...]:
    """Return a text written by people as the sentences of a labelled corpus, each cut into words."""
    if not is_labelled(name):
        raise CorpusError(f"{name} has no labels: take one of {', '.join(filter(is_labelled, names()))}.")
    return _corpus(name).read(text)


def _corpus(name: str) -> ModuleType:
    if name in _modules() and _is_corpus(module := _import(name)):
        return module
    known = names()
    nearest = difflib.get_close_matches(name.lower(), known, n=1)
    guess = f" Did you mean {nearest[0]}?" if nearest else ""
    raise CorpusError(f"There is no corpus called {name!r}.{guess} The corpora are: {', '.join(known)}.")


def _modules() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def _import(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name}")


def _is_corpus(module: ModuleType) -> bool:
    return hasattr(module, "load") and any(hasattr(module, kind) for kind in ("DIRECTION", "LABELS", "UNIT"))
