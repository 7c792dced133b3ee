"""nbgrader's gradebook, the system of record: one submission's way into it, and the files that go with it.

It has the same result as nbgrader's `autograde`, in one transaction instead of nine sessions, and without converting
the judged notebook twice.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry, SubmittedNotebook
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import DataError, IntegrityError, StatementError
from sqlalchemy.orm import Session
from sqlalchemy.orm.exc import StaleDataError

from autograder.assignment import Template
from autograder.gradebook import class_files
from autograder.gradebook.by_hand import regrade, rubric
from autograder.gradebook.class_files import LOG, ClassFiles, read, submission_time
from autograder.gradebook.config import settings
from autograder.gradebook.pages import feedback
from autograder.gradebook.pages.html import Page
from autograder.gradebook.people import extensions, lateness, roster
from autograder.gradebook.store import cells, query, rows
from autograder.gradebook.store.database import NoGradebook, named, one_line_errors, opened, quiet
from autograder.gradebook.store.rows import AssignmentRows

if TYPE_CHECKING:  # it imports torch, which recording does not need
    from autograder.judge.assess import Outcome

__all__ = ["ClassGradebook", "NoGradebook", "NotRecorded", "quiet"]


class NotRecorded(RuntimeError):
    """The gradebook could not record one submission; the message says why. It can record the others."""


class ClassGradebook:
    """The gradebook of one class in one folder."""

    def __init__(self, out: Path, db_url: str | None = None) -> None:
        self.out = out.resolve()
        with quiet():
            self.config = settings(self.out, db_url)
            self.folders = CourseDirectory(config=self.config)
        self.db_url = self.folders.db_url
        self.files = ClassFiles(self.folders)
        self._rows_by_assignment: dict[str, AssignmentRows] = {}

    @property
    def mode(self) -> int:
        """The permissions of files with grades."""
        return self.files.mode

    @cached_property
    def gradebook(self) -> Gradebook:
        return opened(self.db_url, self.folders.course_id, self.mode)

    @property
    def session(self) -> Session:
        return self.gradebook.db()

    @cached_property
    def penalties(self) -> lateness.Penalties:
        return lateness.Penalties(self.config)

    @cached_property
    def exporter(self) -> Page:
        return Page(config=self.config)

    def close(self) -> None:
        """Close the database."""
        if "gradebook" in self.__dict__:
            self.gradebook.close()
            del self.__dict__["gradebook"]

    def register(self, template: Template) -> None:
        """Enter an assignment and its graded cells; existing grades follow changes of the cells. Raise NoGradebook."""
        name = template.assignment
        with self._database():
            try:
                is_current = cells.has_cells_of(self.gradebook.find_notebook(name, name), template)
            except MissingEntry:
                is_current = False
            if not is_current:
                self.gradebook.update_or_create_assignment(name)
                archive = self.out / "removed" / f"{name}.json"
                if gone := cells.save(self.session, template, archive, self.files.mode):
                    LOG.warning(
                        f"{name}: no longer graded: {', '.join(gone)}. Points and comments by hand are kept in "
                        f"{archive}, and count again when the exercise is back."
                    )
                self._rows_by_assignment.pop(name, None)
            rubric.seed(self.session, name, rubric.of_course(name))
            self.session.commit()

    def _rows(self, name: str) -> AssignmentRows:
        if name not in self._rows_by_assignment:
            try:
                self._rows_by_assignment[name] = AssignmentRows.of(self.gradebook.find_notebook(name, name))
            except MissingEntry:
                raise NotRecorded(f"The gradebook {named(self.db_url)} has no assignment '{name}'.") from None
        return self._rows_by_assignment[name]

    def record(self, student: str, template: Template, outcome: "Outcome", timestamp: bytes | None = None) -> None:
        """Enter one judged submission and write its files; a repetition is harmless, and completes a killed run's work.

        `timestamp` is the content of timestamp.txt; b"": there is none; None: the gradebook's time stays. Raise
        NotRecorded for this submission, NoGradebook for all.
        """
        if student in ("", ".", "..") or "/" in student or "\0" in student:
            raise NotRecorded(f"'{student}' cannot be a student's name: expected a name that a folder can have.")
        with self._transaction(student, template.assignment):
            notebook = read(outcome.notebook)
            submitted = submission_time(student, template.assignment, timestamp)
            # The submission stays as it was: nbgrader's own autograde judges it anew. The graded notebook takes its
            # place once the gradebook, which compares with the one before, is written: a kill in between repeats that.
            before = class_files.read_if_there(self.files.autograded(student, template.assignment))
            session, assignment_rows = self.session, self._rows(template.assignment)
            with self.files.prepared(student, template.assignment, outcome.notebook, submitted):
                rows.enter(session, assignment_rows, self.penalties, student, notebook, before, **submitted)
                if not outcome.line["error"]:  # requests in a file that cannot be read are unknown
                    regrade.enter(session, student, template.assignment, outcome.line.get("requests", []))
                session.commit()
            self._write_page(student, template.assignment, notebook)

    def feedback(self, student: str, template: Template) -> None:
        """Write a feedback page again, after grades were given by hand."""
        path = self.files.autograded(student, template.assignment)
        if not path.exists():
            raise NotRecorded(f"No {path}: {template.assignment} of {student} has not been graded.")
        with self._transaction(student, template.assignment):
            self._write_page(student, template.assignment, read(path.read_bytes()))

    def due(self, dates: dict[str, datetime | None], zones: dict[str, str]) -> None:
        """Set the due dates of assignments, in UTC, and their time zones; None removes a date."""
        lateness.keep_zones(self.out, zones, self.mode)
        with self._database():
            for name, date in dates.items():
                set_to: Any = date
                self.gradebook.update_or_create_assignment(name, duedate=set_to)

    def handed_in(self, times: dict[tuple[str, str], datetime | None]) -> None:
        """Set the times of submissions, by assignment and student, in UTC; None: unknown. Others stay as they are."""
        with self._database():
            for (name, student), time in times.items():
                with suppress(MissingEntry):  # its grading failed, which is reported
                    submission: Any = self.gradebook.find_submission(name, student)
                    submission.timestamp = time
            self.session.commit()

    def name_students(self, people: dict[str, roster.Person]) -> None:
        """Set the students' names in the gradebook, which formgrader shows."""
        with self._database():
            student: Any  # as declared, nbgrader's columns are of types that are too wide
            for student in self.gradebook.students:
                if person := people.get(student.id):
                    student.first_name, student.last_name, student.email = person.first, person.last, person.email
            self.session.commit()

    def penalise(self, names: list[str]) -> lateness.Revised:
        """Compute the late penalties of these assignments again, and write the changed pages."""
        revised, penalties = lateness.Revised(), self.penalties
        with self._database():
            extensions.enter_extensions(self.gradebook, self.out, names)
            submissions = query.submissions(self.session, penalties.zones, names)
        for each in submissions:
            try:
                with quiet():
                    penalty = penalties.of(each.student, each.score, each.seconds_late)
                if not lateness.is_same_number(each.penalty, penalty):
                    self._set_penalty(each, penalty)
                    revised.changed += 1
                revised.undated[each.assignment] += each.is_undated
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
        """Set a penalty; the page is written before the commit, so that the next run repairs the state after a kill."""
        path = self.files.autograded(each.student, each.assignment)
        with self._transaction(each.student, each.assignment):
            row: Any = self.session.get(SubmittedNotebook, each.id)
            row.late_submission_penalty = penalty
            self.session.flush()
            if path.exists():
                self._write_page(each.student, each.assignment, read(path.read_bytes()))
            self.session.commit()

    def _write_page(self, student: str, name: str, notebook: NotebookNode) -> None:
        page = feedback.page(self.exporter, self.session, self._rows(name), student, name, notebook)
        if page is None:
            raise NotRecorded(f"{name} of {student} is not in the gradebook {named(self.db_url)}.")
        self.files.write_page(student, name, page)

    @contextmanager
    def _database(self) -> Iterator[None]:
        """Run a block on the database: its errors become NoGradebook, uncommitted changes are undone."""
        try:
            with quiet(), one_line_errors(self.db_url):
                yield
        finally:
            if "gradebook" in self.__dict__:
                self.gradebook.db.remove()

    @contextmanager
    def _transaction(self, student: str, name: str) -> Iterator[None]:
        """Run a block on one submission: errors about it alone become NotRecorded."""
        try:
            with self._database():
                yield
        except (DataError, IntegrityError, StatementError, StaleDataError, UnicodeError, OSError) as error:
            message = " ".join(str(getattr(error, "orig", None) or error).split())
            raise NotRecorded(f"The gradebook could not take {name} of {student!r}: {message}") from error
