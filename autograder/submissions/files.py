"""The files of a class's folder, listed without following links, with limits for each student, and submissions."""

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path

from autograder.submissions.lms_names import JUNK, LIBRARIES, NOBODY, Owner, is_wrapper
from autograder.submissions.notebook import FOLDER, LINK, Unreadable, open_folder, read_below

DEEPEST = 8
MOST_STUDENTS = 100_000  # and files beside them, in a class's folder
MOST_FILES = 20_000  # of one student's, in all their folders
MOST_OTHERS = 50  # of those that are no notebook
FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
Entry = tuple[str, str]  # a name, and whether it is a link, a folder or a file


@dataclass(frozen=True)
class SubmittedFile:
    """A submitted file or folder, in a folder or a zip.

    `parts` is its path below the class, `read_bytes` reads it, `problem` says why it must not be read, or is "". `time`
    is that of a zip's entry, if it has one; `owner` is known after a look at the path.
    """

    parts: tuple[str, ...]
    read_bytes: Callable[[], bytes]
    problem: str = ""
    is_folder: bool = False
    time: datetime | None = None
    owner: Owner = NOBODY

    @property
    def path(self) -> str:
        return "/".join(self.parts)

    @property
    def is_notebook(self) -> bool:
        return self.parts[-1].lower().endswith(".ipynb")

    @property
    def is_relevant(self) -> bool:
        """Return whether the file may be graded or must be reported; a few names of all others are enough."""
        return self.is_notebook or bool(self.problem) or self.is_zip or (self.is_folder and len(self.parts) <= 3)

    @property
    def is_zip(self) -> bool:
        return self.parts[-1].lower().endswith(".zip")

    def read(self) -> bytes:
        """Return the file's bytes; raise Unreadable where it has a problem."""
        if self.problem:
            raise Unreadable(self.problem)
        return self.read_bytes()


@dataclass(frozen=True)
class Submission:
    """One submission: its student, its assignment, and its source, or the reason why it has none.

    `file` is its path in messages. `name` and `account` are the student's name as it was handed in, and the LMS's
    number if there is one; `lms_name` is the folder's or file's whole name from the LMS, else "". `read_beside` reads
    one of nbgrader's files beside the notebook, by name. `notice` tells the student which of several files was graded,
    and why. Without a notebook of the assignment it never replaces a graded one.
    """

    student: str
    assignment: str
    file: str
    source: SubmittedFile = field(compare=False)
    read_beside: Callable[[str], bytes] | None = field(default=None, compare=False)
    notes: tuple[str, ...] = ()
    name: str = field(default="", compare=False)
    account: str = field(default="", compare=False)
    lms_name: str = field(default="", compare=False)
    notice: str = ""
    has_notebook: bool = True

    def content(self) -> bytes:
        """Return the submitted bytes; raise Unreadable where there are none."""
        return self.source.read()

    def timestamp(self) -> bytes | None:
        """Return nbgrader's timestamp.txt: b"" where there is none, None for a hand-in without nbgrader.

        A zip's entries carry the time of the LMS's own file, which is not always that of the hand-in.
        """
        if self.read_beside is None:
            return None
        try:
            return self.read_beside("timestamp.txt")
        except Unreadable:
            return b""


@dataclass(frozen=True)
class Rejected:
    """A submitted file that gets no grade; `error` says why."""

    student: str
    file: str
    error: str


@dataclass
class Inbox:
    """All submissions of a class; `assignment` is that of all of them, "" where folders may name several."""

    assignment: str = ""
    submissions: list[Submission] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    contested: list[Rejected] = field(default_factory=list)  # the rejected ones of students who share a name


def list_folder(root: Path, left_out: tuple[str, ...] = ()) -> list[SubmittedFile]:
    """Return the files and folders below `root`, without following links: they could lead to somebody else's work.

    `left_out` is the path below `root` of a folder that is nobody's, such as the gradebook's. A student with too many
    files gets one entry with that problem; the others' files are all there. Raise PermissionError or ValueError where
    `root`, or the one folder around a class in it, cannot be listed.
    """
    tops = [entry for entry in _students(root, ()) if (entry[0],) != left_out]
    around = [name for name, kind in tops if kind == "folder"]
    if len(around) != 1 or not is_wrapper(around[0]):
        return [file for file in _files_of_students(root, (), tops) if not _is_below(file, left_out)]
    beside = _files_of_students(root, (), [entry for entry in tops if entry[0] not in around])
    inside = _files_of_students(root, tuple(around), _students(root, tuple(around)))
    files = [*beside, SubmittedFile(tuple(around), bytes, is_folder=True), *inside]
    return [file for file in files if not _is_below(file, left_out)]


