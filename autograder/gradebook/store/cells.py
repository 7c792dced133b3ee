"""An assignment's graded cells in the gradebook: they follow changes in mid-term, and keep points by hand."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from nbgrader.api import Assignment, Comment, Grade, GradeCell, Notebook, SolutionCell, SourceCell, new_uuid
from nbgrader.utils import is_locked
from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.assignment import Template
from autograder.files import atomic_write

Given = dict[str, dict[str, dict[str, Any]]]  # points and comments by hand, by kind and name of the cell, by student
# The rows that students have for a cell, and the columns that a person fills in.
MARKS = {GradeCell: (Grade, ("manual_score", "extra_credit")), SolutionCell: (Comment, ("manual_comment",))}


def _kernel(template: Template) -> str:
    return json.dumps(template.notebook.metadata.get("kernelspec", {}))


def _wanted(template: Template) -> dict[tuple[type, str], dict[str, Any]]:
    """Return nbgrader's rows for an assignment's cells, by class and name, with the values of their columns."""
    wanted: dict[tuple[type, str], dict[str, Any]] = {}
    for name, cell in template.graded.items():
        about = cell.metadata.nbgrader
        scored = {"max_score": float(about.get("points", 0)), "cell_type": cell.cell_type}
        wanted |= {(GradeCell, name): scored} if about.get("grade") else {}
        wanted |= {(SolutionCell, name): {}} if about.get("solution") else {}
        source = {"source": cell.source, "checksum": about.get("checksum")}
        wanted[SourceCell, name] = {"cell_type": cell.cell_type, "locked": bool(is_locked(cell)), **source}
    return wanted


def _existing(notebook: Any) -> dict[tuple[type, str], Any]:
    return {(type(cell), cell.name): cell for cell in [*notebook._base_cells, *notebook.source_cells]}


def has_cells_of(notebook: Any, template: Template) -> bool:
    """Return whether the rows of one of nbgrader's Notebooks are exactly the template's cells."""
    wanted, existing = _wanted(template), _existing(notebook)
    return (notebook.kernelspec, existing.keys()) == (_kernel(template), wanted.keys()) and all(
        getattr(existing[key], column) == value for key, values in wanted.items() for column, value in values.items()
    )


def save(session: Session, template: Template, archive: Path, mode: int) -> list[str]:
    """Give the gradebook the cells of the template; return the names of the removed exercises.

    Points and comments by hand for a removed cell are written to the archive first; they are restored with the cell.
    The rows are those of nbgrader's SaveCells, which commits after each, and leaves submitted notebooks unchanged.
    """
    wanted, notebook = _wanted(template), _notebook(session, template)
    existing = _existing(notebook)
    gone = [cell for key, cell in existing.items() if key not in wanted]
    given: Given = json.loads(archive.read_bytes()) if archive.exists() else {}
    now_given = {_named(cell): _given(cell) for cell in gone}
    kept = {name: each for name, each in (given | now_given).items() if each}
    if kept != given:
        atomic_write(archive, json.dumps(kept, indent=1).encode(), mode)
    for cell in gone:
        for mark in [*_marks(cell), cell]:
            session.delete(mark)
    new = {key: key[0](id=new_uuid(), name=key[1], notebook_id=notebook.id) for key in wanted.keys() - existing.keys()}
    for key, values in wanted.items():
        for column, value in values.items():
            setattr(new.get(key) or existing[key], column, value)
    session.add_all(new.values())
    session.flush()
    for cell in new.values():
        session.add_all(_new_marks(cell, notebook.submissions, given.get(_named(cell), {})))
    session.commit()
    return sorted({cell.name for cell in gone} - set(template.graded))


def _notebook(session: Session, template: Template) -> Any:
    """Return the notebook's row, a new one where the assignment has none."""
    name = template.assignment
    columns = {"name": name, "assignment_id": session.scalars(select(Assignment.id).filter_by(name=name)).one()}
    known = session.scalars(select(Notebook).filter_by(**columns)).one_or_none()
    row: Any = known or Notebook(id=new_uuid(), **columns)
    row.kernelspec = _kernel(template)
    session.add(row)
    session.flush()
    return row


def _named(cell: Any) -> str:
    return f"{type(cell).__name__} {cell.name}"


def _marks(cell: Any) -> list[Any]:
    return [*cell.grades, *cell.comments] if type(cell) in MARKS else []


def _given(cell: Any) -> dict[str, dict[str, Any]]:
    """Return points and comments by hand for a cell, by student."""
    columns = MARKS[type(cell)][1] if type(cell) in MARKS else ()
    given = {
        mark.student.id: {name: getattr(mark, name) for name in columns if getattr(mark, name) is not None}
        for mark in _marks(cell)
    }
    return {student: values for student, values in given.items() if values}


def _new_marks(cell: Any, submissions: Iterable[Any], given: dict[str, dict[str, Any]]) -> Iterator[Any]:
    """Yield a new cell's rows for all who have handed in: 0 points, and earlier points and comments by hand."""
    if type(cell) not in MARKS:
        return
    kind, columns = MARKS[type(cell)]
    for each in submissions:
        values = {name: value for name, value in given.get(each.student.id, {}).items() if name in columns}
        if kind is Grade:
            values |= {"auto_score": 0.0, "needs_manual_grade": bool(values)}
        yield kind(id=new_uuid(), notebook_id=each.id, cell_id=cell.id, **values)
