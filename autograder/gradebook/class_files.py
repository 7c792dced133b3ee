"""The notebooks and pages beside a gradebook, where nbgrader's commands expect them."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory

from autograder.course import parse_timestamp
from autograder.files import PRIVATE, SHARED, SHARED_FOLDER, atomic_write, prepared

READ_ONLY = 0o400
LOG = logging.getLogger("autograder")


def submission_time(student: str, name: str, timestamp: bytes | None) -> dict[str, datetime | None]:
    """Return {"timestamp": the time in timestamp.txt, in UTC, or None if it holds none}; {} without the file."""
    if timestamp is None:
        return {}
    when = parse_timestamp(timestamp)
    if when or not timestamp.strip():
        return {"timestamp": when}
    LOG.warning(
        f"The timestamp of {name} of {student} cannot be read: expected one such as "
        f"'2026-11-21 12:00:00 UTC', got {timestamp[:50]!r}. It is graded as if its time were unknown."
    )
    return {"timestamp": None}


def read(content: bytes) -> NotebookNode:
    """Return a notebook written by the judge, without validating it again."""
    return nbformat.v4.reads(content.decode("utf-8"))


def read_if_there(path: Path) -> NotebookNode | None:
    """Return an earlier graded notebook, None if there is none, or none that can be read."""
    try:
        return read(path.read_bytes())
    except (OSError, ValueError):
        return None


class ClassFiles:
    """The graded notebooks and feedback pages of one class, readable by the teacher alone or by the teacher's group."""

    def __init__(self, folders: CourseDirectory) -> None:
        self.folders = folders
        self.mode = SHARED if folders.groupshared else PRIVATE

    def autograded(self, student: str, name: str) -> Path:
        return Path(self.folders.format_path(self.folders.autograded_directory, student, name)) / f"{name}.ipynb"

    @contextmanager
    def prepared(
        self, student: str, name: str, notebook: bytes, submitted: dict[str, datetime | None]
    ) -> Iterator[None]:
        """Write timestamp.txt, and at the end of the block the notebook, where nbgrader's commands expect it."""
        path = self.autograded(student, name)
        timestamp_file = path.with_name("timestamp.txt")
        if when := submitted.get("timestamp"):
            self._write(timestamp_file, f"{when.isoformat(sep=' ')} UTC".encode(), READ_ONLY)
        elif submitted:
            timestamp_file.unlink(missing_ok=True)
        with prepared(path, notebook.rstrip() + b"\n", self._mode(READ_ONLY)):
            self._share(path)
            yield

    def page(self, student: str, name: str) -> Path:
        return Path(self.folders.format_path(self.folders.feedback_directory, student, name)) / f"{name}.html"

    def write_page(self, student: str, name: str, page: str) -> None:
        """Write the feedback page, and beside it the time of the hand-in, as nbgrader does."""
        path = self.page(student, name)
        timestamp_file = self.autograded(student, name).with_name("timestamp.txt")
        if timestamp_file.is_file():
            self._write(path.with_name("timestamp.txt"), timestamp_file.read_bytes(), PRIVATE)
        else:
            path.with_name("timestamp.txt").unlink(missing_ok=True)
        self._write(path, page.encode("utf-8"), PRIVATE)

    def _write(self, path: Path, content: bytes, mode: int) -> None:
        atomic_write(path, content, self._mode(mode))
        self._share(path)

    def _mode(self, mode: int) -> int:
        return SHARED if self.mode == SHARED else mode

    def _share(self, path: Path) -> None:
        if self.mode == SHARED:
            path.parent.chmod(path.parent.stat().st_mode | SHARED_FOLDER)
