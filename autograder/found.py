"""One file of an inbox, wherever it lies: its path in parts, how to read it, and why it must not be read."""

import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from autograder.lms import JUNK
from autograder.reading import LINK, Unreadable, open_folder, read_below

DEEPEST = 8
MOST_FILES = 200_000
LISTED = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@dataclass(frozen=True)
class Found:
    """A file, or a folder."""

    parts: tuple[str, ...]
    bytes_of: Callable[[], bytes]
    trouble: str = ""
    folder: bool = False

    @property
    def path(self) -> str:
        return "/".join(self.parts)

    @property
    def notebook(self) -> bool:
        return self.parts[-1].lower().endswith(".ipynb")

    def read(self) -> bytes:
        """Return the bytes that were handed in."""
        if self.trouble:
            raise Unreadable(self.trouble)
        return self.bytes_of()


def walked(root: Path) -> list[Found]:
    """Return the files and folders below one; links lead nowhere, they could lead to somebody else's work."""
    found: list[Found] = []
    for each in _below(root, ()):
        found.append(each)
        if len(found) > MOST_FILES:
            raise ValueError(f"{root} holds more than {MOST_FILES} files: this is no folder of submissions.")
    return found


def _below(root: Path, parts: tuple[str, ...]) -> Iterator[Found]:
    try:
        entries = _listed(root, parts)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):  # it was a folder a moment ago
            yield Found(parts, bytes, LINK)
        else:
            yield Found(parts, bytes, f"the folder cannot be read ({error.strerror}); check its permissions", True)
        return
    if parts:
        yield Found(parts, bytes, folder=True)
    for name, kind in entries:
        if name not in JUNK:
            yield from _entry(root, (*parts, name), kind)


def _listed(root: Path, parts: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return a folder's entries in order: each one's name, and whether it is a link, a folder or a file."""
    folder = open_folder(root, parts, LISTED)
    try:
        with os.scandir(folder) as listed:
            return sorted((entry.name, _kind(entry)) for entry in listed)
    finally:
        os.close(folder)


def _kind(entry: os.DirEntry[str]) -> str:
    return "link" if entry.is_symlink() else "folder" if entry.is_dir(follow_symlinks=False) else "file"


def _entry(root: Path, parts: tuple[str, ...], kind: str) -> Iterator[Found]:
    if kind == "link":
        yield Found(parts, bytes, LINK)
    elif kind == "file":
        yield Found(parts, partial(read_below, root, parts))
    elif parts[-1].endswith(".ipynb"):
        yield Found(parts, bytes, "this is a folder; expected a notebook, a file that ends in .ipynb")
    elif len(parts) < DEEPEST:
        yield from _below(root, parts)
    else:
        yield Found(parts, bytes, f"folders nested more than {DEEPEST} deep are not looked into", True)
