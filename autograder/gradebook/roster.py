"""The roster of a class, from a table of the LMS's: who belongs to it, has not handed in, or has an extension."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from functools import cached_property
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook

from autograder.files import atomic_write
from autograder.gradebook.lateness import moodle_time
from autograder.submissions.lms_names import display_name

FILE, EXTENSIONS = "roster.json", "extensions.json"
# Headings as Moodle (worksheet, participants, gradebook), Canvas (gradebook) and nbgrader write them, in small letters.
NAME = ("full name", "student", "name", "student name")
FIRST = ("first name", "first_name", "given name")
LAST = ("last name", "surname", "last_name")
EMAIL = ("email address", "email")
LOGINS = ("id number", "username", "sis login id", "sis user id", "login", "id", "student_id")
PARTICIPANT = re.compile(r"Participant (\d+)")  # Moodle's number in one assignment, in the column "Identifier"
EXTENSION = re.compile(r"Extension granted until:\s*(.+?)\s*(?: - .*)?$", re.DOTALL)
SUBMITTED, STATUS = "last modified (submission)", "status"
NOT_PEOPLE = ("points possible", "student, test")  # of Canvas's table
Until = dict[tuple[str, str], datetime | None]  # by assignment and student, in UTC; None: no extension
Submitted = tuple[str, str, str]  # a student, an assignment, the LMS's number or ""


def name_key(name: str) -> str:
    """Return a key that is equal for two ways of writing a name: letters and digits alone, without accents."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return "".join(letter for letter in letters if letter.isalnum())


def student_key(student: str) -> str:
    """Return the `name_key` of the student of a folder."""
    return name_key(display_name(student))


@dataclass
class Person:
    """One person of the roster; `numbers` are the LMS's, by assignment, or under "" where it has one for all."""

    name: str
    first: str = ""
    last: str = ""
    email: str = ""
    logins: list[str] = field(default_factory=list)
    numbers: dict[str, str] = field(default_factory=dict)

    def number(self, assignment: str) -> str:
        return self.numbers.get(assignment) or self.numbers.get("", "")

    @cached_property
    def keys(self) -> set[str]:
        names = [self.name, self.first + self.last, self.last + self.first, self.email, self.email.partition("@")[0]]
        return {name_key(name) for name in [*names, *self.logins]} - {""}


@dataclass
class Table:
    """What one table of the LMS's says: people, and of a grading worksheet when each handed in, and extensions."""

    people: list[Person]
    submitted: list[tuple[Person, datetime]] = field(default_factory=list)  # in UTC
    extended: list[tuple[Person, datetime]] = field(default_factory=list)
    is_worksheet: bool = False


def _kept(path: Path, nothing: Any, made: Callable[[Any], Any], advice: str) -> Any:
    """Return what is made of a file that is kept in DIR, `nothing` where there is none."""
    try:
        return made(json.loads(path.read_text("utf-8"))) if path.exists() else nothing
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} cannot be read ({error}): {advice}.") from None


@dataclass
class Roster:
    """The people of a class; empty where no roster was given."""

    people: list[Person] = field(default_factory=list)

    @classmethod
    def of(cls, out: Path) -> "Roster":
        """Return the roster that is kept in DIR, an empty one where there is none."""
        advice = "give the roster again, `grade --roster FILE`"
        return cls(_kept(out / FILE, [], lambda people: [Person(**person) for person in people], advice))

    def keep(self, out: Path, mode: int) -> None:
        atomic_write(out / FILE, json.dumps([asdict(person) for person in self.people], indent=1).encode(), mode)

    def replaced_by(self, tables: Iterable[list[Person]]) -> "Roster":
        """Return the roster of the people in these tables, with the numbers that were known of them before."""
        numbers = {name_key(person.name): person.numbers for person in self.people}
        merged: dict[str, list[Person]] = {}
        for people in tables:
            added: dict[str, list[Person]] = {}
            for person in people:
                key = name_key(person.name)
                if len(known := merged.get(key, [])) == 1:
                    known[0].numbers |= person.numbers
                else:
                    added.setdefault(key, []).append(replace(person, numbers=numbers.get(key, {}) | person.numbers))
            merged |= added
        return Roster([person for people in merged.values() for person in people])

    def find(self, student: str, assignment: str = "", account: str = "") -> Person | None:
        """Return who a student is, by the LMS's number, else by a name that only one person has."""
        by_number = [person for person in self.people if account and person.number(assignment) == account]
        if len(by_number) == 1:
            return by_number[0]
        key = name_key(display_name(student).removesuffix(f"_{account}"))
        by_name = [person for person in self.people if key in person.keys]
        return by_name[0] if len(by_name) == 1 else None

    def missing(self, submitted: Iterable[Submitted]) -> dict[str, list[Person]]:
        """Return by assignment, of those of which anything was handed in, who has not handed in."""
        there: dict[str, list[Person | None]] = {}
        for student, assignment, account in submitted:
            there.setdefault(assignment, []).append(self.find(student, assignment, account))
        return {name: [person for person in self.people if person not in people] for name, people in there.items()}

    def strangers(self, submitted: Iterable[Submitted]) -> list[str]:
        """Return the students who are not on the roster; none where there is no roster."""
        each = submitted if self.people else ()
        return list(dict.fromkeys(student for student, *where in each if self.find(student, *where) is None))


