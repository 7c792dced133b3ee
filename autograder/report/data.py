"""Reads a graded class: its records, its summary and nbgrader's gradebook; nothing is written."""

import csv
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from autograder.gradebook.by_hand import regrade
from autograder.gradebook.by_hand.regrade import RegradeRequest
from autograder.gradebook.config import NAME as SETTINGS
from autograder.gradebook.config import settings
from autograder.gradebook.people.lateness import zones
from autograder.gradebook.people.roster import Person, Roster
from autograder.gradebook.store import query, spreadsheet
from autograder.gradebook.store.database import NoGradebook, engine, named, quiet
from autograder.submissions.lms_names import sort_key

MOST_BROKEN = 20  # broken records that are named one by one


@dataclass(frozen=True)
class Entry:
    """One submission: its line in `grade`'s records, and its row in the gradebook, if there is one."""

    student: str
    assignment: str
    line: dict[str, Any]
    lms_name: str  # the LMS's name of the folder or file, else ""
    graded: query.Submission | None = None

    @property
    def bonus(self) -> float:
        """Return the points of starred tasks in the checks' score."""
        return self.line.get("bonus", 0.0)


@dataclass
class ClassData:
    """All submissions of a class, and notes on unreadable files."""

    entries: list[Entry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    strays: list[tuple[str, str]] = field(default_factory=list)  # work without a record: its owner or name, the reason
    submitted: list[tuple[str, str, str]] = field(default_factory=list)  # student, assignment, the LMS's number or ""
    has_gradebook: bool = False
    missing: dict[str, list[Person]] = field(default_factory=dict)  # of the roster, by assignment
    requests: list[RegradeRequest] = field(default_factory=list)


def read(out: Path) -> ClassData:
    """Return the class in DIR, with a note on each broken file. Raise NotADirectoryError without a DIR."""
    if not out.is_dir():
        raise NotADirectoryError(f"No folder {out}: grade a class first, `python -m autograder grade FOLDER`.")
    class_data = ClassData()
    graded = _gradebook(out, class_data)
    records = _records(out / "records", class_data)
    recorded = {(spreadsheet.text(student), name) for student, name in records}
    _read_strays(out / "summary.csv", class_data, recorded)
    class_data.entries = [
        Entry(*who, record["line"], record["from"].get("lms_name", ""), graded.get(who))
        for who, record in sorted(records.items(), key=lambda each: (sort_key(each[0][0]), each[0]))
    ]
    class_data.missing = Roster.of(out).missing(class_data.submitted)
    if not records:
        class_data.notes.append(f"No submission of this class is graded yet: {out / 'records'} holds no record.")
    return class_data


def _records(folder: Path, class_data: ClassData) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the records by student and assignment."""
    records, broken = {}, []
    for path in sorted(folder.rglob("*.json")):
        try:
            record = json.loads(path.read_bytes())
            line = record["line"]
            who, account = (line["student"], line["assignment"]), record["from"]["account"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            broken.append(str(path.relative_to(folder)))
        else:
            records[who] = record
            class_data.submitted.append((*who, account))
    if broken:
        more = f" and {len(broken) - MOST_BROKEN} more" if len(broken) > MOST_BROKEN else ""
        class_data.notes.append(
            f"Broken records: {', '.join(broken[:MOST_BROKEN])}{more} in {folder}. What they held is missing on this "
            "page. Delete them and run `grade` again."
        )
    return records


def written(student: str) -> str:
    """Return a name with bytes that are no UTF-8 escaped: a folder's name may hold some."""
    return student.encode("utf-8", "backslashreplace").decode("utf-8")


def _read_strays(path: Path, class_data: ClassData, recorded: set[tuple[str, str]]) -> None:
    """Enter the rows of summary.csv without a record: owner or name, and the reason why there is no grade."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            class_data.strays += [
                (row["student"] or row["file"] or "?", row["error"])
                for row in csv.DictReader(file)
                if row["error"] and (row["student"], row["assignment"]) not in recorded
            ]
    except FileNotFoundError:
        pass
    except (OSError, ValueError, KeyError, csv.Error) as error:
        class_data.notes.append(f"{path} cannot be read ({type(error).__name__}). Run `grade` again.")


def _gradebook(out: Path, class_data: ClassData) -> dict[tuple[str, str], query.Submission]:
    """Return the gradebook's submissions by student and assignment; {} and a note where it cannot be read."""
    url = None
    try:
        url = _database(out)
        if url is None:
            raise NoGradebook(f"{out} has no gradebook")
        with quiet(), Session(engine(url)) as session:
            submissions = {(each.student, each.assignment): each for each in query.submissions(session, zones(out))}
            class_data.requests = regrade.requests(session)
            session.expunge_all()
    except (NoGradebook, SQLAlchemyError, ValueError) as error:
        message = f"The gradebook {named(url)} does not answer" if isinstance(error, SQLAlchemyError) and url else error
        class_data.notes.append(
            f"{message}. Manual grades, late hand-ins and links to formgrader are missing on this page."
        )
        return {}
    class_data.has_gradebook = True
    return submissions


def _database(out: Path) -> str | None:
    """Return the URL of the gradebook: the one in the class's settings, else the file in its folder, if it exists."""
    if (out / SETTINGS).exists():
        with quiet():
            url = CourseDirectory(config=settings(out.resolve())).db_url
    else:
        url = f"sqlite:///{out.resolve() / 'gradebook.db'}"
    file = url.removeprefix("sqlite:///")
    return None if file != url and not Path(file).exists() else url
