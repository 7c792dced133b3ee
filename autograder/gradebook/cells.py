"""An assignment's graded cells in the gradebook: it follows changes in mid-term, what was given by hand is kept."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbgrader.api import (
    Assignment,
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
from nbgrader.utils import is_locked
from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.assignment import Template
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
        source = {"source": cell.source, "checksum": about.get("checksum")}
        wanted[SourceCell, name] = {"cell_type": cell.cell_type, "locked": bool(is_locked(cell)), **source}
    return wanted


def save(session: Session, template: Template, archive: Path, mode: int) -> list[str]:
    """Give the gradebook the cells of the template; return the names of the removed exercises.

    Points and comments by hand for a removed cell are written to the archive first; they are restored with the cell.
    The rows are those of nbgrader's SaveCells, which commits after each, and changes no notebook that was handed in.
    """
    wanted, row = kinds(template), _notebook(session, template)
    existing = {(type(cell), cell.name): cell for cell in [*row._base_cells, *row.source_cells]}
    gone = [cell for key, cell in existing.items() if key not in wanted]
    given: Given = json.loads(archive.read_bytes()) if archive.exists() else {}
    names = {_named(cell) for cell in gone}
    kept = {name: each for name, each in given.items() if name not in names} | _given(session, gone)
    if kept != given:
        atomic_write(archive, json.dumps(kept, indent=1).encode(), mode)
    for cell in gone:
        _remove(session, cell)
    new = {key: key[0](id=new_uuid(), name=key[1], notebook_id=row.id) for key in wanted.keys() - existing.keys()}
    for key, values in wanted.items():
        for column, value in values.items():
            setattr(new.get(key) or existing[key], column, value)
    session.add_all(new.values())
    session.flush()
    handed_in = _handed_in(session, row.id)
    for cell in new.values():
        _add_marks(session, cell, handed_in, given.get(_named(cell), {}))
    session.commit()
    return sorted({cell.name for cell in gone} - set(template.graded))


def _notebook(session: Session, template: Template) -> Any:
    """Return the notebook's row, a new one where the assignment has none."""
    name = template.assignment
    columns = {"name": name, "assignment_id": session.scalars(select(Assignment.id).filter_by(name=name)).one()}
    known = session.scalars(select(Notebook).filter_by(**columns)).one_or_none()
    row: Any = known or Notebook(id=new_uuid(), **columns)
    row.kernelspec = json.dumps(template.notebook.metadata.get("kernelspec", {}))
    session.add(row)
    session.flush()
    return row


def _handed_in(session: Session, notebook: str) -> list[tuple[str, str]]:
    """Return the submissions of a notebook: its row and the student."""
    handed: Any = SubmittedAssignment
    query = select(SubmittedNotebook.id, handed.student_id).join(handed, SubmittedNotebook.assignment_id == handed.id)
    return [(row[0], row[1]) for row in session.execute(query.where(SubmittedNotebook.notebook_id == notebook))]


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


def _add_marks(session: Session, cell: Any, handed_in: list[tuple[str, str]], given: dict[str, dict[str, Any]]) -> None:
    """Add a new cell's rows for everybody who has handed in: 0 points, and what was given by hand before."""
    graded, commented = isinstance(cell, GradeCell | TaskCell), isinstance(cell, SolutionCell | TaskCell)
    for place, student in handed_in:
        back = given.get(student, {})
        for kind in [kind for kind, is_one in ((Grade, graded), (Comment, commented)) if is_one]:
            values = {name: back[name] for name in BY_HAND[kind] if name in back}
            if kind is Grade:
                values |= {"auto_score": 0.0, "needs_manual_grade": bool(values)}
            session.add(kind(id=new_uuid(), notebook_id=place, cell_id=cell.id, **values))
    session.flush()
