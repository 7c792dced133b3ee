"""nbgrader's autograde and generate_feedback, as commands and as formgrader's buttons, which work like `grade`.

They replace nbgrader's converters, which would run the notebook again and read paths line by line.
"""

import fnmatch
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbgrader import converters
from nbgrader.converters.base import BaseConverter, NbGraderException
from traitlets import Float, Unicode
from traitlets.config import Configurable

from autograder import course
from autograder.assignment import OWN, Template, demand, template
from autograder.gradebook.class_files import read_if_there
from autograder.gradebook.store.gradebook import ClassGradebook, NoGradebook
from autograder.sandbox import sandbox
from autograder.sandbox.sandbox import NoSandbox
from autograder.submissions.notebook import Unreadable

if TYPE_CHECKING:  # they import torch
    from autograder.judge.assess import Outcome, Task


class Submission(Configurable):
    """The settings for judging submissions, which are options of `grade`."""

    secret = Unicode("", help="The course's secret, as `grade --secret FILE`.").tag(config=True)
    check_seconds = Float(10.0, help="Seconds to compute for one check or cell, as `grade --check-seconds S`.").tag(
        config=True
    )
    notebook_seconds = Float(60.0, help="Seconds for a student's own cells, as `grade --notebook-seconds S`.").tag(
        config=True
    )

    def judged(self, task: "Task") -> "Outcome":
        """Return the outcome of a submission, judged in the sandbox; raise RuntimeError where the grader failed."""
        from autograder.judge import seed
        from autograder.judge.process import JudgeSettings, judged

        drawn = seed.load(Path(self.secret) if self.secret else None)
        settings = JudgeSettings(drawn, self.check_seconds, self.notebook_seconds)
        outcome = judged(settings, task)  # one judge for the process
        if outcome.starved:
            outcome = judged(settings, task)
        if outcome.line.get("failed"):
            raise RuntimeError(outcome.line["error"])
        return outcome


class _ForEach(BaseConverter):
    """A converter that takes one student after the other, whatever their names are."""

    coursedir: Any

    def start(self) -> None:
        """Convert every submission; raise NbGraderException at the end if one of them failed."""
        warnings.filterwarnings("ignore", module="nbgrader")  # with SQLAlchemy 2, six about its own code a student
        book = ClassGradebook(Path(self.coursedir.root))
        try:
            demand([self.coursedir.assignment_id])
            form = template(self.coursedir.assignment_id)
            failed = [name for name in self._students(form.assignment) if not self._is_converted(book, form, name)]
        except (NoSandbox, NoGradebook, FileNotFoundError, ValueError) as error:
            self.log.error(str(error))
            raise NbGraderException(str(error)) from None
        finally:
            book.close()
        if failed:
            raise NbGraderException(f"It failed for {', '.join(map(repr, failed))}: see above.")

    def _is_converted(self, book: ClassGradebook, form: Template, student: str) -> bool:
        try:
            self.convert(book, form, student)
        except (NoGradebook, NoSandbox):
            raise
        except Exception:
            self.log.exception(f"{form.assignment} of {student!r} failed")
            return False
        return True

    def convert(self, book: ClassGradebook, form: Template, student: str) -> None:
        """Convert one student's submission."""
        raise NotImplementedError

    def _students(self, name: str) -> list[str]:
        """Return the chosen students by the names of their folders, taking "[" as a letter and not as a pattern."""
        wanted = self.coursedir.student_id or "*"
        everybody = Path(self._format_source(name, "*")).parents[1]
        folders = sorted(path.parent.name for path in everybody.glob(f"*/{name}") if path.is_dir())
        excluded = self.coursedir.student_id_exclude.split(",")
        chosen = [wanted] if wanted in folders else fnmatch.filter(folders, wanted)
        if not chosen:
            raise ValueError(f"No '{name}' by '{wanted}': expected {everybody}/STUDENT/{name}/{name}.ipynb.")
        return [student for student in chosen if student not in excluded]


class Autograding(_ForEach, converters.Autograde):  # pyright: ignore[reportIncompatibleMethodOverride]
    """nbgrader's Autograde: it judges and records the submissions in `submitted`."""

    def convert(self, book: ClassGradebook, form: Template, student: str) -> None:
        """Judge a submission without a grade, or newer than its grade; with --force, any."""
        from autograder.judge.assess import Task

        sandbox.require()
        book.register(form)
        place = Path(self._format_source(form.assignment, student))
        graded = book.files.autograded(student, form.assignment)
        stamp = course.read_timestamp(place)
        now, then = course.parse_timestamp(stamp or b""), course.timestamp(graded.parent)
        if graded.exists() and not self.force and not (now and then and now > then):
            self.log.info(f"Graded already: {graded}")
            return
        before = read_if_there(graded)
        notice = before.metadata.get(OWN, {}).get("notice", "") if before else ""
        try:
            task = Task(student, form.assignment, course.content(place / f"{form.assignment}.ipynb"), notice=notice)
        except Unreadable as error:
            task = Task(student, form.assignment, None, str(error))
        book.record(student, form, Submission(config=self.config).judged(task), stamp)


class Feedback(_ForEach, converters.GenerateFeedback):  # pyright: ignore[reportIncompatibleMethodOverride]
    """nbgrader's GenerateFeedback: it writes each page again from the gradebook."""

    def convert(self, book: ClassGradebook, form: Template, student: str) -> None:
        """Write a student's page."""
        book.feedback(student, form)
