"""Outcomes as the judge gives them, made up, and what a gradebook then holds: for tests that need no sandbox."""

import copy
from collections.abc import Iterable
from typing import Any

import nbformat
from sqlalchemy import create_engine, text

from autograder.assignment import CHECK, Template, bonus, grade_id
from autograder.judge.assess import Outcome

ANSWER = "The row of *me* leans on $\\alpha_1 < \\alpha_2$."
PEOPLE = {  # share of each check's points, and whether the written questions are answered
    "ada": (1.0, True),
    "bo": (0.5, True),
    "cy": (0.0, False),
    "di é": (1.0, False),
}
# Rows without the random ids that nbgrader gives them, by the names that stay.
TABLES = {
    "course": "SELECT id FROM course",
    "assignment": "SELECT name, duedate, course_id FROM assignment",
    "notebook": "SELECT n.name, a.name, n.kernelspec FROM notebook n JOIN assignment a ON a.id = n.assignment_id",
    "cells": "SELECT b.name, b.type, g.max_score, g.cell_type FROM base_cell b LEFT JOIN grade_cells g ON g.id = b.id",
    "sources": "SELECT name, cell_type, locked, source, checksum FROM source_cell",
    "student": "SELECT id, first_name, last_name, email, lms_user_id FROM student",
    "submission": """SELECT s.student_id, a.name, s.timestamp, s.extension FROM submitted_assignment s
        JOIN assignment a ON a.id = s.assignment_id""",
    "submitted": """SELECT s.student_id, m.name, n.flagged, n.late_submission_penalty FROM submitted_notebook n
        JOIN submitted_assignment s ON s.id = n.assignment_id JOIN notebook m ON m.id = n.notebook_id""",
    "grade": """SELECT s.student_id, m.name, b.name, g.auto_score, g.manual_score, g.extra_credit, g.needs_manual_grade
        FROM grade g JOIN submitted_notebook n ON n.id = g.notebook_id JOIN notebook m ON m.id = n.notebook_id
        JOIN submitted_assignment s ON s.id = n.assignment_id JOIN base_cell b ON b.id = g.cell_id""",
    "comment": """SELECT s.student_id, m.name, b.name, c.auto_comment, c.manual_comment
        FROM comment c JOIN submitted_notebook n ON n.id = c.notebook_id JOIN notebook m ON m.id = n.notebook_id
        JOIN submitted_assignment s ON s.id = n.assignment_id JOIN base_cell b ON b.id = c.cell_id""",
    "version": "SELECT version_num FROM alembic_version",
}
KEPT = TABLES.keys() - {"course"}  # nbgrader's own commands add its default course


def rows(db_url: str, tables: Iterable[str] = TABLES) -> dict[str, list[tuple[Any, ...]]]:
    """Return all that a gradebook holds, sorted, without the ids that differ from one to the next."""
    engine = create_engine(db_url)
    try:
        with engine.connect() as connection:
            contents = {table: [tuple(row) for row in connection.execute(text(TABLES[table]))] for table in tables}
    finally:
        engine.dispose()
    plain = {table: [tuple(_plain(value) for value in row) for row in each] for table, each in contents.items()}
    return {table: sorted(each, key=repr) for table, each in plain.items()}


def _plain(value: Any) -> Any:
    """Return a value as either database gives it: SQLite has neither truth values nor dates of its own."""
    if isinstance(value, bool):
        return int(value)
    if value is None or isinstance(value, int | float):
        return value
    return str(value).removesuffix(".000000")


def outcome(form: Template, share: float, answered: bool = True, of_bonus: float | None = None) -> Outcome:
    """Return the outcome of a submission that has this share of the points of every check, and of every bonus."""
    notebook = copy.deepcopy(form.notebook)
    got = 0.0
    for cell in notebook.cells:
        about = cell.metadata.get("nbgrader", {})
        if grade_id(cell).startswith(CHECK):
            most = bonus(cell) or about["points"]
            points = most * (of_bonus if bonus(cell) and of_bonus is not None else share)
            cell.outputs = [nbformat.from_dict(output) for output in _said(points, most, starred=bool(bonus(cell)))]
            got += points
        elif cell.cell_type == "markdown" and about.get("solution") and answered:
            cell.source = ANSWER
        elif about.get("solution") and share:
            cell.source += "\n# mine"
    line = {"assignment": form.assignment, "score": got, "checks": [], "flags": [], "error": None}
    return Outcome(line, nbformat.writes(notebook).encode("utf-8"))


def _said(points: float, most: float, starred: bool) -> list[dict[str, Any]]:
    if points >= most:
        return [{"output_type": "stream", "name": "stdout", "text": f"All {most:g} points.\n"}]
    if not points and not starred:
        return [{"output_type": "error", "ename": "NoPoints", "evalue": "no", "traceback": ["f: 0 of 8 points <b>"]}]
    value = {"text/plain": repr(float(points))}
    return [
        {"output_type": "stream", "name": "stdout", "text": "a hint\n"},
        {"output_type": "execute_result", "data": value, "metadata": {}, "execution_count": None},
    ]
