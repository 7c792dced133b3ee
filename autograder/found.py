"""One file of an inbox, wherever it lies: its path in parts, how to read it, and why it must not be read."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.lms import JUNK
from autograder.reading import Unreadable, read_bytes

DEEPEST = 8
MOST_FILES = 200_000
LINK = "this is a symbolic link; hand in the file itself"


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


def _below(folder: Path, parts: tuple[str, ...]) -> Iterator[Found]:
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError as error:
        yield Found(parts, bytes, f"the folder cannot be read ({error.strerror}); check its permissions", True)
        return
    if parts:
        yield Found(parts, bytes, folder=True)
    for entry in entries:
        if entry.name not in JUNK:
            yield from _entry(entry, folder / entry.name, (*parts, entry.name))


def _entry(entry: os.DirEntry[str], path: Path, parts: tuple[str, ...]) -> Iterator[Found]:
    if entry.is_symlink():
        yield Found(parts, bytes, LINK)
    elif not entry.is_dir(follow_symlinks=False):
        yield Found(parts, lambda: read_bytes(path))
    elif entry.name.endswith(".ipynb"):
        yield Found(parts, bytes, "this is a folder; expected a notebook, a file that ends in .ipynb")
    elif len(parts) < DEEPEST:
        yield from _below(path, parts)
    else:
        yield Found(parts, bytes, f"folders nested more than {DEEPEST} deep are not looked into", True)
