"""The sections of the golden files that grade something."""

import csv
from pathlib import Path
from typing import Any

from autograder.judge.judge import Judge
from autograder.places import KIT
from autograder.sandbox.sandbox import Sandbox
from examples import make_class
from tests.answers import chapters
from tests.golden import sha
from tests.support.classes import opened_book, run_here

SECRET = b"the secret of the golden files"


def graded_class(folder: Path) -> dict[str, Any]:
    """Grade the example class in a folder; return its summary, without what depends on the place."""
    make_class.write(folder / "submitted")
    with Sandbox(KIT) as sandbox:
        status = run_here(Judge(sandbox, SECRET), folder / "submitted", folder / "out")
    with (folder / "out" / "summary.csv").open(newline="", encoding="utf-8") as file:
        rows = [
            {name: value.replace(str(folder), "FOLDER") for name, value in row.items()} for row in csv.DictReader(file)
        ]
    return {"status": status, "rows": rows, "gradebook": _entered(folder / "out"), "pages": _pages(folder / "out")}


def _entered(out: Path) -> list[list]:
    """Return every grade and comment in the gradebook."""
    rows = []
    with opened_book(out) as gradebook:
        for name in chapters():
            for each in gradebook.assignment_submissions(name):
                for notebook in each.notebooks:
                    about = [each.student.id, name, notebook.late_submission_penalty]
                    rows += [[*about, one.name, one.auto_score, one.needs_manual_grade] for one in notebook.grades]
                    rows += [[*about, one.name, one.auto_comment] for one in notebook.comments]
    return sorted(rows, key=str)


def _pages(out: Path) -> dict[str, str]:
    """Return a digest of each feedback page."""
    pages = sorted((out / "feedback").rglob("*.html"))
    return {str(page.relative_to(out / "feedback")): sha(page.read_bytes()) for page in pages}
