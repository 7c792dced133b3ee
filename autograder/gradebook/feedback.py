"""Feedback pages with what the gradebook says: a graded notebook with its marks written into it."""

from typing import Any

from nbformat import NotebookNode
from nbgrader.utils import is_grade, is_solution

from autograder.assignment import grade_id
from autograder.gradebook.html import Page
from autograder.gradebook.query import Marks
from autograder.gradebook.rows import AssignmentRows


def page(exporter: Page, notebook: NotebookNode, name: str, rows: AssignmentRows, marks: Marks) -> str:
    """Return the page of a graded notebook as HTML; the marks are written into the notebook's metadata."""
    for cell in notebook.cells:
        about: dict[str, Any] = cell.metadata.get("nbgrader", {})
        if grade_id(cell) not in rows.points | rows.commented:  # of an exercise that was removed since: any cell
            cell.metadata.pop("nbgrader", None)
        if is_solution(cell):
            about["comment"] = marks.comments.get(about["grade_id"])
        if is_grade(cell):
            about["score"] = marks.scores.get(about["grade_id"], 0.0)
            about["points"] = rows.points[about["grade_id"]]
            about["waits"] = about["grade_id"] in marks.waiting
            about["items"] = marks.items.get(about["grade_id"], [])
    comments = {
        "notebook": name,
        "score": sum(marks.scores.values()) - marks.late_penalty,
        "max_score": sum(rows.points.values()),
        "late_penalty": marks.late_penalty,
        "requests": marks.requests,
    }
    return exporter.rendered(notebook, comments)
