"""nbgrader's gradebook, the system of record: one submission's way into it, and the files that go with it.

It ends as nbgrader's own `autograde` ends, in one transaction instead of nine sessions, and without converting twice a
notebook that was put in order and judged before it came here.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry, SubmittedNotebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import SaveCells
from sqlalchemy.exc import DataError, IntegrityError, StatementError
from sqlalchemy.orm import Session
from sqlalchemy.orm.exc import StaleDataError

from autograder.assignment import Template
from autograder.course import parse_timestamp
from autograder.files import PRIVATE, SHARED, SHARED_FOLDER, atomic_write, tighten
from autograder.gradebook import cells, lateness, query
from autograder.gradebook.config import settings
from autograder.gradebook.database import NoGradebook, named, one_line_errors, opened, quiet
from autograder.gradebook.feedback import Pages
from autograder.gradebook.rows import AssignmentRows, Entries

if TYPE_CHECKING:  # it imports torch, which nobody needs who only writes down what was judged
    from autograder.judge.result import Outcome

__all__ = ["ClassGradebook", "NoGradebook", "NotRecorded", "quiet"]

READ_ONLY = 0o400
FOLDERS = ("autograded", "feedback", "records")  # hold grades, and are the grader's own
LOG = logging.getLogger("autograder")


class NotRecorded(RuntimeError):
    """The gradebook could not take one submission; the message says why. It can take the others."""


@dataclass(frozen=True)
class SubmissionTime:
    """When a submission was handed in, in UTC; `known` without `when`: it is certain that there is no time."""

    known: bool
    when: datetime | None = None


def read(content: bytes) -> NotebookNode:
    """Return a notebook that the judge wrote; it is not validated again."""
    return nbformat.v4.reads(content.decode("utf-8"))


class ClassGradebook:
    """The gradebook of one class in one folder."""

    def __init__(self, out: Path, db_url: str | None = None) -> None:
        self.out = out.resolve()
        with quiet():
            self.config = settings(self.out, db_url)
            self.folders = CourseDirectory(config=self.config)
        self.db_url = self.folders.db_url
        self.mode = SHARED if self.folders.groupshared else PRIVATE
        for name in FOLDERS:  # as earlier versions left them, everybody could read what lies in them
            tighten(self.out / name, self.mode)
        self._rows_by_assignment: dict[str, AssignmentRows] = {}

    @cached_property
    def gradebook(self) -> Gradebook:
        return opened(self.db_url, self.folders.course_id, self.mode)

    @property
    def session(self) -> Session:
        return self.gradebook.db()

    @cached_property
    def entries(self) -> Entries:
        return Entries(self.config)

    @cached_property
    def pages(self) -> Pages:
        return Pages(self.config, self.folders)

    def close(self) -> None:
        """Close the database."""
        if "gradebook" in self.__dict__:
            self.gradebook.close()
            del self.__dict__["gradebook"]

    def register(self, template: Template) -> None:
        """Enter an assignment and its graded cells; existing grades follow what has changed. Raise NoGradebook."""
        name = template.assignment
        with quiet(), one_line_errors(self.db_url):
            rows = self._find(name)
            if rows is None or not rows.holds(template):
                self.gradebook.update_or_create_assignment(name)
                about = {"notebook": name, "assignment": name, "db_url": self.db_url}
                if rows is not None:
                    self._change(template)
                SaveCells().preprocess(template.notebook, ResourcesDict(nbgrader=about))
                self.gradebook.db.remove()
                self._rows_by_assignment.pop(name, None)

    def _change(self, template: Template) -> None:
        """Add and remove cells where somebody has handed in: nbgrader itself refuses that."""
        archive = self.out / "removed" / f"{template.assignment}.json"
        cells.change(self.session, template, archive, self.mode, lambda gone: self._forget(template.assignment, gone))
        self.gradebook.db.remove()

    def _forget(self, name: str, gone: set[str]) -> None:
        """Make the cells of removed exercises ordinary ones in graded notebooks: nbgrader would expect their grades."""
        if not gone:
            return
        LOG.warning(
            f"{name}: no longer graded: {', '.join(sorted(gone))}. Points and comments by hand are kept in "
            f"{self.out / 'removed' / f'{name}.json'}, and count again when the exercise is back."
        )
        everybody = Path(self.folders.format_path(self.folders.autograded_directory, "*", name)).parents[1]
        for folder in sorted(everybody.iterdir()) if everybody.is_dir() else []:
            path = folder / name / f"{name}.ipynb"
            if path.is_file():
                notebook = cells.unmarked(read(path.read_bytes()), gone)
                self._write(path, nbformat.writes(notebook).encode("utf-8") + b"\n", READ_ONLY)

    def _find(self, name: str) -> AssignmentRows | None:
        """Return the rows of an assignment in the gradebook, None if it has none."""
        if name not in self._rows_by_assignment:
            try:
                self._rows_by_assignment[name] = AssignmentRows.of(self.gradebook.find_notebook(name, name))
            except MissingEntry:
                return None
            finally:
                self.gradebook.db.remove()
        return self._rows_by_assignment[name]

    def _rows(self, name: str) -> AssignmentRows:
        rows = self._find(name)
        if rows is None:
            raise NotRecorded(f"The gradebook {named(self.db_url)} has no assignment '{name}'.")
        return rows

    def record(self, student: str, template: Template, outcome: "Outcome", timestamp: bytes | None = None) -> None:
        """Enter one judged submission and write its files; repeating it is harmless, and completes what a kill cut off.

        `timestamp` is the content of timestamp.txt; b"": there is none; None: the gradebook's time stays. Raise
        NotRecorded for this submission, NoGradebook for all.
        """
        if student in ("", ".", "..") or "/" in student or "\0" in student:
            raise NotRecorded(f"'{student}' is no name of a student: it must be one that a folder can have.")
        with self._transaction(student, template.assignment), quiet():
            notebook = read(outcome.notebook)
            submitted = self._submission_time(student, template, timestamp)
            # What was handed in stays as it was: nbgrader's own autograde judges it anew.
            self._write_autograded(student, template, outcome.notebook, submitted)
            self._enter(student, template, notebook, submitted)
            self._write_page(student, template.assignment, notebook)

    def feedback(self, student: str, template: Template) -> None:
        """Write a feedback page again, after grades were given by hand."""
        path = self._path(self.folders.autograded_directory, student, template.assignment)
        if not path.exists():
            raise NotRecorded(f"No {path}: {template.assignment} of {student} has not been graded.")
        with self._transaction(student, template.assignment), quiet():
            self._write_page(student, template.assignment, read(path.read_bytes()))

    def _enter(self, student: str, template: Template, notebook: NotebookNode, submitted: SubmissionTime) -> None:
        when = {"timestamp": submitted.when} if submitted.known else {}
        for last in (False, True):
            rows, session = self._rows(template.assignment), self.session
            try:
                self.entries.enter(session, rows, student, notebook, **when)
                session.commit()
                return
            except (IntegrityError, StaleDataError):  # another program entered or removed the same rows
                session.rollback()
                self._rows_by_assignment.pop(template.assignment, None)
                if last:
                    raise

    def due(self, dates: dict[str, datetime | None]) -> None:
        """Set the due dates of assignments, in UTC; None removes a date."""
        with quiet(), one_line_errors(self.db_url):
            for name, date in dates.items():
                set_to: Any = date
                self.gradebook.update_or_create_assignment(name, duedate=set_to)
            if dates:
                self.gradebook.db.remove()

    def penalise(self, names: list[str]) -> lateness.Revised:
        """Compute the late penalties of these assignments again, and write the pages that change."""
        revised, penalties = lateness.Revised(), self.entries.penalties
        with quiet(), one_line_errors(self.db_url):
            submissions = query.submissions(self.session, names)
            self.gradebook.db.remove()
        for each in submissions:
            try:
                with quiet():
                    penalty = penalties.of(each.student, each.score, each.seconds_late)
                if not lateness.same_penalty(each.penalty, penalty):
                    self._set_penalty(each, penalty)
                    revised.changed += 1
                revised.unpunished += bool(each.seconds_late and penalties.is_unset)
            except NoGradebook:
                raise
            except Exception as error:  # the rule is the teacher's: whatever it raises
                reason = f"{penalties.name} failed ({type(error).__name__}: {error})"
                revised.failed.append(
                    f"The late penalty of {each.assignment} of {each.student!r} stays as it is: {reason}."
                )
        return revised

    def _set_penalty(self, each: query.Submission, penalty: float | None) -> None:
        """Set a penalty; the page is written before the commit, so that the next run repairs what a kill leaves."""
        path = self._path(self.folders.autograded_directory, each.student, each.assignment)
        with self._transaction(each.student, each.assignment), quiet():
            self._rows(each.assignment)  # looked up before anything is changed: it begins a session of its own
            row: Any = self.session.get(SubmittedNotebook, each.id)
            row.late_submission_penalty = penalty
            self.session.flush()
            if path.exists():
                self._write_page(each.student, each.assignment, read(path.read_bytes()))
            self.session.commit()

    def _write_page(self, student: str, name: str, notebook: NotebookNode) -> None:
        rows = self._rows(name)
        marks_of_submission = query.marks(self.session, rows, student)
        if marks_of_submission is None:
            raise NotRecorded(f"{name} of {student} is not in the gradebook {named(self.db_url)}.")
        page = self.pages.page(notebook, name, rows, marks_of_submission)
        path = self._path(self.folders.feedback_directory, student, name).with_suffix(".html")
        self._write(path, page.encode("utf-8"), PRIVATE)

    def _write_autograded(self, student: str, template: Template, notebook: bytes, submitted: SubmissionTime) -> None:
        """Write the notebook where nbgrader's commands expect it, and its timestamp.txt."""
        path = self._path(self.folders.autograded_directory, student, template.assignment)
        timestamp_file = path.with_name("timestamp.txt")
        if submitted.when:
            self._write(timestamp_file, f"{submitted.when.isoformat(sep=' ')} UTC".encode(), READ_ONLY)
        elif submitted.known:
            timestamp_file.unlink(missing_ok=True)
        self._write(path, notebook.rstrip() + b"\n", READ_ONLY)

    def _write(self, path: Path, content: bytes, mode: int) -> None:
        atomic_write(path, content, SHARED if self.mode == SHARED else mode)
        if self.mode == SHARED:
            path.parent.chmod(path.parent.stat().st_mode | SHARED_FOLDER)

    def _path(self, step: str, student: str, name: str) -> Path:
        return Path(self.folders.format_path(step, student, name)) / f"{name}.ipynb"

    def _submission_time(self, student: str, template: Template, timestamp: bytes | None) -> SubmissionTime:
        if timestamp is None:
            return SubmissionTime(known=False)
        if not timestamp.strip():
            return SubmissionTime(known=True)
        if when := parse_timestamp(timestamp):
            return SubmissionTime(True, when)
        LOG.warning(
            f"The timestamp of {template.assignment} of {student} cannot be read: expected one such as "
            f"'2026-11-21 12:00:00 UTC', got {timestamp[:50]!r}. It is graded as one whose time nobody knows."
        )
        return SubmissionTime(known=True)

    @contextmanager
    def _transaction(self, student: str, name: str) -> Iterator[None]:
        """Run a block on one submission: errors become NotRecorded or NoGradebook, what is not committed is undone."""
        try:
            with one_line_errors(self.db_url):
                yield
        except (DataError, IntegrityError, StatementError, StaleDataError, UnicodeError, OSError) as error:
            message = " ".join(str(getattr(error, "orig", None) or error).split())
            raise NotRecorded(f"The gradebook could not take {name} of {student!r}: {message}") from error
        finally:
            if "gradebook" in self.__dict__:
                self.gradebook.db.remove()