def _is_below(file: SubmittedFile, folder: tuple[str, ...]) -> bool:
    """Return whether a file lies in a folder, or is one of the folders on the way to it."""
    leads = file.is_folder and not file.problem and folder[: len(file.parts)] == file.parts
    return bool(folder) and (leads or file.parts[: len(folder)] == folder)


def _students(root: Path, parts: tuple[str, ...]) -> list[Entry]:
    """Return the entries of a class's folder: students' folders, and files beside them."""
    place = root.joinpath(*parts)
    try:
        entries = _scan(root, parts, MOST_STUDENTS)
    except OSError as error:
        raise PermissionError(f"{place} cannot be read ({error.strerror}): check its permissions.") from None
    if len(entries) > MOST_STUDENTS:
        raise ValueError(f"{place} holds more than {MOST_STUDENTS} files: this is no folder of submissions.")
    return entries


def _files_of_students(root: Path, parts: tuple[str, ...], entries: list[Entry]) -> list[SubmittedFile]:
    below = (((*parts, name), kind) for name, kind in entries)
    return [file for path, kind in below for file in limit_files(_files_of_entry(root, path, kind), path)]


def limit_files(files: Iterable[SubmittedFile], parts: tuple[str, ...]) -> list[SubmittedFile]:
    """Return one student's files, or a single entry that reports too many."""
    kept_files = list(islice(files, MOST_FILES + 1))
    if len(kept_files) > MOST_FILES:
        return [
            SubmittedFile(parts, bytes, f"it holds more than {MOST_FILES} files; hand in the notebooks alone", True)
        ]
    others = [each for each in kept_files if not each.is_relevant]
    beyond = set(map(id, others[MOST_OTHERS:]))  # they are only named in a message
    return [each for each in kept_files if id(each) not in beyond]


def _unreadable(parts: tuple[str, ...], error: OSError) -> SubmittedFile:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):  # it was a folder a moment ago
        return SubmittedFile(parts, bytes, LINK)
    return SubmittedFile(parts, bytes, f"the folder cannot be read ({error.strerror}); check its permissions", True)


def _scan(root: Path, parts: tuple[str, ...], most: int) -> list[Entry]:
    """Return a folder's entries in order of their names, without junk, and at most one more than `most`."""
    folder = open_folder(root, parts, FOLDER_FLAGS)
    try:
        with os.scandir(folder) as scanned:
            return sorted(islice(((each.name, _kind(each)) for each in scanned if each.name not in JUNK), most + 1))
    finally:
        os.close(folder)


def _kind(entry: os.DirEntry[str]) -> str:
    return "link" if entry.is_symlink() else "folder" if entry.is_dir(follow_symlinks=False) else "file"


def _walk(root: Path, parts: tuple[str, ...]) -> Iterator[SubmittedFile]:
    try:
        entries = _scan(root, parts, MOST_FILES)
    except OSError as error:
        yield _unreadable(parts, error)
        return
    yield SubmittedFile(parts, bytes, is_folder=True)
    for name, kind in entries:
        if name not in LIBRARIES:
            yield from _files_of_entry(root, (*parts, name), kind)


def _files_of_entry(root: Path, parts: tuple[str, ...], kind: str) -> Iterator[SubmittedFile]:
    if kind == "link":
        yield SubmittedFile(parts, bytes, LINK)
    elif kind == "file":
        yield SubmittedFile(parts, partial(read_below, root, parts))
    elif parts[-1].endswith(".ipynb"):
        yield SubmittedFile(parts, bytes, FOLDER)
    elif len(parts) < DEEPEST:
        yield from _walk(root, parts)
    else:
        yield SubmittedFile(parts, bytes, f"folders nested more than {DEEPEST} deep are not looked into", True)