class Extensions:
    """The extensions of a class; what a teacher typed counts before what a worksheet says."""

    def __init__(self, out: Path) -> None:
        self.path = out / EXTENSIONS
        kept: dict[str, dict[str, dict[str, str | None]]] = {"typed": {}, "worksheet": {}}
        self._kept = _kept(self.path, kept, lambda read: kept | read, "delete it and give the extensions again")

    def add(self, until: Until) -> None:
        """Enter what a teacher typed."""
        for (assignment, student), date in until.items():
            self._kept["typed"].setdefault(assignment, {})[student] = date.isoformat() if date else None

    def replace(self, assignment: str, until: dict[str, datetime]) -> None:
        """Enter all that a worksheet says of an assignment; who had an extension by an earlier one has none now."""
        gone = dict.fromkeys(self._kept["worksheet"].get(assignment, {}))
        self._kept["worksheet"][assignment] = gone | {who: date.isoformat() for who, date in until.items()}

    def keep(self, mode: int) -> None:
        atomic_write(self.path, json.dumps(self._kept, indent=1).encode(), mode)

    def of(self, assignment: str) -> dict[str, datetime | None]:
        """Return the extensions of an assignment by `name_key` of whose they are."""
        by_name = self._kept["worksheet"].get(assignment, {}) | self._kept["typed"].get(assignment, {})
        return {student_key(who): datetime.fromisoformat(date) if date else None for who, date in by_name.items()}


def enter_extensions(gradebook: Gradebook, out: Path, names: list[str]) -> None:
    """Enter the extensions of these assignments into the gradebook, where nbgrader counts them from the due date."""
    extensions = Extensions(out)
    for name in names:
        until = extensions.of(name)
        submissions: list[Any] = gradebook.assignment_submissions(name) if until else []
        for each in submissions:
            key, due = student_key(each.student_id), each.assignment.duedate
            if key in until:
                date = until[key]
                each.extension = max(timedelta(), date - due) if date and due else None
    gradebook.db.commit()


def read_table(path: Path, assignment: str, zone: tzinfo) -> Table:
    """Return what an LMS's CSV says; its numbers and times, of a worksheet of Moodle's, are of this assignment.

    Raise ValueError where it has no column of names or a date that cannot be read.
    """
    rows = _rows(path)
    headings = set(rows[0]) if rows else set()
    has_names = headings & {*NAME, *LAST} or "identifier" in headings
    if not has_names:
        raise ValueError(
            f"--roster: {path} has no column of names: expected Moodle's grading worksheet or participants, Canvas's "
            f"gradebook, or columns such as 'Name' and 'Email', in English, got {', '.join(sorted(headings))!r}."
        )
    table = Table([], is_worksheet="identifier" in headings and SUBMITTED in headings)
    for row in rows:
        person = _person(row, assignment)
        if not person.name or person.name.strip().lower().startswith(NOT_PEOPLE):
            continue
        table.people.append(person)
        if table.is_worksheet:
            whose, extension = f"--roster: {path}, {person.name}", EXTENSION.search(row.get(STATUS, ""))
            if row[SUBMITTED].strip() not in ("", "-"):
                table.submitted.append((person, moodle_time(row[SUBMITTED], zone, whose)))
            if extension:
                table.extended.append((person, moodle_time(extension[1], zone, whose)))
    return table


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"--roster: {path} cannot be read ({error.strerror}).") from None
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    head = text.partition("\n")[0]
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), restval=""))
    except csv.Error as error:
        raise ValueError(f"--roster: {path} is no CSV ({error}).") from None
    return [{name.strip().lower(): value for name, value in row.items() if name} for row in rows]


def _person(row: dict[str, str], assignment: str) -> Person:
    def first_of(headings: Iterable[str]) -> str:
        return next((row[heading].strip() for heading in headings if row.get(heading, "").strip()), "")

    name, first, last = first_of(NAME), first_of(FIRST), first_of(LAST)
    participant = PARTICIPANT.fullmatch(row.get("identifier", "").strip())
    if not name:
        name = f"{first} {last}".strip() or row.get("identifier", "").strip()
    elif not last:  # "Lovelace, Ada" of Canvas, "Ada Lovelace" of Moodle
        last, comma, first = (part.strip() for part in name.partition(","))
        if not comma:
            first, _, last = name.rpartition(" ")
    numbers = {assignment: participant[1]} if participant else {}
    if "section" in row and row.get("id", "").isdigit():  # Canvas's
        numbers = {"": row["id"]}
    logins = [row[heading].strip() for heading in LOGINS if row.get(heading, "").strip()]
    return Person(name, first, last, first_of(EMAIL), logins, numbers)
