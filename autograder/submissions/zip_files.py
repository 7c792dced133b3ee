"""Zips as lists of files; nothing is unpacked to the disk, each file is read when it is needed."""

import io
import math
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import BinaryIO

from autograder.submissions.files import SubmittedFile
from autograder.submissions.notebook import IRREGULAR, LARGEST_FILE, LINK, Unreadable

MOST_ENTRIES = 500_000  # of a class's zip
MOST_ENTRIES_OF_ONE = 2_000  # of one student's
MOST_DIRECTORY = 64 << 20  # bytes of its table of contents, which is read as a whole
TO_TEACHERS, TO_STUDENTS = "download it again", "make it and hand it in again"
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others may ask for gigabytes to unpack a kilobyte

ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)


class Damaged(Unreadable):
    """A file of a class's zip was damaged on its way: its student cannot help it."""


def list_zip(path: Path) -> list[SubmittedFile]:
    """Return the files of a class's zip; raise ValueError where it cannot be read."""
    try:
        with path.open("rb") as source:
            _demand_small(source, MOST_ENTRIES, TO_TEACHERS)
        return list(_files(path, MOST_ENTRIES, TO_TEACHERS))
    except Unreadable as error:
        raise ValueError(f"{path} cannot be graded: {error}.") from None


def list_inner_zip(zipped: SubmittedFile) -> list[SubmittedFile]:
    """Return the files of a student's own zip; raise Unreadable. The last zip stays in memory."""
    return [
        SubmittedFile(
            zipped.parts[:-1] + file.parts,
            lambda n=n: _inner_files(zipped)[n].read(),
            file.problem,
            file.is_folder,
            zipped.time,  # its own entries have the times of a student's machine
        )
        for n, file in enumerate(_inner_files(zipped))
    ]


@lru_cache(maxsize=1)
def _inner_files(zipped: SubmittedFile) -> list[SubmittedFile]:
    source = io.BytesIO(zipped.read())
    _demand_small(source, MOST_ENTRIES_OF_ONE, TO_STUDENTS)
    return list(_files(source, MOST_ENTRIES_OF_ONE, TO_STUDENTS, LARGEST_FILE))


def _files(
    source: Path | BinaryIO, max_entries: int, advice: str, max_bytes: float = math.inf
) -> Iterator[SubmittedFile]:
    try:
        archive = zipfile.ZipFile(source)
        entries = archive.infolist()
    except (*ZIP_ERRORS, ValueError, struct.error) as error:
        raise Unreadable(f"this is no zip, or a broken one ({_describe(error)}); {advice}") from None
    if len(entries) > max_entries:
        raise Unreadable(f"the zip has {len(entries)} entries, at most {max_entries} are read")
    size = sum(entry.file_size for entry in entries if entry.filename.lower().endswith(".ipynb"))
    if size > max_bytes:
        raise Unreadable(f"the zip's notebooks have {size >> 20} MB together; hand in those that are meant alone")
    for entry in entries:
        parts, problem = _parts(_name(entry))
        problem = problem or _problem(entry)
        read = partial(_read, archive, entry, advice)
        yield SubmittedFile(parts, read, problem, entry.is_dir(), _time(entry))


def _demand_small(source: BinaryIO, max_entries: int, advice: str) -> None:
    """Raise Unreadable for no zip, and for a table of contents that would fill the memory before a file is read."""
    end = source.seek(0, io.SEEK_END)
    source.seek(max(0, end - (1 << 16) - 22))
    tail = source.read()
    record = tail[tail.rfind(b"PK\x05\x06") :][:22] if b"PK\x05\x06" in tail else b""
    source.seek(0)
    if len(record) < 22:
        raise Unreadable(f"this is no zip, or a part of one; {advice}")
    size = struct.unpack("<L", record[12:16])[0]
    allowed = min(MOST_DIRECTORY, max_entries * 600)
    if size == 0xFFFFFFFF or size > allowed:
        raise Unreadable(f"the zip's table of contents has {size} bytes, at most {allowed} are read")


def _time(entry: zipfile.ZipInfo) -> datetime | None:
    """Return an entry's time, None where it has none: 1980 is the earliest year of a zip."""
    try:
        return datetime(*entry.date_time) if entry.date_time[0] > 1980 else None
    except ValueError:
        return None


def _name(entry: zipfile.ZipInfo) -> str:
    """Return an entry's name; many programs write UTF-8 without setting its flag."""
    name = entry.orig_filename
    if not entry.flag_bits & 0x800:
        try:
            return name.encode("cp437").decode("utf-8")
        except UnicodeError:
            return name
    return name


def _parts(name: str) -> tuple[tuple[str, ...], str]:
    """Return a path's parts, and the reason why it cannot be used, or ""; Windows programs write backslashes."""
    path = name.replace("\\", "/")
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if path.startswith("/") or ".." in parts or "\0" in path or (parts and parts[0][1:2] == ":"):
        return (repr(name)[1:-1].replace("/", "⁄"),), "its name leads out of the zip; nothing was read or written there"
    return parts or (repr(name)[1:-1],), "" if parts else "it has no name"


def _problem(entry: zipfile.ZipInfo) -> str:
    """Return the reason why an entry must not be read, "" where it may."""
    mode = entry.external_attr >> 16
    if stat.S_ISLNK(mode):
        return LINK
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return IRREGULAR
    if entry.flag_bits & 0x1:
        return "it is encrypted; hand it in without a password"
    if entry.compress_type not in METHODS:
        return f"it is packed with method {entry.compress_type}; expected deflate, which every zip program offers"
    if entry.file_size > LARGEST_FILE:
        size = f"{entry.file_size >> 20} MB, at most {LARGEST_FILE >> 20} MB are read"
        return f"the file has {size}; clear the outputs and hand it in again"
    return ""


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, advice: str) -> bytes:
    try:
        with archive.open(entry) as source:
            content = source.read(LARGEST_FILE + 1)
    except ZIP_ERRORS as error:
        kind = Damaged if advice == TO_TEACHERS else Unreadable
        raise kind(f"it cannot be unpacked, the zip is damaged ({_describe(error)}); {advice}") from None
    if len(content) != entry.file_size:
        raise Unreadable(f"expected {entry.file_size} bytes, as the zip says, got {len(content)}; {advice}")
    return content


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200]
