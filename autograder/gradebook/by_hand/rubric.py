"""Rubrics: items with points for a question graded by hand, and the items of each student's answer.

The points by hand are the sum of these items, at least 0 and at most the question's. nbgrader makes our tables with its
own. They refer to names: nbgrader makes a new row for a cell that was removed and came back.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from nbgrader.api import Assignment, Base, Grade, GradeCell, SubmittedAssignment, SubmittedNotebook, new_uuid
from sqlalchemy import Column, Float, Integer, String, Text, delete, select
from sqlalchemy.orm import Session

from autograder.assignment import OWN
from autograder.places import source_notebook

NAME = String(128)
Seeds = Mapping[str, Mapping[str, float]]  # by question: points by text, as the course has them


class RubricItem(Base):
    """One thing that a marker looks for in the answers to a question; an item without text was removed."""

    __tablename__ = "rubric_item"
    id: Any = Column(String(32), primary_key=True, default=new_uuid)
    assignment: Any = Column(NAME, nullable=False)
    question: Any = Column(NAME, nullable=False)
    position: Any = Column(Integer, nullable=False)
    text: Any = Column(Text, nullable=False)
    points: Any = Column(Float, nullable=False)
    seed: Any = Column(Text)  # text and points of the course, which a marker may have changed
    seed_points: Any = Column(Float)


class RubricMark(Base):
    """A student's answer has an item."""

    __tablename__ = "rubric_mark"
    item_id: Any = Column(String(32), primary_key=True)
    student: Any = Column(NAME, primary_key=True)


def of_course(assignment: str) -> Seeds:
    """Return the course's rubrics for an assignment: `release` puts them into the solved notebook."""
    try:
        cells = json.loads(source_notebook(assignment).read_bytes())["cells"]
    except FileNotFoundError:
        return {}
    abouts = [cell["metadata"] for cell in cells if cell["metadata"].get(OWN, {}).get("rubric")]
    return {about["nbgrader"]["grade_id"]: dict(about[OWN]["rubric"]) for about in abouts}


def items(session: Session, assignment: str, question: str) -> list[RubricItem]:
    """Return a question's items in their order, removed ones too."""
    query = select(RubricItem).filter_by(assignment=assignment, question=question).order_by(RubricItem.position)
    return list(session.scalars(query))


def marks(session: Session, assignment: str, student: str | None = None) -> dict[tuple[str, str], list[RubricItem]]:
    """Return the items by student and question, of one student or of all."""
    query = select(RubricMark.student, RubricItem).join(RubricItem, RubricItem.id == RubricMark.item_id)
    query = query.where(RubricItem.assignment == assignment).order_by(RubricItem.position)
    chosen: dict[tuple[str, str], list[RubricItem]] = defaultdict(list)
    for owner, item in session.execute(query if student is None else query.where(RubricMark.student == student)):
        chosen[owner, item.question].append(item)
    return chosen


def seed(session: Session, assignment: str, seeds: Seeds) -> None:
    """Enter new items of the course; changed points of an item reach all students who have it."""
    for question, texts in seeds.items():
        known = {item.seed: item for item in items(session, assignment, question)}
        for text, points in texts.items():
            item = known.get(text)
            if item is None:
                item = add(session, assignment, question, text, points)
            elif item.seed_points != points:
                change(session, item, item.text, points)
            item.seed, item.seed_points = text, points
    session.flush()


def choose(session: Session, assignment: str, question: str, students: Iterable[str], chosen: set[str]) -> None:
    """Give students these items of a question and no others, and their points; raise ValueError for unknown items."""
    known = {item.id: item for item in items(session, assignment, question) if item.text}
    if unknown := chosen - known.keys():
        raise ValueError(f"{question} of {assignment} has no item {', '.join(sorted(unknown))}")
    students = sorted(set(students))
    session.execute(
        delete(RubricMark).where(
            RubricMark.item_id.in_([item.id for item in items(session, assignment, question)]),
            RubricMark.student.in_(students),
        )
    )
    session.add_all(RubricMark(item_id=item, student=student) for item in sorted(chosen) for student in students)
    for grade, most, _ in _grades(session, assignment, question, students):
        _give(grade, _sum([known[item] for item in chosen], most))
    session.flush()


def change(session: Session, item: RubricItem, text: str, points: float) -> list[str]:
    """Set an item's text and points for all who have it; without a text, remove it.

    Return the students who keep points typed by a person.
    """
    students = list(session.scalars(select(RubricMark.student).where(RubricMark.item_id == item.id)))
    rows = list(_grades(session, item.assignment, item.question, students))
    before = _sums(session, item, rows)
    item.text, item.points = text, points
    if not text:
        session.execute(delete(RubricMark).where(RubricMark.item_id == item.id))
    session.flush()
    after = _sums(session, item, rows)
    typed = [student for grade, _, student in rows if grade.manual_score != before[student]]
    for grade, _, student in rows:
        if student not in typed:
            grade.manual_score = after[student]
    session.flush()
    return typed


def add(session: Session, assignment: str, question: str, text: str, points: float) -> RubricItem:
    """Add an item to a question."""
    position = len(items(session, assignment, question))
    item = RubricItem(assignment=assignment, question=question, position=position, text=text, points=points)
    session.add(item)
    session.flush()
    return item


def _sums(session: Session, item: RubricItem, rows: list[tuple[Any, float, str]]) -> dict[str, float | None]:
    chosen = marks(session, item.assignment)
    return {student: _sum(chosen[student, item.question], most) for _, most, student in rows}


def _sum(chosen: list[RubricItem], most: float) -> float | None:
    """Return the points for these items; None without any: nobody has graded the answer."""
    return min(max(0.0, sum(item.points for item in chosen)), most) if chosen else None


def _give(grade: Any, points: float | None) -> None:
    grade.manual_score = points
    grade.needs_manual_grade = points is None and grade.auto_score is None


def _grades(
    session: Session, assignment: str, question: str, students: Iterable[str]
) -> Iterable[tuple[Any, float, str]]:
    """Return the grades of these students for a question, with its most points and the student."""
    grade: Any = Grade
    handed: Any = SubmittedAssignment
    of_class: Any = Assignment
    query = (
        select(grade, GradeCell.max_score, handed.student_id)
        .join(GradeCell, GradeCell.id == grade.cell_id)
        .join(SubmittedNotebook, SubmittedNotebook.id == grade.notebook_id)
        .join(handed, handed.id == SubmittedNotebook.assignment_id)
        .join(Assignment, Assignment.id == handed.assignment_id)
        .where(of_class.name == assignment, GradeCell.name == question, handed.student_id.in_(list(students)))
    )
    return [(row[0], row[1], row[2]) for row in session.execute(query)]
