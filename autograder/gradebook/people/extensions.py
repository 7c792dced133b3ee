"""Extensions: single students' own deadlines, typed by a teacher or read from Moodle's grading worksheet."""

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook

from autograder.files import atomic_write
from autograder.gradebook.people.roster import Person, Roster, kept
from autograder.submissions.lms_names import display_name

FILE = "extensions.json"
Until = dict[tuple[str, str], datetime | None]  # by assignment and student, in UTC; None: no extension


class Extensions:
    """The extensions of a class; those typed by a teacher count before a worksheet's."""

    def __init__(self, out: Path) -> None:
        self.path = out / FILE
        nothing: dict[str, dict[str, dict[str, str | None]]] = {"typed": {}, "worksheet": {}}
        self._kept = kept(self.path, nothing, lambda read: nothing | read, "delete it and give the extensions again")

    def add(self, until: Until) -> None:
        """Enter extensions typed by a teacher."""
        for (assignment, student), date in until.items():
            self._kept["typed"].setdefault(assignment, {})[student] = date.isoformat() if date else None

    def replace(self, assignment: str, until: dict[str, datetime]) -> None:
        """Enter all extensions that a worksheet gives for an assignment; those of an earlier worksheet are dropped."""
        gone = dict.fromkeys(self._kept["worksheet"].get(assignment, {}))
        self._kept["worksheet"][assignment] = gone | {who: date.isoformat() for who, date in until.items()}

    def keep(self, mode: int) -> None:
        atomic_write(self.path, json.dumps(self._kept, indent=1).encode(), mode)

    def of(self, assignment: str) -> dict[str, datetime | None]:
        """Return the extensions of an assignment by name."""
        by_name = self._kept["worksheet"].get(assignment, {}) | self._kept["typed"].get(assignment, {})
        return {who: datetime.fromisoformat(date) if date else None for who, date in by_name.items()}


def enter_extensions(gradebook: Gradebook, out: Path, names: list[str]) -> None:
    """Enter the extensions of these assignments into the gradebook, where nbgrader counts them from the due date."""
    extensions, roster = Extensions(out), Roster.of(out)
    for name in names:
        until = extensions.of(name)
        submissions: list[Any] = gradebook.assignment_submissions(name) if until else []
        label = whose(until, [each.student_id for each in submissions], roster)
        for each in submissions:
            due = each.assignment.duedate
            if each.student_id in label:
                date = until[label[each.student_id]]
                each.extension = max(timedelta(), date - due) if date and due else None
    gradebook.db.commit()


def whose(until: Iterable[str], students: Iterable[str], roster: Roster) -> dict[str, str]:
    """Return the name of an extension for each student: one of exactly this name, else of the same person.

    A person on the roster without a submission is not taken for a student of nearly the same name.
    """
    labels = list(until)
    known = roster.match([(label, "", "") for label in labels])
    people = [*roster.people, *(Person(display_name(label)) for label in labels if (label, "", "") not in known)]
    every = Roster(people)
    label_of = {id(person): label for (label, *_), person in every.match([(label, "", "") for label in labels]).items()}
    match = every.match([(student, "", "") for student in students])
    of_roster = {student: label_of[id(person)] for (student, *_), person in match.items() if id(person) in label_of}
    return of_roster | {student: student for student in students if student in set(labels)}
