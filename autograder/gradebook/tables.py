"""Our tables in nbgrader's database: it makes them with its own. All is by name, and so outlasts rows that it replaces.

A row of nbgrader's is another one after its cell was removed and came back, or its student's work was removed.
"""

from typing import Any

from nbgrader.api import Base, new_uuid
from sqlalchemy import Column, Float, Integer, String, Text

NAME = String(128)


class RubricItem(Base):
    """What a marker looks for in the answers to a question; without text it was removed."""

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
    """A student whose answer has an item."""

    __tablename__ = "rubric_mark"
    item_id: Any = Column(String(32), primary_key=True)
    student: Any = Column(NAME, primary_key=True)


class RegradeRequest(Base):
    """A student's note on how a part was graded, and a person's answer, None where it waits."""

    __tablename__ = "regrade_request"
    id: Any = Column(String(32), primary_key=True, default=new_uuid)
    student: Any = Column(NAME, nullable=False)
    assignment: Any = Column(NAME, nullable=False)
    part: Any = Column(NAME, nullable=False)  # a function or a question
    note: Any = Column(Text, nullable=False)
    answer: Any = Column(Text)
    handed_in: Any = Column(NAME, nullable=False)  # the assignment whose notebook held it
