"""The roster of a class, from a table of the LMS's: its people, and those who have not handed in."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import Any

from autograder.files import atomic_write
from autograder.gradebook.people.lateness import moodle_time
from autograder.gradebook.people.names import Keys, keys_of, paired
from autograder.submissions.lms_names import display_name

FILE = "roster.json"
# Headings as Moodle (worksheet, participants, gradebook), Canvas (gradebook) and nbgrader write them, in small letters.
NAME = ("full name", "student", "name", "student name")
FIRST = ("first name", "first_name", "given name")
LAST = ("last name", "surname", "last_name")
EMAIL = ("email address", "email")
LOGINS = ("id number", "username", "sis login id", "sis user id", "login", "id", "student_id")
PARTICIPANT = re.compile(r"Participant (\d+)")  # Moodle's number in one assignment, in the column "Identifier"
EXTENSION = re.compile(r"Extension granted until:\s*(.+?)\s*(?: - .*)?$", re.DOTALL)
SUBMITTED, STATUS, MOST = "last modified (submission)", "status", "maximum grade"
CANVAS_COLUMN = re.compile(r"(.+) \(\d+\)")  # an assignment and Canvas's number of it
POSSIBLE = "points possible"
NOT_PEOPLE = (POSSIBLE, "student, test")  # of Canvas's table
Submitted = tuple[str, str, str]  # a student, an assignment, the LMS's number or ""


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
    def keys(self) -> Keys:
        """Return the keys of all the person's names."""
        first_last, last_first = f"{self.first} {self.last}", f"{self.last} {self.first}"
        return keys_of(self.name, first_last, last_first, self.email, self.email.partition("@")[0], *self.logins)


@dataclass
class Table:
    """The content of one table of the LMS's: people, and from a grading worksheet hand-in times and extensions."""

    people: list[Person]
    submitted: list[tuple[Person, datetime]] = field(default_factory=list)  # in UTC
    extended: list[tuple[Person, datetime]] = field(default_factory=list)
    is_worksheet: bool = False
    most: dict[str, float] = field(default_factory=dict)  # the LMS's maximum grade, by assignment, where it says one


def kept(path: Path, nothing: Any, made: Callable[[Any], Any], advice: str) -> Any:
    """Return `made` of the content of a JSON file in DIR, `nothing` without the file."""
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
        """Return the roster kept in DIR, an empty one if there is none."""
        advice = "give the roster again, `grade --roster FILE`"
        return cls(kept(out / FILE, [], lambda people: [Person(**person) for person in people], advice))

    def keep(self, out: Path, mode: int) -> None:
        atomic_write(out / FILE, json.dumps([asdict(person) for person in self.people], indent=1).encode(), mode)

    def replaced_by(self, tables: Iterable[list[Person]]) -> "Roster":
        """Return the roster of the people in these tables, with their numbers from the old one."""
        merged: list[Person] = []
        for people in tables:
            before, known = _same(people, self.people), _same(people, merged)
            for n, person in known.items():
                person.numbers |= people[n].numbers
            # Numbers of several people of one name cannot be told apart: this table's replace them.
            names = {person.name for n, person in enumerate(people) if n not in known}
            merged = [person for person in merged if person.name not in names]
            merged += [
                replace(person, numbers=(before[n].numbers if n in before else {}) | person.numbers)
                for n, person in enumerate(people)
                if n not in known
            ]
        return Roster(merged)

    def match(self, submitted: Iterable[Submitted]) -> dict[Submitted, Person]:
        """Return each student's person: by the LMS's number, else by the name as it is written, else without its marks.

        A name without its marks counts only if it is one person's alone.
        """
        all_submitted = list(dict.fromkeys(submitted))
        place = {each: at for each in all_submitted if (at := self._by_number(*each[1:])) is not None}
        seekers = {
            each: (each[0], keys_of(display_name(each[0]).removesuffix(f"_{each[2]}")))
            for each in all_submitted
            if each not in place
        }
        taken = {at: student for (student, *_), at in place.items()}
        place |= paired(seekers, [person.keys for person in self.people], taken)
        return {each: self.people[at] for each, at in place.items()}

    def _by_number(self, assignment: str, account: str) -> int | None:
        """Return the place of the one person who has the LMS's number."""
        places = self._numbers.get((assignment, account)) or self._numbers.get(("", account)) or [] if account else []
        return places[0] if len(places) == 1 else None

    @cached_property
    def _numbers(self) -> dict[tuple[str, str], list[int]]:
        places: dict[tuple[str, str], list[int]] = {}
        for place, person in enumerate(self.people):
            for about in person.numbers.items():
                places.setdefault(about, []).append(place)
        return places

    def find(self, student: str, assignment: str = "", account: str = "") -> Person | None:
        """Return one student's person, None if there is none."""
        return self.match([(student, assignment, account)]).get((student, assignment, account))

    def missing(self, submitted: Iterable[Submitted]) -> dict[str, list[Person]]:
        """Return, for each assignment with a submission, the people without one."""
        all_submitted = list(submitted)
        people = self.match(all_submitted)
        here: dict[str, set[int]] = {name: set() for _, name, _ in all_submitted}
        for (_, name, _), person in people.items():
            here[name].add(id(person))
        return {name: [person for person in self.people if id(person) not in ids] for name, ids in here.items()}

    def strangers(self, submitted: Iterable[Submitted]) -> list[str]:
        """Return the students who are not on the roster; none where there is no roster."""
        all_submitted = list(submitted) if self.people else []
        people = self.match(all_submitted)
        return list(dict.fromkeys(each[0] for each in all_submitted if each not in people))


