"""Submissions as the gradebook has them: the one query that summary, report and late penalties share."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from nbgrader.api import Assignment, Grade, GradeCell, Notebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from autograder.gradebook.people.lateness import seconds_late


@dataclass(frozen=True)
class Submission:
    """One submitted notebook: its points, its time and due date, in UTC, and its late penalty."""

    id: str  # its name for formgrader's pages
    student: str
    assignment: str
    timestamp: datetime | None = None
    due: datetime | None = None
    extension: timedelta | None = None
    penalty: float | None = None
    score: float = 0.0  # before the penalty
    manual_score: float = 0.0  # of the score: points by hand, and extra credit
    written_score: float = 0.0  # of the score: for written questions
    needs_manual_grade: bool = False
    zone: tzinfo = UTC  # of its due date

    @property
    def seconds_late(self) -> float:
        return seconds_late(self.timestamp, self.due, self.extension, self.zone)

    @property
    def is_undated(self) -> bool:
        """Return whether the submission has a due date, but its own time is unknown."""
        return self.due is not None and self.timestamp is None

    @property
    def extended_to(self) -> datetime | None:
        """Return the student's own deadline."""
        return self.due + self.extension if self.due and self.extension else None

    @property
    def late_penalty(self) -> float:
        return self.penalty or 0.0

    @property
    def total(self) -> float:
        return max(0.0, self.score - self.late_penalty)


def submissions(session: Session, zones: Mapping[str, tzinfo], names: Iterable[str] | None = None) -> list[Submission]:
    """Return all submissions, or those to these assignments, in order; `zones` are the due dates' time zones.

    One query for all of them: nbgrader's own objects would send several for each.
    """
    row: Any = SubmittedNotebook  # as declared, nbgrader's columns are of types that are too wide
    handed: Any = SubmittedAssignment
    assignment: Any = Assignment
    grade: Any = Grade
    times = (handed.timestamp, assignment.duedate, handed.extension)
    about = (row.id, handed.student_id, assignment.name, *times, row.late_submission_penalty)
    given = func.coalesce(grade.manual_score, 0.0) + func.coalesce(grade.extra_credit, 0.0)
    written = case((GradeCell.cell_type == "markdown", grade.score), else_=0.0)
    sums = [func.coalesce(func.sum(of), 0.0) for of in (grade.score, given, written)]
    query = (
        select(*about, *sums, func.max(case((grade.needs_manual_grade, 1), else_=0)))
        .select_from(row)
        .join(handed, row.assignment_id == handed.id)
        .join(assignment, handed.assignment_id == assignment.id)
        .join(Notebook, row.notebook_id == Notebook.id)
        .outerjoin(grade, grade.notebook_id == row.id)
        .outerjoin(GradeCell, GradeCell.id == grade.cell_id)
        .where(Notebook.name == assignment.name)
        .group_by(*about)
        .order_by(handed.student_id, assignment.name)
    )
    if names is not None:
        query = query.where(assignment.name.in_(list(names)))
    rows: Any = session.execute(query)
    return [Submission(*each[:-1], needs_manual_grade=bool(each[-1]), zone=zones.get(each.name, UTC)) for each in rows]
