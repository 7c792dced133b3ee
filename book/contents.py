"""The book's list of contents: _toc.yml, with the chapters of chapters.toml in their parts, and where each page lies.

A page's name is its address: NAME.html is the lesson of the chapter NAME, NAME_program.html its whole program,
NAME_evidence.html its evidence, each other page is called as its file is. Chapters that course.toml leaves out are left
out here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from autograder.places import ROOT
from autograder.settings import demand_one_of, settings

EVIDENCE, PROGRAM = "_evidence", "_program"  # end the names of two pages that stand below a lesson as sections
LESSON_FILE, OF_CHAPTER = "lesson.md", ("evidence.md", "program.md", "discussion.md", "slides.md")


def all_chapters(root: Path = ROOT) -> dict[str, dict[str, Any]]:
    """Return the table of each chapter in chapters.toml, by name and in order, also of those left out by a class."""
    path = root / "book" / "chapters.toml"
    return _toml(path.read_text(encoding="utf-8")) if path.is_file() else {}


def chapters(root: Path = ROOT) -> list[str]:
    """Return the names of a class's chapters, in order; raise SettingsError where course.toml names an unknown one."""
    known, chosen = list(all_chapters(root)), settings(None if root == ROOT else root).chapters
    demand_one_of(chosen or (), known, "course.toml: chapters: ")
    return [name for name in known if chosen is None or name in chosen]


def contents(root: Path = ROOT) -> dict[str, Any]:
    """Return the list of contents as Jupyter Book reads it."""
    listed = _yaml((root / "book" / "_toc.yml").read_text(encoding="utf-8"))
    about, named = all_chapters(root), chapters(root)
    parts = []
    for part in listed["parts"]:
        own = [_entry(name, root) for name in named if about[name]["part"] == part["caption"]]
        pages = part.get("chapters") or own
        parts += [part | {"chapters": pages}] if pages else []
    return listed | {"parts": parts}


def _entry(name: str, root: Path) -> dict[str, Any]:
    program = [name + PROGRAM] if (root / "book" / name / "program.md").is_file() else []
    return {"file": name, "sections": [{"file": page} for page in (*further(name, root), *program, name + EVIDENCE)]}


def pages(root: Path = ROOT) -> list[str]:
    """Return the names of all pages but the first, in order."""
    return list(files(contents(root)))


def further(name: str, root: Path = ROOT) -> list[str]:
    """Return the names of a chapter's pages between its lesson and its evidence, as chapters.toml lists them."""
    return all_chapters(root)[name].get("further", [])


def tools(name: str, root: Path = ROOT) -> list[str]:
    """Return the names of the short pages on the tools of a chapter, as chapters.toml lists them."""
    return all_chapters(root)[name].get("tools", [])


def beside(name: str, root: Path = ROOT) -> list[str]:
    """Return the names of the pages that a chapter's class needs beside the lesson: its further ones, and its tools."""
    return [*further(name, root), *tools(name, root)]


def chapter_of(page: str) -> str:
    """Return the name of the chapter that a page is of; of a page of no chapter, the page's own."""
    own = page.removesuffix(EVIDENCE).removesuffix(PROGRAM)
    return next((name for name, about in all_chapters().items() if own in about.get("further", [])), own)


def name_of(path: Path) -> str:
    """Return the name of the page in a file below book/."""
    if path.name == LESSON_FILE:
        return path.parent.name
    if path.name in OF_CHAPTER and path.parent.name != "teachers":
        return f"{path.parent.name}_{path.stem}"
    return path.stem


@lru_cache(maxsize=8)
def _files_by_name(root: Path) -> dict[str, Path]:
    return {name_of(path): path for path in sorted((root / "book").rglob("*.md"))}


def page_file(name: str, root: Path = ROOT) -> Path:
    """Return the file of a page; raise LookupError where there is none of this name."""
    if name not in _files_by_name(root):
        _files_by_name.cache_clear()  # one that was written since
    if name not in _files_by_name(root):
        raise LookupError(f"book/ has no page '{name}': it has {', '.join(_files_by_name(root))}")
    return _files_by_name(root)[name]


@lru_cache(maxsize=8)
def _yaml(text: str) -> dict[str, Any]:
    import yaml

    return yaml.safe_load(text) or {}


@lru_cache(maxsize=8)
def _toml(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


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
