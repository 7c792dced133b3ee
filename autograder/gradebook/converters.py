"""nbgrader's own autograde, as command and as formgrader's button: judged in the sandbox, exactly as `grade` does."""

import fnmatch
import os
import warnings
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader import converters
from nbgrader.api import Gradebook
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.preprocessors import GetGrades, SaveAutoGrades
from traitlets import Float, Unicode, default

from autograder import course
from autograder.assignment import OWN, grade_id
from autograder.gradebook.class_files import read_if_there
from autograder.gradebook.query import regrade_requests, rubric_items
from autograder.gradebook.rows import answers_of, set_score
from autograder.submissions.notebook import Unreadable, read_below


class Submission(NotebookExporter):
    """Reads a submission as bytes, whatever they are, and returns the judged notebook."""

    secret = Unicode("", help="The course's secret, as `grade --secret FILE`.").tag(config=True)
    check_seconds = Float(10.0, help="To compute for one check or cell, as `grade --check-seconds S`.").tag(config=True)
    notebook_seconds = Float(60.0, help="For the cells that a student added, as `grade --notebook-seconds S`.").tag(
        config=True
    )

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Return the judged notebook on nbgrader's first reading, of the student's file; later, the file as it is."""
        if not getattr(self.parent, "_sanitizing", True):
            return super().from_filename(filename, resources, **kw)
        resources = resources or ResourcesDict()
        resources["metadata"] = ResourcesDict(name=Path(filename).stem, path=str(Path(filename).parent))
        about = resources["nbgrader"]
        notebook = self.judged(Path(filename), about["student"], about["assignment"])
        return self.from_notebook_node(notebook, resources, **kw)

    def judged(self, path: Path, student: str, assignment: str) -> NotebookNode:
        """Return the notebook with outputs from the sandbox and the verdicts as nbgrader reads them."""
        from autograder.judge import seed
        from autograder.judge.process import JudgeSettings, judged
        from autograder.judge.result import Task

        converter: Any = self.parent
        told = converter.before.metadata.get(OWN, {}) if converter.before else {}
        try:
            task = Task(student, assignment, content(path), notice=told.get("notice", ""))
        except Unreadable as error:
            task = Task(student, assignment, None, str(error))
        drawn = seed.load(Path(self.secret) if self.secret else None)
        settings = JudgeSettings(drawn, self.check_seconds, self.notebook_seconds)
        outcome = judged(settings, task)  # one judge for the process
        if outcome.starved:
            outcome = judged(settings, task)
        if outcome.line.get("failed"):
            raise RuntimeError(outcome.line["error"])
        return nbformat.reads(outcome.notebook.decode("utf-8"), as_version=4)


def content(path: Path) -> bytes:
    """Return the bytes that were handed in; no link below the class's folder may lead to somebody else's."""
    return read_below(path.absolute().parents[2], path.absolute().parts[-3:])


def _is_readable_name(student: str) -> bool:
    """Return whether nbgrader can take a student's name: it reads paths line by line."""
    return not student.startswith(".") and "\n" not in student