def _same(people: Sequence[Person], known: Sequence[Person]) -> dict[int, Person]:
    """Return the known person for each place in a table, where there is one."""
    seekers = {place: (place, person.keys) for place, person in enumerate(people)}
    return {n: known[at] for n, at in paired(seekers, [person.keys for person in known], {}, alone_from=0).items()}


def read_table(path: Path, assignment: str, zone: tzinfo) -> Table:
    """Return the content of an LMS's CSV; numbers and times in a worksheet of Moodle's are of this assignment.

    Raise ValueError for a table without a column of names, or with a date that cannot be read.
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
        if person.name.strip().lower() == POSSIBLE:
            table.most |= _numbers({match[1]: row[match[0]] for match in map(CANVAS_COLUMN.fullmatch, row) if match})
        if not person.name or person.name.strip().lower().startswith(NOT_PEOPLE):
            continue
        table.people.append(person)
        if table.is_worksheet:
            table.most |= _numbers({assignment: row.get(MOST, "")})
            whose, extension = f"--roster: {path}, {person.name}", EXTENSION.search(row.get(STATUS, ""))
            if row[SUBMITTED].strip() not in ("", "-"):
                table.submitted.append((person, moodle_time(row[SUBMITTED], zone, whose)))
            if extension:
                table.extended.append((person, moodle_time(extension[1], zone, whose)))
    return table


def _numbers(texts: dict[str, str]) -> dict[str, float]:
    """Return the numbers among texts, which an LMS writes with a point or a comma: a scale's name is none."""
    numbers = {}
    for name, text in texts.items():
        with suppress(ValueError):
            numbers[name] = float(text.strip().replace(",", "."))
    return numbers


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"--roster: {path} cannot be read ({error.strerror}).") from None
    if content.startswith(b"PK"):
        raise ValueError(f"--roster: {path} is a zip or a spreadsheet: expected a CSV.")
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    if re.match(r"sep=.\r?\n", text):  # for spreadsheets: how the cells are separated
        text = text.partition("\n")[2]
    head = text.partition("\n")[0]
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), restval=""))
    except csv.Error as error:
        raise ValueError(f"--roster: {path} is not a CSV file ({error}).") from None
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
