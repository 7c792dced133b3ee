"""`python -m autograder report`: one page for the teacher, about a class that `grade` has graded."""

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.definition import definition
from autograder.files import atomic_write, is_worked_on
from autograder.gradebook import view
from autograder.gradebook.people.lateness import duration
from autograder.gradebook.view import Entry
from autograder.report import section

FORMGRADER = "http://localhost:8888/formgrader"
ROWS, NAMES = 1000, 200  # of a table, and of a list of names: the page stays small enough to read


def report(out: Path, formgrader: str = FORMGRADER, anonymous: bool = False) -> Path:
    """Write DIR/report.html, or report-anonymous.html to show in class, atomically; return its path.

    It has no scripts, and nothing from other servers.
    """
    class_data = view.read(out)
    if is_worked_on(out):
        class_data.notes.insert(
            0, "A run is grading this class: this is what it has graded so far. Make the page again later."
        )
    sections = section.sections(class_data)
    jinja = Environment(
        loader=PackageLoader("autograder.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    jinja.filters |= {"points": _points, "text": _written, "duration": duration, "code": code}
    page = jinja.get_template("report.html.j2").render(
        course=definition().title,
        folder=out.resolve().name,
        class_data=class_data,
        sections=sections,
        trend=section.trend(sections),
        anonymous=anonymous,
        feedback=_feedback(out),
        formgrader=formgrader.rstrip("/"),
        rows=ROWS,
        names=NAMES,
    )
    path = out / ("report-anonymous.html" if anonymous else "report.html")
    atomic_write(path, page.lstrip().encode("utf-8"), 0o600)  # names and marks: the teacher's alone
    return path


def code(sentence: str) -> Markup:
    """Return a docstring's sentence as HTML, with text in backticks marked as code."""
    parts = sentence.split("`")
    marked = [Markup("<code>{}</code>").format(part) if i % 2 else escape(part) for i, part in enumerate(parts)]
    return Markup("").join(marked)


def _written(student: str) -> str:
    """Return a name with bytes that are no UTF-8 escaped: a folder's name may hold some."""
    return student.encode("utf-8", "backslashreplace").decode("utf-8")


def _points(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _feedback(out: Path) -> Callable[[Entry], str]:
    """Return a function from an entry to the page's link to its feedback, "" where there is none."""

    def link(entry: Entry) -> str:
        inside = Path("feedback", entry.student, entry.assignment, f"{entry.assignment}.html")
        return quote(os.fsencode(inside)) if (out / inside).exists() else ""

    return link
