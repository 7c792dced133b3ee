"""One file of an inbox, wherever it lies: its path in parts, how to read it, and why it must not be read."""

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path

from autograder.submissions.lms_names import JUNK, LIBRARIES, is_wrapper
from autograder.submissions.notebook import LINK, Unreadable, open_folder, read_below

DEEPEST = 8
MOST_STUDENTS = 100_000  # and files beside them, in a class's folder
MOST_FILES = 20_000  # of one student's, in all their folders
MOST_OTHERS = 50  # of those that are no notebook
LISTED = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
Entry = tuple[str, str]  # a name, and whether it is a link, a folder or a file


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

    @property
    def counts(self) -> bool:
        """Return whether more hangs on it than its name: it may be graded, or is said to be no such thing."""
        return self.notebook or bool(self.trouble) or self.zipped or (self.folder and len(self.parts) <= 3)

    @property
    def zipped(self) -> bool:
        return self.parts[-1].lower().endswith(".zip")

    def read(self) -> bytes:
        """Return the bytes that were handed in."""
        if self.trouble:
            raise Unreadable(self.trouble)
        return self.bytes_of()


class _TooMany(Exception):
    """One folder alone holds too much."""


def walked(root: Path) -> list[Found]:
    """Return the files and folders below one; links lead nowhere, they could lead to somebody else's work.

    What is too much to look through is said of the student whose it is: the others are read.
    """
    try:
        tops = _listed(root, (), MOST_STUDENTS)
    except OSError as error:
        raise PermissionError(f"{root} cannot be read ({error.strerror}): check its permissions.") from None
    if tops is None:
        raise ValueError(f"{root} holds more than {MOST_STUDENTS} files: this is no folder of submissions.")
    folders = [name for name, kind in tops if kind == "folder"]
    wrapper = folders[0] if len(folders) == 1 and is_wrapper(folders[0]) else None
    listed: list[Found] = []
    for name, kind in tops:
        listed += _wrapped(root, (name,)) if name == wrapper else bounded(_entry(root, (name,), kind), (name,))
    return listed


def _wrapped(root: Path, parts: tuple[str, ...]) -> list[Found]:
    """Return what lies in a lone folder around all students' folders."""
    try:
        entries = _listed(root, parts, MOST_STUDENTS)
    except OSError as error:
        return [_unreadable(parts, error)]
    if entries is None:
        return [too_many(parts)]
    below = [bounded(_entry(root, (*parts, name), kind), (*parts, name)) for name, kind in entries]
    return [Found(parts, bytes, folder=True), *chain.from_iterable(below)]


def bounded(files: Iterable[Found], parts: tuple[str, ...]) -> list[Found]:
    """Return what lies in one student's folder, or in its place that it is too much."""
    try:
        held = list(islice(files, MOST_FILES + 1))
    except _TooMany:
        return [too_many(parts)]
    if len(held) > MOST_FILES:
        return [too_many(parts)]
    others = [each for each in held if not each.counts]
    beyond = set(map(id, others[MOST_OTHERS:]))  # of what is only named in a sentence, a few are enough
    return [each for each in held if id(each) not in beyond]


def too_many(parts: tuple[str, ...]) -> Found:
    """Return what stands for a folder that holds too much."""
    return Found(parts, bytes, f"it holds more than {MOST_FILES} files; hand in the notebooks alone", True)


def _unreadable(parts: tuple[str, ...], error: OSError) -> Found:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):  # it was a folder a moment ago
        return Found(parts, bytes, LINK)
    return Found(parts, bytes, f"the folder cannot be read ({error.strerror}); check its permissions", True)


def _listed(root: Path, parts: tuple[str, ...], most: int) -> list[Entry] | None:
    """Return what a folder holds besides junk, by name; None where that is too much."""
    folder = open_folder(root, parts, LISTED)
    try:
        with os.scandir(folder) as listed:
            kept = ((entry.name, _kind(entry)) for entry in listed if entry.name not in JUNK)
            entries = list(islice(kept, most + 1))
    finally:
        os.close(folder)
    return sorted(entries) if len(entries) <= most else None


def _kind(entry: os.DirEntry[str]) -> str:
    return "link" if entry.is_symlink() else "folder" if entry.is_dir(follow_symlinks=False) else "file"


def _below(root: Path, parts: tuple[str, ...]) -> Iterator[Found]:
    try:
        entries = _listed(root, parts, MOST_FILES)
    except OSError as error:
        yield _unreadable(parts, error)
        return
    yield Found(parts, bytes, folder=True)
    if entries is None:
        raise _TooMany
    for name, kind in entries:
        if name not in LIBRARIES:
            yield from _entry(root, (*parts, name), kind)


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
