"""What the tests of the gradebook share: dates, a rule for late penalties, what lies in a class's folder."""

import contextlib
import copy
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.assignment import Template
from autograder.files import atomic_write, prepared
from autograder.gradebook import class_files
from autograder.gradebook.store import rows
from autograder.gradebook.store.gradebook import ClassGradebook, quiet
from tests.support.classes import opened_book

with quiet():
    from nbgrader.api import Gradebook
    from nbgrader.plugins import BasePlugin

DUE, LATE, EARLY = "2026-11-20 12:00:00 UTC", b"2026-11-21 12:00:00 UTC", b"2026-11-19 11:00:00 CET"


class Halves(BasePlugin):
    """Takes half of the points for being late, and more than all for a day more."""

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float:
        return score / 2 if total_seconds_late <= 86400 else score + 1


def url(out: Path) -> str:
    return f"sqlite:///{out / 'gradebook.db'}"


HALVES = f"AssignLatePenalties.plugin_class = '{__name__}.Halves'"


def tree(out: Path, *folders: str) -> dict[str, tuple[bytes, int]]:
    """Return every file's content and permissions."""
    files = [path for folder in folders for path in (out / folder).rglob("*") if path.is_file()]
    return {str(path.relative_to(out)): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) for path in files}


def grade(opened: Gradebook, student: str, name: str) -> Any:
    return opened.find_grade(name, "bahdanau", "bahdanau", student)


def changed(form: Template, *gone: str) -> Template:
    """Return the notebook of a course that is without some exercises."""
    other = Template(form.assignment, copy.deepcopy(form.notebook))
    other.notebook.cells = [cell for cell in other.notebook.cells if cell.get("id") not in gone]
    return other


GIVEN = {"reading_a_matrix": 2.0, "check-masked_softmax": 7.5}
PARTS = ("masked_softmax", "check-masked_softmax", "reading_a_matrix")


def given(out: Path, student: str) -> dict[str, float]:
    with opened_book(out) as opened:
        grades = opened.find_submission_notebook("bahdanau", "bahdanau", student).grades
        return {each.name: each.manual_score for each in grades if each.manual_score is not None}


def _leave_a_part(path: Path, content: bytes, killed: bool) -> None:
    """Leave what a kill within the writing of a file leaves: a part of it, under another name."""
    if killed:
        part = path.with_name(f".{path.name}.0123abcd.part")
        part.write_bytes(content[:100])
        os.utime(part, (0, 0))  # long ago: of one that is young, somebody else may be writing the rest
        raise KeyboardInterrupt


def stop_before(patch: pytest.MonkeyPatch, book: ClassGradebook, step: str) -> None:
    """Let recording a submission end with KeyboardInterrupt before a step, as a kill would."""

    def stops(*_: Any) -> None:
        raise KeyboardInterrupt

    def begins(path: Path, content: bytes) -> None:
        _leave_a_part(path, content, path.relative_to(book.out).parts[0] == step)

    @contextlib.contextmanager
    def prepares(path: Path, content: bytes, mode: int) -> Iterator[None]:
        begins(path, content)
        with prepared(path, content, mode):
            yield
            if step == "rename":
                raise KeyboardInterrupt

    def writes(path: Path, content: bytes, mode: int) -> None:
        begins(path, content)
        atomic_write(path, content, mode)

    patch.setattr(class_files, "atomic_write", writes)
    patch.setattr(class_files, "prepared", prepares)
    if step == "enter":
        patch.setattr(rows, "_penalise", stops)
    if step == "commit":
        patch.setattr(type(book.session), "commit", stops)
