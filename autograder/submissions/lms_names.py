"""Whose file it is: the names that Moodle and Canvas give to what they hand over, and folders by student."""

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import quote, unquote

# Moodle: "Surname Firstname_123456_assignsubmission_file_" as a folder, or in front of the file's own name.
MOODLE = re.compile(r"(?P<name>.+?)_(?P<account>\d+)_assignsubmission_[a-z]+(?:_(?P<file>.*))?", re.DOTALL)
# Canvas: "surnamefirstname_12345_678910_file.ipynb", with "_late_" where it was late.
CANVAS = re.compile(r"(?P<name>[^_]+)_(?P<late>late_)?(?P<account>\d+)_(?P<attempt>\d+)_(?P<file>.+)", re.I | re.DOTALL)
# What unpacking programs and teachers call a folder around all that an LMS gave; no student is called so.
_AROUND = (
    "all|class|course|downloads?|exercises|hand-?ins|homework|notebooks|students|submissions?|submitted|uploads?|week"
)
WRAPPER = re.compile(rf"(?:{_AROUND})(?:[ _-]?\(?\d+\)?)?", re.IGNORECASE)
AGAIN = re.compile(r"-(\d{1,3})(?=\.\w+$)")  # Canvas's mark of a file that was handed in again

JUNK = {"__MACOSX", ".ipynb_checkpoints", ".DS_Store", "Thumbs.db", "desktop.ini", ".git", "__pycache__"}
# Below a student's folder, others' programs: some twenty thousand files each.
LIBRARIES = {".venv", "site-packages", "dist-packages", "node_modules", ".cache", ".conda", ".tox"}

LONGEST_NAME = 128  # characters: nbgrader's gradebook has room for no more
LONGEST_FILE_NAME = 200  # bytes: file systems take 255, and our own endings need some


@dataclass(frozen=True)
class Owner:
    """What a path says: whose it is, the path below the student, when it was handed in among others of theirs."""

    student: str
    inside: tuple[str, ...]
    account: str = ""  # the LMS's number, where it gives one
    late: bool = False
    attempt: tuple[int, int] | None = None  # the greater, the newer


def is_junk(parts: tuple[str, ...]) -> bool:
    """Return whether a path is something that programs leave beside people's files."""
    libraries = any(part in LIBRARIES for part in parts[1:])
    return libraries or any(part in JUNK for part in parts) or parts[-1].startswith("._")


def claimed(parts: tuple[str, ...], depth: int, lone: bool) -> Owner | None:
    """Return what a path says; None where it lies in no student's folder and has no LMS's name.

    With `lone`, one folder that is no student's lies around all that an LMS gave. Any other is a student's: what they
    call their files says nothing about whose they are.
    """
    for place, part in enumerate(parts[: 1 + lone]):
        last = place == len(parts) - 1
        if found := MOODLE.fullmatch(part):
            own = (found["file"],) if last and found["file"] else ()
            return Owner(found["name"], own or parts[place + 1 :], found["account"])
        if last and (found := CANVAS.fullmatch(part)):
            again = AGAIN.search(found["file"])
            attempt = (int(found["attempt"]), int(again[1]) if again else 0)
            return Owner(found["name"], (AGAIN.sub("", found["file"]),), found["account"], bool(found["late"]), attempt)
    return Owner(parts[depth], parts[depth + 1 :]) if len(parts) > depth + 1 else None


def has_lms_name(part: str) -> bool:
    """Return whether an LMS could have called a folder or file so."""
    return bool(MOODLE.fullmatch(part) or CANVAS.fullmatch(part))


def wraps_lms(paths: list[tuple[str, ...]]) -> bool:
    """Return whether all paths lie in one folder around what an LMS may have given.

    Nobody calls a file as Moodle does. Canvas's names are less odd, and a student's own folder may hold one such file:
    there, each thing in it must have such a name.
    """
    below = [parts for parts in paths if len(parts) > 1]
    if len({parts[0] for parts in below}) != 1:
        return False
    moodle = any(MOODLE.fullmatch(parts[1]) for parts in below)
    return moodle or all(len(parts) == 2 and CANVAS.fullmatch(parts[1]) for parts in below)


def wraps_folders(paths: list[tuple[str, ...]], known: list[str]) -> bool:
    """Return whether all paths lie in one folder around what may be folders by student."""
    if len({parts[0] for parts in paths}) != 1:
        return False
    filed = [next((place for place, part in enumerate(parts[:-1]) if place and part in known), None) for parts in paths]
    places = {place for place in filed if place is not None}
    return min(places) >= 2 if places else all(len(parts) >= 3 for parts in paths)


def is_wrapper(name: str) -> bool:
    """Return whether a folder's name is no student's, so that what it holds has names of the teacher's or the LMS's."""
    return WRAPPER.fullmatch(name) is not None


def likeness(name: str) -> str:
    """Return what people and some file systems see of a name: two that share it are easily taken for one another."""
    letters = unicodedata.normalize("NFKC", name).casefold()
    return "".join(sign for sign in letters if unicodedata.category(sign)[0] not in "CZ").strip(".")


def folder_name(student: str) -> str:
    """Return a student's name as a folder's: what no folder may be called becomes %XX, and `spoken` brings it back."""
    name = unicodedata.normalize("NFC", student)
    name = re.sub(r"%(?=[0-9A-Fa-f]{2})", "%25", name)
    name = re.sub(r"[/\\\x00-\x1f\x7f\ud800-\udfff]|^\.", _percent, name)
    if not name.strip():
        raise ValueError("the student's name is empty")
    if len(name) > LONGEST_NAME or len(name.encode()) > LONGEST_FILE_NAME:
        raise ValueError(f"the student's name has {len(name)} characters, at most {LONGEST_NAME} are taken")
    return name


def spoken(name: str) -> str:
    """Return the student's name that a folder's name stands for."""
    return unquote(name, errors="surrogateescape")


def _percent(found: re.Match[str]) -> str:
    return "%2E" if found[0] == "." else quote(found[0], safe="", errors="surrogateescape")
