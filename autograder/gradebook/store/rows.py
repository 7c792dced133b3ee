"""A judged notebook's rows in nbgrader's gradebook: scores, comments and late penalties as nbgrader sets them."""

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from nbformat import NotebookNode
from nbgrader.api import Comment, Grade, Student, SubmittedAssignment, SubmittedNotebook, new_uuid
from nbgrader.utils import compute_checksum, determine_grade, is_grade, is_solution
from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.assignment import bonus, grade_id
from autograder.gradebook.people.lateness import Penalties, is_same_number, seconds_late
from autograder.submissions.normalise import is_by_student

NO_RESPONSE = "No response."


@dataclass(frozen=True)
class AssignmentRows:
    """The ids of an assignment's rows in the gradebook, those of its cells by name, and the cells' content."""

    assignment: str
    notebook: str
    graded: dict[str, str]
    commented: dict[str, str]
    points: dict[str, float]

    @classmethod
    def of(cls, notebook: Any) -> "AssignmentRows":
        """Return the rows of one of nbgrader's Notebooks."""
        return cls(
            notebook.assignment_id,
            notebook.id,
            {cell.name: cell.id for cell in notebook.grade_cells},
            {cell.name: cell.id for cell in notebook.solution_cells},
            {cell.name: cell.max_score for cell in notebook.grade_cells},
        )


def enter(
    session: Session,
    rows: AssignmentRows,
    penalties: Penalties,
    student: str,
    notebook: NotebookNode,
    before: NotebookNode | None = None,
    **when: datetime | None,
) -> None:
    """Set the scores and comments of `student`'s submission, in new rows if it has none; those by hand stay.

    `rows` are the assignment's, `penalties` its rule for lateness. Points by hand belong to the notebook `before`.
    `when` may hold `timestamp`. The caller commits the `session`.
    """
    with session.no_autoflush:  # new rows have their ids, and are written at once
        if session.scalar(select(Student.id).where(Student.id == student)) is None:
            session.add(Student(id=student))
        submission = _row(session, SubmittedAssignment, assignment_id=rows.assignment, student_id=student)
        row = _row(session, SubmittedNotebook, submission, assignment_id=submission.id, notebook_id=rows.notebook)
        grades = _by_cell(session, Grade, row, rows.graded.values())
        comments = _by_cell(session, Comment, row, rows.commented.values())
    for name, value in when.items():
        setattr(submission, name, value)
    cells = {grade_id(cell): cell for cell in notebook.cells if grade_id(cell)}
    answers = answers_of(notebook)
    answers_before = answers_of(before) if before else {}
    for name, cell_id in rows.graded.items():
        set_score(grades[cell_id], cells[name], answers_before.get(name) == answers[name])
    for name, cell_id in rows.commented.items():
        comments[cell_id].auto_comment = _comment(cells.get(name))
    session.flush()
    _penalise(session, penalties, submission, row)


def _penalise(session: Session, penalties: Penalties, submission: Any, row: Any) -> None:
    assignment = submission.assignment
    zone = penalties.zones.get(assignment.name, UTC)
    late = seconds_late(submission.timestamp, assignment.duedate, submission.extension, zone)
    if late:
        session.expire(row, ["score"])
    row.late_submission_penalty = penalties.of(submission.student_id, row.score, late) if late else None


def _row(session: Session, kind: type, owner: Any = None, **columns: str) -> Any:
    """Return the row with these columns, a new one where there is none, as there is none of a new `owner`."""
    known = [] if owner in session.new else session.scalars(select(kind).filter_by(**columns))
    row: Any = next(iter(known), None)
    if row is None:
        row = kind(id=new_uuid(), **columns)
        session.add(row)
    return row


def _by_cell(session: Session, kind: Any, row: Any, cells: Iterable[str]) -> dict[str, Any]:
    """Return a submission's grades or comments by cell, new ones for cells that have none."""
    known = [] if row in session.new else session.scalars(select(kind).where(kind.notebook_id == row.id))
    by_cell = {existing.cell_id: existing for existing in known}
    for cell in set(cells) - set(by_cell):
        by_cell[cell] = kind(id=new_uuid(), notebook_id=row.id, cell_id=cell)
    session.add_all(by_cell.values())
    return by_cell


def show_bonus(cells: Iterable[NotebookNode]) -> None:
    """Set the points of starred tasks' cells to the most that they can earn: in the gradebook a bonus has maximum 0.

    nbgrader's extra credit is the teacher's alone: no run of ours writes it. A bonus is an automatic score like any
    other, in all of nbgrader's sums and in no maximum; a worse answer lowers it.
    """
    for cell in cells:
        if bonus(cell):
            cell.metadata.nbgrader["points"] = bonus(cell)


def automatic_score(cell: NotebookNode) -> float | None:
    """Return a cell's score, a bonus included, though nbgrader's maximum for it is 0; None if a person gives it."""
    scored = copy.deepcopy(cell) if bonus(cell) else cell
    show_bonus([scored])
    return determine_grade(scored)[0]


def set_score(grade: Any, cell: NotebookNode, is_same_answer: bool) -> None:
    """Set a cell's score from its outputs; if they give none, a person has to grade it.

    Points by hand are marked for another look, unless answer and automatic score are the same as before.
    """
    score_before, waited = grade.auto_score, grade.needs_manual_grade
    grade.auto_score = automatic_score(cell)
    grade.needs_manual_grade = grade.auto_score is None
    if grade.manual_score is not None:
        grade.needs_manual_grade = waited or not is_same_answer or not is_same_number(score_before, grade.auto_score)


def answers_of(notebook: NotebookNode) -> dict[str, Any]:
    """Return for each graded cell, by name, its answer (for a check, all code) and its maximum."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code" and is_by_student(cell)]
    return {
        grade_id(cell): (
            (cell.source, cell.get("attachments")) if is_solution(cell) else code,
            float(cell.metadata.nbgrader.get("points") or 0),
            bonus(cell),
        )
        for cell in notebook.cells
        if is_grade(cell)
    }


def _comment(cell: NotebookNode | None) -> str | None:
    """Return the comment on an answer: NO_RESPONSE where the cell is as it was released, else None."""
    return NO_RESPONSE if cell and cell.metadata.nbgrader.get("checksum") == compute_checksum(cell) else None