class _ByName(BaseConverter):
    """What both converters change in nbgrader's base: how submissions are found, and which files are copied."""

    coursedir: Any

    def init_notebooks(self) -> None:
        """Find each student's folder by its name: in a pattern, a name such as "a[b]" would mean something else."""
        name, wanted = self.coursedir.assignment_id, self.coursedir.student_id or "*"
        everybody = Path(self.coursedir.format_path(self._input_directory, "*", name)).parents[1]
        students = [folder.name for folder in sorted(everybody.iterdir())] if everybody.is_dir() else []
        chosen = [wanted] if wanted in students else fnmatch.filter(students, wanted)
        places = [self._format_source(name, student) for student in chosen if _is_readable_name(student)]
        self.assignments = {place: [f"{place}{os.sep}{name}.ipynb"] for place in places if Path(place).is_dir()}
        if not self.assignments:
            message = f"Nothing of '{name}' by '{wanted}': expected {everybody}/STUDENT/{name}/{name}.ipynb."
            self.log.error(message)
            raise NbGraderException(message)

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Copy the time of the hand-in, and no other file: each could be a link, a pipe, or gigabytes."""
        handed_in_at = course.timestamp(Path(self._format_source(assignment_id, student_id)))
        kept = Path(self._format_dest(assignment_id, student_id))
        kept.mkdir(parents=True, exist_ok=True)
        (kept / "timestamp.txt").unlink(missing_ok=True)
        if handed_in_at:
            (kept / "timestamp.txt").write_text(f"{handed_in_at.isoformat(sep=' ')} UTC")


class Autograding(converters.Autograde, _ByName):
    """nbgrader's Autograde for folders in which anything may lie."""

    before: NotebookNode | None = None  # the student's notebook as it was graded the last time

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        """Read what was graded before, which is about to go."""
        self.before = read_if_there(Path(self._format_dest(assignment_id, student_id)) / f"{assignment_id}.ipynb")
        return super().init_destination(assignment_id, student_id)

    @default("permissions")
    def _permissions_default(self) -> Any:
        return 660 if self.coursedir.groupshared else 400

    def start(self) -> None:
        """Enter the assignment, then autograde."""
        from autograder.assignment import assignments
        from autograder.gradebook.gradebook import NoGradebook
        from autograder.sandbox import sandbox

        warnings.filterwarnings("ignore", module="nbgrader")  # with SQLAlchemy 2, six about its own code a student
        name = self.coursedir.assignment_id
        try:
            if name not in assignments():
                raise ValueError(f"No assignment '{name}': expected one of {', '.join(assignments())}.")
            sandbox.require()
            self.register(name)
        except (sandbox.NoSandbox, NoGradebook, FileNotFoundError, ValueError) as error:
            self.log.error(str(error))
            raise NbGraderException(str(error)) from None
        super().start()

    def register(self, name: str) -> None:
        """Enter the assignment and its graded cells, as `grade` does."""
        from autograder.assignment import template
        from autograder.gradebook.gradebook import ClassGradebook

        book = ClassGradebook(Path(self.coursedir.root))
        book.register(template(name))
        book.close()


class Scores(SaveAutoGrades):
    """nbgrader's SaveAutoGrades, by our own rule for points by hand."""

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> tuple[NotebookNode, ResourcesDict]:
        exporter: Any = self.parent
        before = exporter.parent.before
        self.answers, self.answers_before = answers_of(nb), answers_of(before) if before else {}
        return super().preprocess(nb, resources)

    def _add_score(self, cell: NotebookNode, resources: ResourcesDict) -> None:
        name = grade_id(cell)
        grade = self.gradebook.find_grade(name, self.notebook_id, self.assignment_id, self.student_id)
        set_score(grade, cell, self.answers_before.get(name) == self.answers[name])
        self.gradebook.db.commit()


class Grades(GetGrades):
    """nbgrader's GetGrades, which also says whose points a person has still to give."""

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> tuple[NotebookNode, ResourcesDict]:
        """Return the notebook with its marks, and the student's regrade requests."""
        nb, resources = super().preprocess(nb, resources)
        with Gradebook(self.db_url) as opened:
            requests = regrade_requests(opened.db(), self.assignment_id, self.student_id)
        resources["nbgrader"]["requests"] = requests
        return nb, resources

    def _get_score(self, cell: NotebookNode, resources: ResourcesDict) -> None:
        super()._get_score(cell, resources)
        name = cell.metadata.nbgrader["grade_id"]
        grade = self.gradebook.find_grade(name, self.notebook_id, self.assignment_id, self.student_id)
        cell.metadata.nbgrader["waits"] = grade.needs_manual_grade
        items = rubric_items(self.gradebook.db(), self.assignment_id, self.student_id)
        cell.metadata.nbgrader["items"] = items.get(name, [])


class Feedback(converters.GenerateFeedback, _ByName):  # pyright: ignore[reportIncompatibleMethodOverride]
    """nbgrader's GenerateFeedback, for students of any name."""

    @default("permissions")
    def _permissions_default(self) -> Any:
        return 660 if self.coursedir.groupshared else 600
