"""Regrade requests in the gradebook: each is answered once, even if work is graded or handed in again."""

from collections.abc import Iterable
from typing import Any

from nbgrader.api import Base, new_uuid
from sqlalchemy import Column, String, Text, inspect, select
from sqlalchemy.orm import Session

NAME = String(128)


class RegradeRequest(Base):
    """A student's note on the grade of a part, and a person's answer, None as long as it waits."""

    __tablename__ = "regrade_request"
    id: Any = Column(String(32), primary_key=True, default=new_uuid)
    student: Any = Column(NAME, nullable=False)
    assignment: Any = Column(NAME, nullable=False)
    part: Any = Column(NAME, nullable=False)  # a function or a question
    note: Any = Column(Text, nullable=False)
    answer: Any = Column(Text)
    handed_in: Any = Column(NAME, nullable=False)  # the assignment whose notebook held it


def enter(session: Session, student: str, handed_in: str, notes: Iterable[dict[str, str]]) -> None:
    """Enter the requests of a notebook; remove waiting ones that are no longer in it."""
    query = select(RegradeRequest).filter_by(student=student, handed_in=handed_in)
    known = {(row.assignment, row.part, row.note): row for row in session.scalars(query)}
    wanted = {(each["assignment"], each["part"], each["note"]): each for each in notes}
    for key, row in known.items():
        if key not in wanted and row.answer is None:
            session.delete(row)
    for key, each in wanted.items():
        if key not in known:
            session.add(RegradeRequest(student=student, handed_in=handed_in, **each))
    session.flush()


def requests(session: Session, assignment: str | None = None, student: str | None = None) -> list[RegradeRequest]:
    """Return the requests about an assignment, or about all, waiting ones first; [] in a gradebook without any."""
    if not inspect(session.connection()).has_table(RegradeRequest.__tablename__):
        return []
    wanted = {"assignment": assignment, "student": student}
    query = select(RegradeRequest).filter_by(**{name: value for name, value in wanted.items() if value is not None})
    rows = session.scalars(query.order_by(RegradeRequest.student, RegradeRequest.part, RegradeRequest.id))
    return sorted(rows, key=lambda row: row.answer is not None)


def answer(session: Session, assignment: str, student: str, request: str, text: str) -> None:
    """Set the answer to a request, "" to remove it; raise ValueError if the student has no such request."""
    rows = [row for row in requests(session, assignment, student) if row.id == request]
    if not rows:
        raise ValueError(f"{student} has no request {request} about {assignment}")
    rows[0].answer = text.strip() or None
    session.flush()
