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
from autograder.course import moment
from autograder.files import PRIVATE, SHARED, SHARED_FOLDER, atomic_write, tighten
from autograder.gradebook import cells, lateness, query
from autograder.gradebook.config import settings
from autograder.gradebook.database import NoGradebook, named, opened, quiet, speaking
from autograder.gradebook.feedback import Pages
from autograder.gradebook.rows import AssignmentRows, Entries

if TYPE_CHECKING:  # it imports torch, which nobody needs who only writes down what was judged
    from autograder.judge.result import Outcome

__all__ = ["ClassGradebook", "NoGradebook", "NotRecorded", "quiet"]

READ_ONLY = 0o400
FOLDERS = ("autograded", "feedback", "records")  # hold grades, and are the grader's own
LOG = logging.getLogger("autograder")


class NotRecorded(RuntimeError):
    """The gradebook could not take one submission; says why. It can take the others."""


@dataclass(frozen=True)
class SubmissionTime:
    """When a submission was handed in, in UTC: with `known` and without `when`, nobody knows it."""

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
        self._shelves: dict[str, AssignmentRows] = {}

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
        """Let the database go."""
        if "gradebook" in self.__dict__:
            self.gradebook.close()
            del self.__dict__["gradebook"]

    def register(self, form: Template) -> None:
        """Enter an assignment and its graded cells; where grades are there already, they follow what has changed."""
        name = form.assignment
        with quiet(), speaking(self.db_url):
            shelf = self._find(name)
            if shelf is None or not shelf.holds(form):
                self.gradebook.update_or_create_assignment(name)
                about = {"notebook": name, "assignment": name, "db_url": self.db_url}
                if shelf is not None:
                    self._change(form)
                SaveCells().preprocess(form.notebook, ResourcesDict(nbgrader=about))
                self.gradebook.db.remove()
                self._shelves.pop(name, None)

    def _change(self, form: Template) -> None:
        """Add and remove cells where somebody has handed in: nbgrader itself refuses that."""
        archive = self.out / "removed" / f"{form.assignment}.json"
        cells.change(self.session, form, archive, self.mode, lambda gone: self._forget(form.assignment, gone))
        self.gradebook.db.remove()

    def _forget(self, name: str, gone: set[str]) -> None:
        """Make the cells of removed exercises ordinary ones in what was graded: nbgrader looks for their grades."""
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
        """Return where the gradebook keeps an assignment, None if it does not."""
        if name not in self._shelves:
            try:
                self._shelves[name] = AssignmentRows.of(self.gradebook.find_notebook(name, name))
            except MissingEntry:
                return None
            finally:
                self.gradebook.db.remove()
        return self._shelves[name]

    def _shelf(self, name: str) -> AssignmentRows:
        shelf = self._find(name)
        if shelf is None:
            raise NotRecorded(f"The gradebook {named(self.db_url)} has no assignment '{name}'.")
        return shelf

    def record(self, student: str, form: Template, outcome: "Outcome", timestamp: bytes | None = None) -> None:
        """Enter one judged submission and write its files; doing it again does no harm and mends what a kill left.

        `timestamp` says when it was handed in: b"" that nobody knows, None that the gradebook does.
        """
        if student in ("", ".", "..") or "/" in student or "\0" in student:
            raise NotRecorded(f"'{student}' is no name of a student: it must be one that a folder can have.")
        with self._taking(student, form.assignment), quiet():
            notebook = read(outcome.notebook)
            handed = self._handed(student, form, timestamp)
            # What was handed in stays as it was: nbgrader's own autograde judges it anew.
            self._autograded(student, form, outcome.notebook, handed)
            self._enter(student, form, notebook, handed)
            self._page(student, form.assignment, notebook)

    def feedback(self, student: str, form: Template) -> None:
        """Write a feedback page again, after grades were given by hand."""
        path = self._place(self.folders.autograded_directory, student, form.assignment)
        if not path.exists():
            raise NotRecorded(f"No {path}: {form.assignment} of {student} has not been graded.")
        with self._taking(student, form.assignment), quiet():
            self._page(student, form.assignment, read(path.read_bytes()))

    def _enter(self, student: str, form: Template, notebook: NotebookNode, handed: SubmissionTime) -> None:
        when = {"timestamp": handed.when} if handed.known else {}
        for last in (False, True):
            shelf, session = self._shelf(form.assignment), self.session
            try:
                self.entries.enter(session, shelf, student, notebook, **when)
                session.commit()
                return
            except (IntegrityError, StaleDataError):  # another program entered or removed the same rows: look again
                session.rollback()
                self._shelves.pop(form.assignment, None)
                if last:
                    raise

    def due(self, dates: dict[str, datetime | None]) -> None:
        """Set when assignments are due, in UTC; None takes a date away."""
        with quiet(), speaking(self.db_url):
            for name, date in dates.items():
                set_to: Any = date
                self.gradebook.update_or_create_assignment(name, duedate=set_to)
            if dates:
                self.gradebook.db.remove()

    def penalise(self, names: list[str]) -> lateness.Revised:
        """Work out the late penalties of these assignments anew, and write the pages that change by it."""
        revised, penalties = lateness.Revised(), self.entries.penalties
        with quiet(), speaking(self.db_url):
            submissions = query.submissions(self.session, names)
            self.gradebook.db.remove()
        for each in submissions:
            try:
                with quiet():
                    penalty = penalties.of(each.student, each.score, each.seconds_late)
                if not lateness.same_penalty(each.penalty, penalty):
                    self._penalised(each, penalty)
                    revised.changed += 1
                revised.unpunished += bool(each.seconds_late and penalties.is_unset)
            except NoGradebook:
                raise
            except Exception as error:  # the rule is the teacher's: whatever it raises
                told = f"{penalties.name} failed ({type(error).__name__}: {error})"
                revised.failed.append(
                    f"The late penalty of {each.assignment} of {each.student!r} stays as it is: {told}."
                )
        return revised

    def _penalised(self, each: query.Submission, penalty: float | None) -> None:
        """Set a penalty; the page is written first, so that a kill leaves what the next run sees and mends."""
        path = self._place(self.folders.autograded_directory, each.student, each.assignment)
        with self._taking(each.student, each.assignment), quiet():
            self._shelf(each.assignment)  # looked up before anything is changed: it begins a session of its own
            row: Any = self.session.get(SubmittedNotebook, each.id)
            row.late_submission_penalty = penalty
            self.session.flush()
            if path.exists():
                self._page(each.student, each.assignment, read(path.read_bytes()))
            self.session.commit()

    def _page(self, student: str, name: str, notebook: NotebookNode) -> None:
        shelf = self._shelf(name)
        found = query.marks(self.session, shelf, student)
        if found is None:
            raise NotRecorded(f"{name} of {student} is not in the gradebook {named(self.db_url)}.")
        page = self.pages.page(notebook, name, shelf, found)
        path = self._place(self.folders.feedback_directory, student, name).with_suffix(".html")
        self._write(path, page.encode("utf-8"), PRIVATE)

    def _autograded(self, student: str, form: Template, notebook: bytes, handed: SubmissionTime) -> None:
        """Write the notebook where nbgrader's commands look for it, and beside it when it was handed in."""
        path = self._place(self.folders.autograded_directory, student, form.assignment)
        beside = path.with_name("timestamp.txt")
        if handed.when:
            self._write(beside, f"{handed.when.isoformat(sep=' ')} UTC".encode(), READ_ONLY)
        elif handed.known:
            beside.unlink(missing_ok=True)
        self._write(path, notebook.rstrip() + b"\n", READ_ONLY)

    def _write(self, path: Path, content: bytes, mode: int) -> None:
        atomic_write(path, content, SHARED if self.mode == SHARED else mode)
        if self.mode == SHARED:
            path.parent.chmod(path.parent.stat().st_mode | SHARED_FOLDER)

    def _place(self, step: str, student: str, name: str) -> Path:
        return Path(self.folders.format_path(step, student, name)) / f"{name}.ipynb"

    def _handed(self, student: str, form: Template, timestamp: bytes | None) -> SubmissionTime:
        if timestamp is None:
            return SubmissionTime(known=False)
        if not timestamp.strip():
            return SubmissionTime(known=True)
        if when := moment(timestamp):
            return SubmissionTime(True, when)
        LOG.warning(
            f"The timestamp of {form.assignment} of {student} cannot be read: expected one such as "
            f"'2026-11-21 12:00:00 UTC', got {timestamp[:50]!r}. It is graded as one whose time nobody knows."
        )
        return SubmissionTime(known=True)

    @contextmanager
    def _taking(self, student: str, name: str) -> Iterator[None]:
        """Take the gradebook for one submission; leave nothing half done in the session, whatever happens."""
        try:
            with speaking(self.db_url):
                yield
        except (DataError, IntegrityError, StatementError, StaleDataError, UnicodeError, OSError) as error:
            said = " ".join(str(getattr(error, "orig", None) or error).split())
            raise NotRecorded(f"The gradebook could not take {name} of {student!r}: {said}") from error
        finally:
            if "gradebook" in self.__dict__:
                self.gradebook.db.remove()
