"""From submissions to grades: each is read, judged and recorded, and no broken one keeps the others waiting."""

import sys
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from tqdm import tqdm

from autograder import normal, wall
from autograder.checks import assignments
from autograder.grade import Handed, Records
from autograder.gradebook import Book
from autograder.judge import Judge, Judged, refused
from autograder.normal import Template, template
from autograder.reading import Unreadable
from autograder.score import summary


def mark(
    todo: list[Handed], out: Path, opened: Callable[[], AbstractContextManager[Judge]]
) -> dict[Handed, dict[str, Any]]:
    """Grade submissions one after the other; return what is to be said of each."""
    forms = {name: template(name) for name in dict.fromkeys(submission.assignment for submission in todo)}
    book, records = Book(out), Records(out)
    for form in forms.values():
        book.register(form)
    lines = {}
    with opened() as judge:
        for submission in tqdm(todo, desc="grading", unit="notebook", disable=not sys.stderr.isatty()):
            lines[submission] = _line(submission, forms[submission.assignment], judge, book, records)
    return lines


def _line(submission: Handed, form: Template, judge: Judge, book: Book, records: Records) -> dict[str, Any]:
    about = {"student": submission.student, "file": str(submission.path)}
    try:
        notebook, judged = _judged(submission, form, judge)
        _timestamp(submission, book)
        book.record(submission.student, form, notebook, judged)
        line = about | summary(judged, form)
        records.keep(submission, line)
        return line
    except wall.NoSandbox:
        raise
    except Exception as error:  # a fault of the grader's: it must not cost the others their grades
        traceback.print_exc(file=sys.stderr)
        reason = f"the grader failed on it ({type(error).__name__}), please tell its maintainers"
        judged = refused(form, reason)
        with suppress(Exception):
            book.record(submission.student, form, normal.blank(form, reason), judged)
    return about | summary(judged, form) | {"failed": True}


def _judged(submission: Handed, form: Template, judge: Judge) -> tuple[NotebookNode, Judged]:
    """Return a submission as nbgrader is to have it, and what the judge says of it."""
    try:
        content = submission.content()
        notebook = normal.submission(content, form, assignments())
    except Unreadable as error:
        return normal.blank(form, str(error)), refused(form, str(error))
    return notebook, judge.notebook(notebook, form, content, submission.student)


def _timestamp(submission: Handed, book: Book) -> None:
    """Hand on when it was handed in: nbgrader takes late penalties from it."""
    kept = book.out / "received" / submission.student / submission.assignment / "timestamp.txt"
    kept.unlink(missing_ok=True)
    if said := submission.timestamp():
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(said)
