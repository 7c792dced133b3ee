"""The names that have exercises. This module needs no torch: whoever only hands out work starts without it."""

from collections.abc import Sequence
from pathlib import Path

import yaml

from autograder.blank import BlankError
from autograder.places import ROOT


def assignments() -> list[str]:
    """Return the names in the book's list of contents that have exercises; without that list, all that have."""
    contents = ROOT / "book" / "_toc.yml"
    if not contents.exists():
        return written()
    return [name for name in map(_stem, _pages(yaml.safe_load(contents.read_text()))) if name in written()]


def written() -> list[str]:
    """Return the names that there are exercises for, whether the book has their chapters or not."""
    return sorted(path.stem for path in (ROOT / "exercises").glob("*.md"))


def dropped() -> list[str]:
    """Return the names whose chapters a teacher took out of the book's list of contents."""
    known = assignments()
    return [name for name in written() if name not in known]


def demand(names: Sequence[str]) -> None:
    """Raise unless all of these names have exercises."""
    unknown = [name for name in names if name not in assignments()]
    if unknown:
        raise BlankError(f"no exercise called {', '.join(unknown)}: expected some of {', '.join(assignments())}")


def _stem(page: str) -> str:
    return Path(page).stem


def _pages(entry) -> list[str]:
    """Return every `file:` of a table of contents, in order."""
    if isinstance(entry, list):
        return [page for item in entry for page in _pages(item)]
    if isinstance(entry, dict):
        own = [entry["file"]] if "file" in entry else []
        return own + [page for key, item in entry.items() if key not in ("file", "root") for page in _pages(item)]
    return []
