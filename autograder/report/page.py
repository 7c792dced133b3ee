"""`python -m autograder report`: one page for the teacher, about a class that `grade` has graded."""

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.files import atomic_write
from autograder.report import data, section
from autograder.report.data import ClassData, Entry

FORMGRADER = "http://localhost:8888/formgrader"
ROWS, NAMES = 1000, 200  # of a table, and of a list of names: the page stays small enough to be read


def report(out: Path, to: Path | None = None, formgrader: str = FORMGRADER, anonymous: bool = False) -> Path:
    """Write the page to `to` (default: DIR/report.html, or report-anonymous.html), atomically; return its path."""
    path = to or out / ("report-anonymous.html" if anonymous else "report.html")
    text = page(data.read(out), out, path, formgrader, anonymous)
    atomic_write(path, text.encode("utf-8"), 0o600)  # names and marks: the teacher's alone
    return path


def page(class_data: ClassData, out: Path, path: Path, formgrader: str = FORMGRADER, anonymous: bool = False) -> str:
    """Return the page as HTML, without scripts and without anything from other servers; anonymous: to show in class."""
    sections = section.sections(class_data, out)
    jinja = Environment(
        loader=PackageLoader("autograder.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    jinja.filters |= {"points": _points, "text": data.written, "duration": _duration, "code": code}
    made = jinja.get_template("report.html.j2").render(
        title=out.resolve().name,
        class_data=class_data,
        sections=sections,
        trend=section.trend(sections),
        anonymous=anonymous,
        feedback=_feedback(out, path),
        formgrader=formgrader.rstrip("/"),
        rows=ROWS,
        names=NAMES,
    )
    return made.lstrip()


def code(sentence: str) -> Markup:
    """Return a docstring's sentence with what stands in backticks marked as code."""
    parts = sentence.split("`")
    marked = [Markup("<code>{}</code>").format(part) if i % 2 else escape(part) for i, part in enumerate(parts)]
    return Markup("").join(marked)


def _points(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _duration(seconds: float) -> str:
    """Return a time in its two largest units."""
    minutes = int(seconds) // 60
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _feedback(out: Path, path: Path) -> Callable[[Entry], str]:
    """Return a function from an entry to the link from the page at `path` to its feedback, "" where there is none."""
    above = Path(os.path.relpath(out.resolve(), path.resolve().parent))

    def link(entry: Entry) -> str:
        inside = Path("feedback", entry.student, entry.assignment, f"{entry.assignment}.html")
        return quote(os.fsencode(above / inside)) if (out / inside).exists() else ""

    return link
