"""Fixtures that several test files share."""

from tests.classes import graded, run
from tests.sandboxed import built, course_judge, released, session

__all__ = ["built", "course_judge", "graded", "released", "run", "session"]
