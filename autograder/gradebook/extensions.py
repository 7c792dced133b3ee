"""Extensions of single students: until when, kept in the class's folder for those too who have not handed in yet."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook

from autograder.files import atomic_write
from autograder.gradebook.roster import name_key
from autograder.submissions.lms_names import display_name

FILE = "extensions.json"
Until = dict[tuple[str, str], datetime | None]  # by assignment and student, in UTC; None: no extension


class Extensions:
    """The extensions of a class; what a teacher typed counts before what a worksheet says."""

    def __init__(self, out: Path) -> None:
        self.path = out / FILE
        self._kept: dict[str, dict[str, dict[str, str | None]]] = {"typed": {}, "worksheet": {}}
        if self.path.exists():
            try:
                self._kept |= json.loads(self.path.read_text("utf-8"))
            except ValueError as error:
                raise ValueError(
                    f"{self.path} cannot be read ({error}): delete it and give the extensions again."
                ) from None

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
        return {_key(who): datetime.fromisoformat(date) if date else None for who, date in by_name.items()}


def enter(gradebook: Gradebook, out: Path, names: list[str]) -> None:
    """Enter the extensions of these assignments into the gradebook, where nbgrader counts them from the due date."""
    extensions = Extensions(out)
    for name in names:
        until = extensions.of(name)
        submissions: list[Any] = gradebook.assignment_submissions(name) if until else []
        for each in submissions:
            key, due = _key(each.student_id), each.assignment.duedate
            if key in until:
                date = until[key]
                each.extension = max(timedelta(), date - due) if date and due else None
    gradebook.db.commit()


def _key(student: str) -> str:
    return name_key(display_name(student))
