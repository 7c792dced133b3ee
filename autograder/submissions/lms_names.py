"""The owner of a file, by its path: names from Moodle and Canvas, and folders by student."""

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import quote, unquote

# Moodle: "Surname Firstname_123456_assignsubmission_file_" as a folder, or in front of the file's own name.
MOODLE = re.compile(r"(?P<name>.+?)_(?P<account>\d+)_assignsubmission_[a-z]+(?:_(?P<file>.*))?", re.DOTALL)
# Canvas (lib/content_zipper.rb): "surnamefirstname_12345_678910_file.ipynb", with "_LATE" before the number where it
# was late; of an anonymous assignment "anon_5h2kq_678910_file.ipynb", with "LATE_" in front.
CANVAS = re.compile(
    r"(?:(?P<late_first>late_)(?=anon_))?(?P<name>[^_]+)_(?P<late>late_)?(?P<account>(?<=anon_)[0-9a-z]+|\d+)_"
    r"(?P<attempt>\d+)_(?P<file>.+)",
    re.IGNORECASE | re.DOTALL,
)
ANONYMOUS = "anon"  # whose number is an id of letters and digits, which no table of Canvas's takes
# Names of a folder around an LMS's files, chosen by unpacking programs and teachers; no student has such a name.
_AROUND = (
    "all|class|course|downloads?|exercises|hand-?ins|homework|notebooks|students|submissions?|submitted|uploads?|week"
)
WRAPPER = re.compile(rf"(?:{_AROUND})(?:[ _-]?\(?\d+\)?)?", re.IGNORECASE)
RESUBMITTED = re.compile(r"-(\d{1,3})(?=\.\w+$)")  # Canvas's mark of a file that was handed in again

JUNK = {"__MACOSX", ".ipynb_checkpoints", ".DS_Store", "Thumbs.db", "desktop.ini", ".git", "__pycache__"}
# Below a student's folder, others' programs: some twenty thousand files each.
LIBRARIES = {".venv", "site-packages", "dist-packages", "node_modules", ".cache", ".conda", ".tox"}

# Letters that do not come apart into one of ours and a mark.
PLAIN = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
LONGEST_NAME = 128  # characters: nbgrader's gradebook has room for no more
LONGEST_FILE_NAME = 200  # bytes: file systems take 255, and our suffixes need some


@dataclass(frozen=True)
class Owner:
    """The owner in a file's path: the student, the parts below the student's folder, and the LMS's additions."""

    student: str
    parts: tuple[str, ...]
    account: str = ""  # the LMS's number, where it gives one
    late: bool = False
    attempt: tuple[int, int] | None = None  # the greater, the newer
    lms_name: str = ""  # the folder's or file's whole name from the LMS, which takes feedback under no other


NOBODY = Owner("", ())


def is_junk(parts: tuple[str, ...]) -> bool:
    """Return whether a path is a file left by programs beside people's own, or part of an installed library."""
    libraries = any(part in LIBRARIES for part in parts[1:])
    return libraries or any(part in JUNK for part in parts) or parts[-1].startswith("._")


def owner_of(parts: tuple[str, ...], is_folder: bool = False) -> Owner | None:
    """Return the owner of a path below the class; None for a path in no student's folder and without an LMS's name.

    Deeper parts are a student's own choice, and never name an owner.
    """
    owners = (read(parts[0], parts[1:], is_folder) for read in (_moodle, _canvas, _folder) if parts)
    return next(filter(None, owners), None)


def _moodle(top: str, below: tuple[str, ...], is_folder: bool) -> Owner | None:
    """Moodle gives a folder to each student, or writes its name in front of the file's own."""
    match = MOODLE.fullmatch(top)
    if not match:
        return None
    own_file = (match["file"],) if match["file"] and not below else ()
    return Owner(match["name"], own_file or below, match["account"], lms_name=top)


def _canvas(top: str, below: tuple[str, ...], is_folder: bool) -> Owner | None:
    """Canvas gives files alone, and counts the hand-ins in their names."""
    match = None if below or is_folder else CANVAS.fullmatch(top)
    if not match:
        return None
    resubmission = RESUBMITTED.search(match["file"])
    attempt = (int(match["attempt"]), int(resubmission[1]) if resubmission else 0)
    student = f"{match['name']}_{match['account']}" if match["name"].lower() == ANONYMOUS else match["name"]
    late = bool(match["late"] or match["late_first"])
    return Owner(student, (RESUBMITTED.sub("", match["file"]),), match["account"], late, attempt, top)


def _folder(top: str, below: tuple[str, ...], is_folder: bool) -> Owner | None:
    """A class in folders has one for each student; a file beside them has no owner."""
    return Owner(top, below) if below or is_folder else None


def has_class(below: list[tuple[str, ...]], assignments: list[str]) -> bool:
    """Return whether paths below one folder are an LMS's files, or folders by student.

    One name of Moodle's is enough. A student's own file may have a name like Canvas's: for Canvas, all must have one.
    """
    by_student = any(len(parts) > 2 and parts[1] in assignments for parts in below)
    canvas = all(len(parts) == 1 and CANVAS.fullmatch(parts[0]) for parts in below)
    return by_student or canvas or any(MOODLE.fullmatch(parts[0]) for parts in below)


def is_wrapper(name: str) -> bool:
    """Return whether a folder's name is one of a folder around a class (WRAPPER), not a student's."""
    return WRAPPER.fullmatch(name) is not None


def sort_key(name: str) -> tuple[str, str]:
    """Return a key that sorts names as people do: accents and capitals make no difference, É sorts beside E."""
    letters = unicodedata.normalize("NFKD", name).casefold().translate(PLAIN)
    return "".join(letter for letter in letters if not unicodedata.combining(letter)), name


def folder_name(student: str) -> str:
    """Return a student's name as a folder's, with %XX for what folders may not hold; inverse: `display_name`.

    Raise ValueError for an empty name, and one that is too long.
    """
    name = unicodedata.normalize("NFC", student)
    name = re.sub(r"%(?=[0-9A-Fa-f]{2})", "%25", name)
    name = re.sub(r"[/\\\x00-\x1f\x7f\ud800-\udfff]|^\.", _percent_encoded, name)
    if not name.strip():
        raise ValueError("the student's name is empty")
    if len(name) > LONGEST_NAME or len(name.encode()) > LONGEST_FILE_NAME:
        raise ValueError(f"the student's name has {len(name)} characters, at most {LONGEST_NAME} are taken")
    return name


def display_name(name: str) -> str:
    """Return the student's name of a folder's name."""
    return unquote(name, errors="surrogateescape")


def _percent_encoded(match: re.Match[str]) -> str:
    return "%2E" if match[0] == "." else quote(match[0], safe="", errors="surrogateescape")
