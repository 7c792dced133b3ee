"""Fixtures that several test files share."""

from tests.sandboxed import built, course_judge, released, session

__all__ = ["built", "course_judge", "released", "session"]
