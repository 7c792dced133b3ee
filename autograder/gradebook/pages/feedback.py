"""Feedback pages: a graded notebook with its marks from the gradebook written into it."""

from nbformat import NotebookNode
from nbgrader.api import Comment, Grade, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.assignment import grade_id
from autograder.gradebook.by_hand import regrade, rubric
from autograder.gradebook.pages.html import Page
from autograder.gradebook.store.rows import AssignmentRows


def page(
    exporter: Page, session: Session, rows: AssignmentRows, student: str, name: str, notebook: NotebookNode
) -> str | None:
    """Return `student`'s page of a graded `notebook` as HTML, None if the gradebook does not have it.

    `session` reads the gradebook, `rows` are those of the assignment `name`, and `exporter` makes the page. The marks
    are written into the notebook's metadata.
    """
    query = (
        select(SubmittedNotebook.id, SubmittedNotebook.late_submission_penalty)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .where(SubmittedAssignment.student_id == student, SubmittedNotebook.notebook_id == rows.notebook)
    )
    row = session.execute(query).first()
    if row is None:
        return None
    of_grades = select(Grade.cell_id, Grade.score, Grade.needs_manual_grade).where(Grade.notebook_id == row[0])
    of_comments = select(Comment.cell_id, Comment.comment).where(Comment.notebook_id == row[0])
    grades = {cell: tuple(grade) for cell, *grade in session.execute(of_grades)}
    comments: dict[str, str | None] = dict(map(tuple, session.execute(of_comments)))
    chosen = rubric.marks(session, name, student)
    for cell in notebook.cells:
        of_cell, about = grade_id(cell), cell.metadata.get("nbgrader", {})
        if of_cell not in rows.points and of_cell not in rows.commented:  # of an exercise removed since: any cell
            cell.metadata.pop("nbgrader", None)
        if of_cell in rows.commented:
            about["comment"] = comments.get(rows.commented[of_cell])
        if of_cell in rows.points:
            about["score"], about["waits"] = grades.get(rows.graded[of_cell], (0.0, False))
            about["points"] = rows.points[of_cell]
            about["items"] = [(item.text, item.points) for item in chosen.get((student, of_cell), [])]
    requests = regrade.requests(session, name, student)
    penalty = row[1] or 0.0
    score = sum(grades[cell][0] for cell in rows.graded.values() if cell in grades) - penalty
    totals = {"score": score, "max_score": sum(rows.points.values()), "late_penalty": penalty}
    return exporter.rendered(notebook, {"notebook": name, "requests": requests} | totals)
