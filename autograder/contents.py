"""The book's list of contents, book/_toc.yml, without the chapters that course.toml leaves out.

This module needs no torch, and no yaml before it reads a file: a bare machine with a GPU has neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from autograder.places import ROOT
from autograder.settings import demand_one_of, settings

EVIDENCE = "_evidence"  # ends the name of a chapter's second page, which _toc.yml lists below the first as a section


def contents(root: Path = ROOT) -> dict[str, Any]:
    """Return the list of contents; raise SettingsError where course.toml chooses a chapter that it does not have."""
    path = root / "book" / "_toc.yml"
    if not path.exists():
        return {}
    chosen = settings(None if root == ROOT else root).chapters
    listed = _read(path.read_text(encoding="utf-8"))
    if chosen is None:
        return listed
    graded = [page for page in files(listed) if (root / "exercises" / f"{Path(page).stem}.md").exists()]
    demand_one_of(chosen, graded, "course.toml: chapters: ")
    return _without(listed, {page for page in graded if page not in chosen})


def pages(root: Path = ROOT) -> list[str]:
    """Return every page but the first, in order."""
    return list(files(contents(root)))


def chapters(root: Path = ROOT) -> list[str]:
    """Return the names of the chapters, in order: the pages of the numbered parts, without those below them."""
    numbered = [part for part in contents(root).get("parts", []) if part.get("numbered")]
    return [chapter["file"] for part in numbered for chapter in part["chapters"]]


def chapter_of(page: str) -> str:
    """Return the name of the chapter of which a page is the lesson or the evidence; of any other page, its own."""
    return page.removesuffix(EVIDENCE)


@lru_cache(maxsize=8)
def _read(text: str) -> dict[str, Any]:
    """Parse a list of contents, once: each submission asks for it."""
    import yaml

    return yaml.safe_load(text) or {}


def files(entry: Any) -> Iterator[str]:
    """Yield every `file:` of a list of contents, in order."""
    if isinstance(entry, list):
        for item in entry:
            yield from files(item)
    elif isinstance(entry, dict):
        if "file" in entry:
            yield entry["file"]
        for key, item in entry.items():
            if key not in ("file", "root"):
                yield from files(item)


def _without(entry: Any, dropped: set[str]) -> Any:
    """Return a list of contents without these pages, and without parts that have no others."""
    if isinstance(entry, list):
        kept = [item for item in entry if not (isinstance(item, dict) and item.get("file") in dropped)]
        return [item for item in (_without(each, dropped) for each in kept) if item.get("chapters", True)]
    if isinstance(entry, dict):
        return {key: _without(item, dropped) for key, item in entry.items()}
    return entry
