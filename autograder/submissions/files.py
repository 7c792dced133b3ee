"""The files of a class's folder, listed without following links, with limits for each student; what becomes of them."""

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
    """A file or folder that was handed in, in a folder or a zip.

    `parts` is its path below what is graded, `read_bytes` reads it, `problem` says why it must not be read, or is "".
    `time` is that of a zip's entry, where it has one; `owner` is what its path says, once that was looked at.
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
        """Return whether the file may be graded or must be reported; of all others a few names are enough."""
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
    """One submission: whose, of which assignment, and where its bytes are, or the reason why there are none.

    `file` is its path in messages. `name` and `account` are the student's name as it was handed in, and the LMS's
    number where there is one; `lms_name` is the folder's or file's whole name as the LMS made it, else "".
    `read_beside` reads what nbgrader keeps beside the notebook, given a file name. `notice` tells the student which of
    several files was graded, and why. Without a notebook of the assignment it never replaces one that was graded.
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
        """Return the bytes that were handed in; raise Unreadable where there are none."""
        return self.source.read()

    def timestamp(self) -> bytes | None:
        """Return nbgrader's timestamp.txt: b"" where there is none, None where the hand-in came without nbgrader.

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
    """Something that was handed in and gets no grade; `error` says why."""

    student: str
    file: str
    error: str


@dataclass
class Inbox:
    """All that a class handed in; `assignment` is the one that it is of, "" where folders may say several."""

    assignment: str = ""
    submissions: list[Submission] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    contested: list[Rejected] = field(default_factory=list)  # of the rejected, those of students who share a name


def list_folder(root: Path, left_out: tuple[str, ...] = ()) -> list[SubmittedFile]:
    """Return the files and folders below `root`; links are not followed, they could lead to somebody else's work.

    `left_out` is the path below `root` of what is nobody's, such as the gradebook's folder. A student with too many
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
    """Return whether a file lies in a folder, or is one of those that lead there: nobody's either, if alone."""
    leads = file.is_folder and not file.problem and folder[: len(file.parts)] == file.parts
    return bool(folder) and (leads or file.parts[: len(folder)] == folder)


def _students(root: Path, parts: tuple[str, ...]) -> list[Entry]:
    """Return what lies in a class's folder: students' folders, and files beside them."""
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
    """Return one student's files, or one entry that says that there are too many."""
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
    """Return a folder's entries in order of their names, without junk; of more than `most`, one more than that."""
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
