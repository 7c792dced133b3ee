"""Fixtures that several test files share."""

from tests.sandboxed import built, session

__all__ = ["built", "session"]
