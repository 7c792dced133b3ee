"""Gives submissions to the judges one by one, and records each outcome as it arrives."""

import sys
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from autograder.assignment import Template, template
from autograder.files import atomic_write, is_full
from autograder.grade import cache, summary
from autograder.grade.cache import Records
from autograder.gradebook.store.gradebook import ClassGradebook, NoGradebook
from autograder.interrupts import interrupts_wait
from autograder.judge.assess import Outcome, Task
from autograder.submissions.files import Submission
from autograder.submissions.notebook import Unreadable
from autograder.submissions.parse_untrusted import LARGEST_KEPT

STARVED = "this machine was too busy to finish it in time: the next run grades it again"


class Judges(Protocol):
    """The judging processes, of this machine or of many."""

    def outcomes(self, tasks: Iterable[tuple[int, Task]]) -> Iterator[tuple[int, Outcome]]:
        """Yield (number, outcome) of each task in the order in which they finish."""
        ...


@dataclass
class Grader:
    """Gives tasks to the judges and records their outcomes; the only object that opens the gradebook."""

    root: Path
    out: Path
    book: ClassGradebook
    forms: dict[str, Template] = field(default_factory=dict)
    keys: dict[int, tuple[str, str]] = field(default_factory=dict)  # of a submission, and of the student's first

    def __post_init__(self) -> None:
        self.records = Records(self.out, self.book.mode, summary.row)

    def mark(self, submissions: list[Submission], judges: Judges) -> Iterator[tuple[Submission, dict[str, Any]]]:
        """Grade submissions; yield each with its line, once gradebook, page and record are written."""
        for name in dict.fromkeys(submission.assignment for submission in submissions):
            self.forms[name] = template(name)
            self.book.register(self.forms[name])
        with interrupts_wait():
            self.book.exporter.prepare(next(iter(self.forms.values())).notebook)  # the judges are still starting
        for number, outcome in judges.outcomes(self._tasks(submissions)):
            with interrupts_wait():  # until the caller has counted it
                yield submissions[number], self._record(number, submissions[number], outcome)

    def _tasks(self, submissions: list[Submission]) -> Iterator[tuple[int, Task]]:
        for number, submission in enumerate(submissions):
            content, reason = None, ""
            try:
                content = submission.content()
                self._keep(submission, content if len(content) <= LARGEST_KEPT else None)
            except Unreadable as error:
                reason = str(error)
                self._keep(submission, None)
            first = self.records.first(submission, content or b"")
            is_first = first == cache.content_digest(content or b"")  # when it is graded again, too
            self.keys[number] = cache.digest_of(submission, content, reason), first
            yield number, Task(submission.student, submission.assignment, content, reason, submission.notice, is_first)

    def _keep(self, submission: Submission, content: bytes | None) -> None:
        """Copy a submission into DIR/submitted, for nbgrader's commands; without content, remove it."""
        folder = self.out / "submitted" / submission.student / submission.assignment
        if (self.out / "submitted").resolve() == self.root.resolve():
            return
        if content is None:
            (folder / f"{submission.assignment}.ipynb").unlink(missing_ok=True)
            return
        atomic_write(folder / f"{submission.assignment}.ipynb", content, self.book.mode)
        for name in ("timestamp.txt", "submission_secret.txt"):
            if submission.read_beside is None:
                continue
            try:
                atomic_write(folder / name, submission.read_beside(name), self.book.mode)
            except Unreadable:
                (folder / name).unlink(missing_ok=True)

    def _record(self, number: int, submission: Submission, outcome: Outcome) -> dict[str, Any]:
        notes = [*submission.notes, *outcome.line.get("notes", [])]
        about = {"student": submission.student, "file": submission.file, "notes": notes}
        line, (key, first) = outcome.line | about, self.keys.pop(number)
        if outcome.starved:  # points may be lost by that: this record fits no file, so that the next run grades anew
            key, line["starved"], line["flags"] = "", True, [*line["flags"], STARVED]
        try:
            if outcome.kept is not None:
                self._keep(submission, outcome.kept)
            self.book.record(submission.student, self.forms[submission.assignment], outcome, submission.timestamp())
            if not line.get("failed"):
                self.records.keep(submission, key, line, first)
        except NoGradebook:
            raise
        except Exception as error:  # the grader's own fault must not cost the others their grades
            if is_full(error):
                raise
            traceback.print_exc(file=sys.stderr)
            reason = f"the grader failed to record it ({type(error).__name__}): please tell its maintainers"
            return line | {"failed": True, "error": reason}
        return line
