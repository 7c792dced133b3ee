"""What a feedback page shows of the gradebook, and the page: as nbgrader writes it, at less cost."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from nbconvert.exporters.exporter import ResourcesDict
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbformat import NotebookNode
from nbgrader.api import Comment, Grade, SubmittedAssignment, SubmittedNotebook
from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import is_grade, is_solution, is_task
from sqlalchemy import Select, select
from sqlalchemy.orm import Session
from traitlets.config import Config

from autograder.gradebook.html import Page
from autograder.gradebook.rows import AssignmentRows


@dataclass
class Marks:
    """One submission's marks in the gradebook: scores and comments by cell, and the late penalty."""

    scores: dict[str, float] = field(default_factory=dict)
    comments: dict[str, str | None] = field(default_factory=dict)
    late_penalty: float = 0.0


def marks(session: Session, rows: AssignmentRows, student: str) -> Marks | None:
    """Return a submission's marks, None where it is not in the gradebook."""
    wanted = (
        select(SubmittedNotebook.id, SubmittedNotebook.late_submission_penalty)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .where(SubmittedAssignment.student_id == student, SubmittedNotebook.notebook_id == rows.notebook)
    )
    row = session.execute(wanted).first()
    if row is None:
        return None
    scores = _by_cell(session, select(Grade.cell_id, Grade.score).where(Grade.notebook_id == row[0]))
    comments = _by_cell(session, select(Comment.cell_id, Comment.comment).where(Comment.notebook_id == row[0]))
    return Marks(
        {name: scores[cell] for name, cell in rows.graded.items() if cell in scores},
        {name: comments[cell] for name, cell in rows.commented.items() if cell in comments},
        row[1] or 0.0,
    )


def _by_cell(session: Session, wanted: Select[Any]) -> dict[str, Any]:
    return {row[0]: row[1] for row in session.execute(wanted)}


class Pages:
    """Makes the pages of a class with one exporter."""

    def __init__(self, config: Config, folders: CourseDirectory) -> None:
        self.converter = GenerateFeedback(coursedir=folders, config=config)

    @cached_property
    def exporter(self) -> Page:
        made = self.converter.exporter_class(parent=self.converter, config=self.converter.config)
        if not isinstance(made, Page):
            raise TypeError(
                f"GenerateFeedback.exporter_class is {type(made).__name__}, expected autograder.gradebook.html.Page"
            )
        return made

    @cached_property
    def css(self) -> list[str]:
        """Return the style sheets, made once for all pages."""
        resources = ResourcesDict(inlining={"css": []})
        for made in self.exporter._preprocessors:
            if isinstance(made, CSSHTMLHeaderPreprocessor):
                made(NotebookNode(), resources)
        return resources["inlining"]["css"]

    def page(self, notebook: NotebookNode, name: str, rows: AssignmentRows, marks: Marks) -> str:
        """Return the page of a graded notebook as HTML; the marks are written into the notebook's metadata."""
        for cell in notebook.cells:
            about: dict[str, Any] = cell.metadata.get("nbgrader", {})
            if is_solution(cell) or is_task(cell):
                about["comment"] = marks.comments.get(about["grade_id"])
            if is_grade(cell) or is_task(cell):
                about["score"] = marks.scores.get(about["grade_id"], 0.0)
                about["points"] = rows.points[about["grade_id"]]
        comments = {
            "notebook": name,
            "score": sum(marks.scores.values()) - marks.late_penalty,
            "max_score": sum(rows.points.values()),
            "late_penalty": marks.late_penalty,
        }
        return self.exporter.rendered(notebook, comments, self.css)
