"""`nbgrader export`: its own table, as CSV that can be read again and for its owner's eyes only."""

from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import CsvExportPlugin

from autograder.files import atomic_write
from autograder.gradebook.spreadsheet import table

ABOUT_STUDENT = ("last_name", "first_name", "email")
COLUMNS = ["assignment", "duedate", "timestamp", "student_id", *ABOUT_STUDENT]
COLUMNS += ["raw_score", "late_submission_penalty", "score", "max_score"]


class Csv(CsvExportPlugin):
    """nbgrader's export with quotes: its own writes a name with a comma as two columns."""

    def export(self, gradebook: Gradebook) -> None:
        place = Path(self.to or "grades.csv")
        self.log.info("Exporting grades to %s", place)
        students, assignments = set(map(str, self.student)), set(map(str, self.assignment))
        rows = [
            self._row(gradebook, assignment, student)
            for assignment in gradebook.assignments
            for student in gradebook.students
            if (not assignments or assignment.name in assignments) and (not students or student.id in students)
        ]
        atomic_write(place, table(COLUMNS, rows))

    @staticmethod
    def _row(gradebook: Gradebook, assignment: Any, student: Any) -> dict[str, Any]:
        """Return what nbgrader's own export says of a student: who handed in nothing has 0."""
        row = {name: getattr(student, name) for name in ABOUT_STUDENT}
        row |= {"assignment": assignment.name, "duedate": assignment.duedate, "student_id": student.id}
        row |= {"max_score": assignment.max_score}
        try:
            submission: Any = gradebook.find_submission(assignment.name, student.id)
        except MissingEntry:
            return row | {"raw_score": 0, "late_submission_penalty": 0, "score": 0}
        score, penalty = submission.score, submission.late_submission_penalty
        row |= {"timestamp": submission.timestamp, "raw_score": score, "late_submission_penalty": penalty}
        return row | {"score": max(0.0, score - penalty)}
