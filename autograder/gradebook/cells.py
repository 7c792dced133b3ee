"""Changes of an assignment's graded cells in mid-term: the gradebook follows, points and comments by hand are kept."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.api import (
    BaseCell,
    Comment,
    Grade,
    GradeCell,
    Notebook,
    SolutionCell,
    SourceCell,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
    new_uuid,
)
from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.assignment import Template, grade_id
from autograder.files import atomic_write

Given = dict[str, dict[str, dict[str, Any]]]  # what a person gave, by kind and name of the cell, by student
BY_HAND = {Grade: ("manual_score", "extra_credit"), Comment: ("manual_comment",)}


def kinds(template: Template) -> dict[tuple[type, str], dict[str, Any]]:
    """Return the rows that nbgrader keeps of an assignment's cells, by class and name, with their columns' values."""
    wanted: dict[tuple[type, str], dict[str, Any]] = {}
    for name, cell in template.graded.items():
        about = cell.metadata.nbgrader
        scored = {"max_score": float(about.get("points", 0)), "cell_type": cell.cell_type}
        wanted |= {(GradeCell, name): scored} if about.get("grade") else {}
        wanted |= {(SolutionCell, name): {}} if about.get("solution") else {}
        wanted |= {(TaskCell, name): scored} if about.get("task") else {}
        wanted[SourceCell, name] = {"cell_type": cell.cell_type, "locked": bool(about.get("locked"))}
    return wanted


def change(session: Session, template: Template, archive: Path, mode: int, forget: Callable[[set[str]], None]) -> None:
    """Give the gradebook the cells of the template; call `forget` with the removed exercises before any row is deleted.

    Points and comments by hand for a removed cell are written to the archive first; they are restored with the cell.
    """
    wanted, row = kinds(template), _notebook(session, template.assignment)
    existing = {(type(cell), cell.name): cell for cell in [*row._base_cells, *row.source_cells]}
    gone = [cell for key, cell in existing.items() if key not in wanted]
    given: Given = json.loads(archive.read_bytes()) if archive.exists() else {}
    names = {_named(cell) for cell in gone}
    kept = {name: each for name, each in given.items() if name not in names} | _given(session, gone)
    if kept != given:
        atomic_write(archive, json.dumps(kept, indent=1).encode(), mode)
    forget({cell.name for cell in gone} - set(template.graded))
    for cell in gone:
        _remove(session, cell)
    for key in wanted.keys() - existing.keys():
        made = key[0](id=new_uuid(), name=key[1], notebook_id=row.id, **wanted[key])
        session.add(made)
        session.flush([made])
        _add_marks(session, made, row.id, given.get(_named(made), {}))
    session.commit()


def unmarked(notebook: NotebookNode, gone: set[str]) -> NotebookNode:
    """Return a graded notebook in which the cells of removed exercises are ordinary ones."""
    for cell in notebook.cells:
        if grade_id(cell) in gone:
            del cell.metadata["nbgrader"]
    return notebook


def _notebook(session: Session, name: str) -> Any:
    rows = session.query(Notebook).filter(Notebook.name == name).all()
    return next(row for row in rows if row.assignment.name == name)


def _named(cell: Any) -> str:
    return f"{type(cell).__name__} {cell.name}"


def _marks(session: Session, cell: Any) -> Iterator[tuple[type, Any]]:
    if isinstance(cell, BaseCell):
        for kind in BY_HAND:
            yield from ((kind, mark) for mark in session.query(kind).filter_by(cell_id=cell.id))


def _given(session: Session, cells: list[Any]) -> Given:
    """Return what a person gave for these cells."""
    given: Given = {}
    for cell in cells:
        for kind, mark in _marks(session, cell):
            values = {name: getattr(mark, name) for name in BY_HAND[kind] if getattr(mark, name) is not None}
            if values:
                given.setdefault(_named(cell), {}).setdefault(mark.student.id, {}).update(values)
    return given


def _remove(session: Session, cell: Any) -> None:
    for _, mark in list(_marks(session, cell)):
        session.delete(mark)
    session.flush()
    session.delete(cell)
    session.flush()


def _add_marks(session: Session, cell: Any, notebook: str, given: dict[str, dict[str, Any]]) -> None:
    """Add a new cell's rows for everybody who has handed in: 0 points, and what was given by hand before."""
    graded, commented = isinstance(cell, GradeCell | TaskCell), isinstance(cell, SolutionCell | TaskCell)
    handed: Any = SubmittedAssignment
    query = select(SubmittedNotebook.id, handed.student_id).join(handed, SubmittedNotebook.assignment_id == handed.id)
    for place, student in session.execute(query.where(SubmittedNotebook.notebook_id == notebook)).all():
        back = given.get(student, {})
        for kind in [kind for kind, is_one in ((Grade, graded), (Comment, commented)) if is_one]:
            values = {name: back[name] for name in BY_HAND[kind] if name in back}
            if kind is Grade:
                values |= {"auto_score": 0.0, "needs_manual_grade": bool(values)}
            session.add(kind(id=new_uuid(), notebook_id=place, cell_id=cell.id, **values))
    session.flush()
