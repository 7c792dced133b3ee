"""A judged notebook's rows in nbgrader's gradebook: scores, comments and late penalties as nbgrader sets them."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from nbformat import NotebookNode
from nbgrader.api import Comment, Grade, Student, SubmittedAssignment, SubmittedNotebook, new_uuid
from nbgrader.utils import compute_checksum, determine_grade, is_task
from sqlalchemy import select
from sqlalchemy.orm import Session
from traitlets.config import Config

from autograder.assignment import Template
from autograder.gradebook.lateness import Penalties, seconds_late

NO_RESPONSE = "No response."


@dataclass(frozen=True)
class AssignmentRows:
    """Where the gradebook keeps an assignment: the ids of its rows, those of its cells by name."""

    assignment: str
    notebook: str
    graded: dict[str, str]
    commented: dict[str, str]
    points: dict[str, float]
    kernel: str
    sources: dict[str, tuple[Any, ...]]

    @classmethod
    def of(cls, known: Any) -> "AssignmentRows":
        """Return the shelf of one of nbgrader's Notebooks."""
        graded: Any = [*known.grade_cells, *known.task_cells]
        return cls(
            known.assignment_id,
            known.id,
            {cell.name: cell.id for cell in graded},
            {cell.name: cell.id for cell in [*known.solution_cells, *known.task_cells]},
            {cell.name: cell.max_score for cell in graded},
            known.kernelspec,
            {cell.name: (cell.cell_type, cell.locked, cell.source, cell.checksum) for cell in known.source_cells},
        )

    def holds(self, form: Template) -> bool:
        """Return whether these are just the form's cells."""
        about = {name: cell.metadata.nbgrader for name, cell in form.graded.items()}
        sources = {
            name: (cell.cell_type, about[name]["locked"], cell.source, about[name].get("checksum"))
            for name, cell in form.graded.items()
        }
        return (
            self.kernel == json.dumps(form.notebook.metadata.get("kernelspec", {}))
            and self.sources == sources
            and self.points == {name: float(of["points"]) for name, of in about.items() if of["grade"] or of["task"]}
            and set(self.commented) == {name for name, of in about.items() if of["solution"] or of["task"]}
        )


@dataclass
class Entries:
    """Enters submissions, with what the class's settings say of being late."""

    config: Config

    @cached_property
    def penalties(self) -> Penalties:
        return Penalties(self.config)

    def enter(
        self, session: Session, shelf: AssignmentRows, student: str, notebook: NotebookNode, **when: datetime | None
    ) -> None:
        """Set the scores and comments of a submission, its rows made if it has none; what a person gave stays."""
        if session.scalar(select(Student.id).where(Student.id == student)) is None:
            session.add(Student(id=student))
            session.flush()
        submission = _submission(session, shelf, student)
        for name, value in when.items():
            setattr(submission, name, value)
        row = _row(session, shelf, submission)
        cells = {cell.metadata.nbgrader["grade_id"]: cell for cell in notebook.cells if "nbgrader" in cell.metadata}
        grades = _by_cell(session, Grade, row, shelf.graded.values())
        for name, cell_id in shelf.graded.items():
            _score(grades[cell_id], cells[name])
        comments = _by_cell(session, Comment, row, shelf.commented.values())
        for name, cell_id in shelf.commented.items():
            comments[cell_id].auto_comment = _said(cells.get(name))
        session.flush()
        self._penalise(session, submission, row, student)

    def _penalise(self, session: Session, submission: Any, row: Any, student: str) -> None:
        late = seconds_late(submission.timestamp, submission.assignment.duedate, submission.extension)
        if late:
            session.expire(row, ["score"])
        row.late_submission_penalty = self.penalties.of(student, row.score, late) if late else None


def _submission(session: Session, shelf: AssignmentRows, student: str) -> Any:
    wanted = {"assignment_id": shelf.assignment, "student_id": student}
    return _found(session, SubmittedAssignment, wanted) or _new(session, SubmittedAssignment, wanted)


def _row(session: Session, shelf: AssignmentRows, submission: Any) -> Any:
    wanted = {"assignment_id": submission.id, "notebook_id": shelf.notebook}
    return _found(session, SubmittedNotebook, wanted) or _new(session, SubmittedNotebook, wanted)


def _found(session: Session, kind: type, wanted: dict[str, str]) -> Any:
    return session.scalars(select(kind).filter_by(**wanted)).one_or_none()


def _new(session: Session, kind: type, wanted: dict[str, str]) -> Any:
    made = kind(id=new_uuid(), **wanted)
    session.add(made)
    session.flush([made])
    return made


def _by_cell(session: Session, kind: Any, row: Any, cells: Iterable[str]) -> dict[str, Any]:
    """Return a submission's grades or comments by cell, those that are not there yet made."""
    there = {found.cell_id: found for found in session.scalars(select(kind).where(kind.notebook_id == row.id))}
    for cell in set(cells) - set(there):
        there[cell] = kind(id=new_uuid(), notebook_id=row.id, cell_id=cell)
    session.add_all(there.values())
    return there


def _score(grade: Any, cell: NotebookNode) -> None:
    """Set what the outputs say; a person has to look at it when they say nothing, or when one had looked before."""
    grade.auto_score, _ = determine_grade(cell)
    grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None


def _said(cell: NotebookNode | None) -> str | None:
    """Return the comment on an answer that is as it was released."""
    if cell is None or is_task(cell):
        return None
    return NO_RESPONSE if cell.metadata.nbgrader.get("checksum") == compute_checksum(cell) else None
