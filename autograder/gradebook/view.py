"""A graded class as its folder has it: records, people, gradebook and summary, each read once; nothing is written."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from autograder.gradebook.by_hand import regrade
from autograder.gradebook.config import NAME as SETTINGS
from autograder.gradebook.config import settings
from autograder.gradebook.people.lateness import zones
from autograder.gradebook.people.roster import Person, Roster, Submitted
from autograder.gradebook.store import query, spreadsheet
from autograder.gradebook.store.database import NoGradebook, engine, named, quiet
from autograder.submissions.lms_names import sort_key

MOST_BROKEN = 20  # broken records that are named one by one
Line = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """One submission: its record by `grade`, and its row in the gradebook, if there is one.

    `origin` has the student's "name" as it was handed in, and of an LMS the number, "account", and the name of folder
    or file, "lms_name". `key` is a digest of submission and grader, `first` of the student's first notebook.
    """

    student: str
    assignment: str
    line: Line
    origin: Mapping[str, str]
    key: str = ""
    first: str = ""
    graded: query.Submission | None = None


def is_empty(line: Line) -> bool:
    """Return whether a submission was read and has no answer."""
    checks = line["checks"]
    return bool(checks) and not line["error"] and all(check["failures"] == ["unwritten"] for check in checks)


class Class:
    """The records and the people of a class; `read` adds its gradebook and the rest of its summary.

    `shrink` returns what is kept of a record's line.
    """

    def __init__(self, out: Path, shrink: Callable[[Line], Line] = lambda line: line) -> None:
        self.out = out
        self.notes: list[str] = []  # on what is missing or cannot be read
        self.records: dict[str, dict[str, Entry]] = {}  # by student and assignment
        broken = []
        folder = out / "records"
        for path in sorted(folder.rglob("*.json")):
            try:
                record = json.loads(path.read_bytes())
                line, about = record["line"], (dict(record["from"]), record["key"], record.get("first", ""))
                self.add(Entry(line["student"], line["assignment"], shrink(line), *about))
            except (OSError, ValueError, KeyError, TypeError, RecursionError):
                broken.append(str(path.relative_to(folder)))
        if broken:
            more = f" and {len(broken) - MOST_BROKEN} more" if len(broken) > MOST_BROKEN else ""
            self.notes.append(
                f"Broken records: {', '.join(broken[:MOST_BROKEN])}{more} in {folder}. Their submissions are "
                "missing. Delete these files and run `grade` again."
            )
        self.graded: dict[tuple[str, str], query.Submission] = {}
        self.requests: list[regrade.RegradeRequest] = []
        self.has_gradebook = False
        self.strays: list[tuple[str, str]] = []  # work without a record: its owner or name, the reason

    def add(self, entry: Entry) -> None:
        self.records.setdefault(entry.student, {})[entry.assignment] = entry

    def _all(self) -> Iterator[Entry]:
        return (entry for by_assignment in self.records.values() for entry in by_assignment.values())

    @property
    def submitted(self) -> list[Submitted]:
        """Return student, assignment and the LMS's number, or "", of each graded submission, in order."""
        return sorted((each.student, each.assignment, each.origin.get("account", "")) for each in self._all())

    @property
    def entries(self) -> list[Entry]:
        """Return all submissions with their rows of the gradebook, sorted by student as people do."""
        entries = [replace(each, graded=self.graded.get((each.student, each.assignment))) for each in self._all()]
        return sorted(entries, key=lambda each: (sort_key(each.student), each.student, each.assignment))

    @cached_property
    def roster(self) -> Roster:
        return Roster.of(self.out)

    @cached_property  # as is `missing`: both are needed once all records are here
    def people(self) -> dict[tuple[str, str], Person]:
        """Return each submission's person on the roster, by student and assignment, where there is one."""
        return {(student, name): person for (student, name, _), person in self.roster.match(self.submitted).items()}

    @cached_property
    def missing(self) -> dict[str, list[Person]]:
        """Return, for each assignment with a submission, the people on the roster without one."""
        return self.roster.missing(self.submitted)

    def read_gradebook(self) -> None:
        """Read the gradebook, or read it again after a change; raise NoGradebook or ValueError where that fails."""
        url = _database(self.out)
        try:
            with quiet(), Session(engine(url)) as session:
                rows, self.requests = query.submissions(session, zones(self.out)), regrade.requests(session)
                session.expunge_all()
        except SQLAlchemyError as error:
            raise NoGradebook(f"The gradebook {named(url)} does not answer") from error
        self.graded, self.has_gradebook = {(each.student, each.assignment): each for each in rows}, True

    def read_strays(self) -> None:
        """Enter the rows of summary.csv without a record."""
        recorded = {(spreadsheet.text(each.student), each.assignment) for each in self._all()}
        path = self.out / "summary.csv"
        try:
            with path.open(newline="", encoding="utf-8") as file:
                self.strays += [
                    (row["student"] or row["file"] or "?", row["error"])
                    for row in csv.DictReader(file)
                    if row["error"] and (row["student"], row["assignment"]) not in recorded
                ]
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, csv.Error) as error:
            self.notes.append(f"{path} cannot be read ({type(error).__name__}). Run `grade` again.")


def read(out: Path) -> Class:
    """Return the class in DIR, with its gradebook and summary. Raise NotADirectoryError without a DIR."""
    if not out.is_dir():
        raise NotADirectoryError(f"No folder {out}: grade a class first, `python -m autograder grade FOLDER`.")
    known = Class(out)
    try:
        known.read_gradebook()
    except (NoGradebook, ValueError) as error:
        missing = "Manual grades, late hand-ins and links to formgrader are missing."
        known.notes.insert(0, f"{error}. {missing}")
    known.read_strays()
    if not known.records:
        known.notes.append(f"No submission of this class is graded yet: {out / 'records'} holds no record.")
    return known


def _database(out: Path) -> str:
    """Return the URL of the gradebook: the one in the class's settings, else the file in its folder."""
    url = f"sqlite:///{out.resolve() / 'gradebook.db'}"
    if (out / SETTINGS).exists():
        with quiet():
            url = CourseDirectory(config=settings(out.resolve())).db_url
    file = url.removeprefix("sqlite:///")
    if file != url and not Path(file).exists():
        raise NoGradebook(f"{out} has no gradebook")
    return url
