"""From submissions to grades: each is read, judged and recorded, and no broken one keeps the others waiting."""

import sys
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

from tqdm import tqdm

from autograder import wall
from autograder.grade import Handed, Records
from autograder.gradebook import Book
from autograder.judge import Judge
from autograder.normal import Template, template
from autograder.reading import Unreadable
from autograder.tasks import Task, assess, without_points


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
        outcome = assess(_task(submission), form, judge)
        _timestamp(submission, book)
        book.record(submission.student, form, outcome)
        line = about | outcome.line
        records.keep(submission, line)
        return line
    except wall.NoSandbox:
        raise
    except Exception as error:  # a fault of the grader's: it must not cost the others their grades
        traceback.print_exc(file=sys.stderr)
        outcome = without_points(form, f"the grader failed on it ({type(error).__name__}), please tell its maintainers")
        with suppress(Exception):
            book.record(submission.student, form, outcome)
    return about | outcome.line | {"failed": True}


def _task(submission: Handed) -> Task:
    try:
        return Task(submission.student, submission.assignment, submission.content())
    except Unreadable as error:
        return Task(submission.student, submission.assignment, None, str(error))


def _timestamp(submission: Handed, book: Book) -> None:
    """Hand on when it was handed in: nbgrader takes late penalties from it."""
    kept = book.out / "received" / submission.student / submission.assignment / "timestamp.txt"
    kept.unlink(missing_ok=True)
    if said := submission.timestamp():
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(said)
