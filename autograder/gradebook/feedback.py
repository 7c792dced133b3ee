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
    """What the gradebook says of one submission: scores and comments by cell, and what being late costs."""

    scores: dict[str, float] = field(default_factory=dict)
    comments: dict[str, str | None] = field(default_factory=dict)
    late_penalty: float = 0.0


def marks(session: Session, shelf: AssignmentRows, student: str) -> Marks | None:
    """Return what the gradebook says of a submission, None if it is not there."""
    wanted = (
        select(SubmittedNotebook.id, SubmittedNotebook.late_submission_penalty)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .where(SubmittedAssignment.student_id == student, SubmittedNotebook.notebook_id == shelf.notebook)
    )
    found = session.execute(wanted).first()
    if found is None:
        return None
    scores = _by_cell(session, select(Grade.cell_id, Grade.score).where(Grade.notebook_id == found[0]))
    said = _by_cell(session, select(Comment.cell_id, Comment.comment).where(Comment.notebook_id == found[0]))
    return Marks(
        {name: scores[cell] for name, cell in shelf.graded.items() if cell in scores},
        {name: said[cell] for name, cell in shelf.commented.items() if cell in said},
        found[1] or 0.0,
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
        """Return the style sheets, which nbgrader makes for every page anew."""
        resources = ResourcesDict(inlining={"css": []})
        for made in self.exporter._preprocessors:
            if isinstance(made, CSSHTMLHeaderPreprocessor):
                made(NotebookNode(), resources)
        return resources["inlining"]["css"]

    def page(self, notebook: NotebookNode, name: str, shelf: AssignmentRows, marks: Marks) -> str:
        """Return the page of a graded notebook, whose metadata take the marks up."""
        for cell in notebook.cells:
            about: dict[str, Any] = cell.metadata.get("nbgrader", {})
            if is_solution(cell) or is_task(cell):
                about["comment"] = marks.comments.get(about["grade_id"])
            if is_grade(cell) or is_task(cell):
                about["score"] = marks.scores.get(about["grade_id"], 0.0)
                about["points"] = shelf.points[about["grade_id"]]
        said = {
            "notebook": name,
            "score": sum(marks.scores.values()) - marks.late_penalty,
            "max_score": sum(shelf.points.values()),
            "late_penalty": marks.late_penalty,
        }
        return self.exporter.rendered(notebook, said, self.css)
