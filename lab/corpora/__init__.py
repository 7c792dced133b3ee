"""Parallel texts by name: a corpus is a module of this folder that has a DIRECTION and a function load."""

import difflib
import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType


class CorpusError(Exception):
    """A corpus that cannot be had as asked; the message says what, expected, got, what to do."""


@dataclass(frozen=True)
class Pair:
    """A sentence and its translation; links are the gold (source word, target word), from 0, words = text.split()."""

    source: str
    target: str
    links: frozenset[tuple[int, int]] | None = None


@dataclass(frozen=True)
class Parallel:
    """One direction of a corpus, in its splits; source and target are language codes."""

    name: str
    source: str
    target: str
    train: Sequence[Pair]
    validation: Sequence[Pair]
    tests: Mapping[str, Sequence[Pair]]


def names() -> list[str]:
    """Return the names of all corpora, found by looking into this folder."""
    return [name for name in _modules() if _is_corpus(_import(name))]


def load(name: str, source: str | None = None, target: str | None = None) -> Parallel:
    """Return the corpus in the direction asked for; a language not given is that of the corpus's DIRECTION."""
    return _corpus(name).load(*direction(name, source, target))


def direction(name: str, source: str | None = None, target: str | None = None) -> tuple[str, str]:
    """Return the languages that `load` would take, without loading anything."""
    module = _corpus(name)
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
    """Return text as people write it, as the corpus has it: cut into words if the corpus is."""
    module = _corpus(name)
    return module.tokenise(text, language) if hasattr(module, "tokenise") else text


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
    return hasattr(module, "DIRECTION") and hasattr(module, "load")
