"""nbgrader, the system of record: its configuration, and one submission's way into gradebook and feedback."""

import contextlib
import logging
import os
import warnings
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path

import nbformat
from alembic.script import ScriptDirectory
from nbconvert.exporters.exporter import ResourcesDict
from nbconvert.writers import FilesWriter
from nbgrader import api
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import SaveCells
from traitlets.config import Config

from autograder import normal
from autograder.course import SETTINGS_FILE, configure
from autograder.normal import Template
from autograder.preprocessors import DESK
from autograder.tasks import Outcome


def _newest_layout() -> str:
    """Return the version of nbgrader's database, which nbgrader itself asks a program for that takes two seconds."""
    return str(ScriptDirectory(str(Path(api.__file__).parent / "alembic")).get_current_head())


api.get_alembic_version = _newest_layout
# nbgrader opens its database some nine times a notebook, each time with an engine that must compile every query anew.
api.create_engine = cache(api.create_engine)


class NotRecorded(RuntimeError):
    """nbgrader could not take a submission; says why."""


class Book:
    """The gradebook of one class in one folder."""

    def __init__(self, out: Path) -> None:
        self.out = out.resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        settings = self.out / "nbgrader_config.py"
        if not settings.exists():
            settings.write_text(SETTINGS_FILE)
        self.config = configure(Config(), self.out)
        logging.getLogger("traitlets").setLevel(logging.ERROR)

    @cached_property
    def folders(self) -> CourseDirectory:
        return CourseDirectory(config=self.config)

    @cached_property
    def autograde(self) -> Autograde:
        return _opened(Autograde(coursedir=self.folders, config=self.config))  # pyright: ignore[reportReturnType]

    @cached_property
    def feedback(self) -> GenerateFeedback:
        return _opened(GenerateFeedback(coursedir=self.folders, config=self.config))  # pyright: ignore[reportReturnType]

    def register(self, form: Template) -> None:
        """Enter an assignment and its graded cells."""
        with quiet(), Gradebook(self.folders.db_url, self.folders.course_id) as gradebook:
            gradebook.update_or_create_assignment(form.assignment)
        about = {"notebook": form.assignment, "assignment": form.assignment, "db_url": self.folders.db_url}
        try:
            with quiet():
                SaveCells().preprocess(form.notebook, ResourcesDict(nbgrader=about))
        except RuntimeError:
            raise ValueError(
                f"The released notebook of '{form.assignment}' has other graded cells than {self.out}/gradebook.db, "
                "which already holds grades for it. Grade into another folder (--out DIR)."
            ) from None

    def record(self, student: str, form: Template, outcome: Outcome) -> None:
        """Take one judged submission through nbgrader's autograde into the gradebook, and write its feedback page."""
        name = form.assignment
        notebook = nbformat.reads(outcome.notebook.decode("utf-8"), as_version=4)
        normal.write(notebook, self.out / "received" / student / name / f"{name}.ipynb")
        DESK.outcomes[student, name] = notebook
        try:
            for converter in (self.autograde, self.feedback):
                self._convert(converter, student, name)
        finally:
            del DESK.outcomes[student, name]

    def _convert(self, converter: BaseConverter, student: str, name: str) -> None:
        self.folders.student_id, self.folders.assignment_id = student, name
        # nbgrader would look for the folder with a pattern, in which a name such as "a[b]" means something else.
        place = converter._format_source(name, student)
        converter.assignments = {place: [os.path.join(place, f"{name}.ipynb")]}  # noqa: PTH118 - nbgrader's spelling
        converter.force = True
        try:
            with _inside(self.out):
                converter.convert_notebooks()
        except NbGraderException as error:
            raise NotRecorded(f"nbgrader could not take {name} of {student}: {error}") from error


def _opened(converter: BaseConverter) -> BaseConverter:
    """Do once for a class what nbgrader does for every notebook: make the exporter and the writer."""
    converter.writer = FilesWriter(parent=converter, config=converter.config)
    converter.exporter = converter.exporter_class(parent=converter, config=converter.config)
    for preprocessor in converter.preprocessors:
        converter.exporter.register_preprocessor(preprocessor)
    return converter


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        with quiet():
            yield
    finally:
        os.chdir(before)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """nbgrader 0.9 with SQLAlchemy 2.0 and nbformat 5 warns about its own code, several times a notebook."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
