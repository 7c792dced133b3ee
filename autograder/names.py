"""The names that have exercises. This module needs no torch: whoever only hands out work starts without it."""

from pathlib import Path

import yaml

from autograder.places import ROOT


def assignments() -> list[str]:
    """Return the names that have checks, in the order of the book; without a list of contents, in the alphabet's."""
    contents = ROOT / "book" / "_toc.yml"
    order = [Path(page).stem for page in _pages(yaml.safe_load(contents.read_text()))] if contents.exists() else []
    return [name for name in order if name in written()] + [name for name in written() if name not in order]


def written() -> list[str]:
    """Return the names that there are exercises for, whether the book has their chapters or not."""
    return sorted(path.stem for path in (ROOT / "exercises").glob("*.md"))


def _pages(entry) -> list[str]:
    """Return every `file:` of a table of contents, in order."""
    if isinstance(entry, list):
        return [page for item in entry for page in _pages(item)]
    if isinstance(entry, dict):
        own = [entry["file"]] if "file" in entry else []
        return own + [page for key, item in entry.items() if key not in ("file", "root") for page in _pages(item)]
    return []
