"""Twelve odd hand-ins as a class brings them in Moodle's zip: each gets the points that come out by hand."""

import contextlib
import csv
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.assignment import grade_id
from autograder.export.run import export
from autograder.grade.people import Words
from autograder.grade.run import grade
from autograder.places import released_notebook, source_notebook
from examples.make_class import Student
from tests.support.classes import Here, opened_book
from tests.support.teacher import settle

NAME = "bahdanau"
QUESTIONS = ("reading_a_matrix", "a_bias_of_the_keys")
HALF = "def links_of(weights, threshold):\n    return {(t, int(row.argmax())) for t, row in enumerate(weights)}"
LOOP = "step loss 0.12345\n" * 900_000
Files = dict[str, bytes]


def sources(path: Path, kind: str) -> dict[str, str]:
    cells = nbformat.read(path, as_version=4).cells
    return {grade_id(cell): cell.source for cell in cells if grade_id(cell) and cell.cell_type == kind}


def solved(answered: bool = False, **cells: str) -> dict[str, Any]:
    """Return the solved notebook as JSON, with other sources by name, its questions answered or not."""
    answers = {} if answered else sources(released_notebook(NAME), "markdown")
    return json.loads(Student("", cells, "", {"START": "solved", "ANSWERS": answers}).submission(NAME))


def one(notebook: dict[str, Any] | bytes, name: str = f"{NAME}.ipynb") -> Files:
    return {name: notebook if isinstance(notebook, bytes) else json.dumps(notebook, indent=1).encode()}


def without_tanh() -> Files:
    source = sources(source_notebook(NAME), "code")["additive_attention"]
    assert "torch.tanh(" in source
    return one(solved(True, additive_attention=source.replace("torch.tanh(", "(")))


def with_more_cells() -> Files:
    notebook = solved()
    for number, source in enumerate(["x = 1", "raise ValueError('not here')", "print(x)"]):
        cell = {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        notebook["cells"].insert(6 * number, cell | {"id": f"mine-{number}"})
    return one(notebook)


def with_deleted_cells() -> Files:
    notebook = solved(True)
    named = {cell["metadata"].get("nbgrader", {}).get("grade_id"): cell for cell in notebook["cells"]}
    notebook["cells"] = [c for c in notebook["cells"] if c not in (named["links_of"], named["check-masked_softmax"])]
    return one(notebook)


def of_an_old_release() -> Files:
    """Return a notebook as it was before points and a text were changed."""
    notebook = solved()
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("points"):
            cell["metadata"]["nbgrader"]["points"] += 2
    notebook["cells"][0]["source"] = ["# As it was last year\n", "with other words."]
    return one(notebook)


def of_windows() -> Files:
    return one(json.dumps(solved(), indent=1).replace("\\n", "\\r\\n").replace("\n", "\r\n").encode())


def with_much_output() -> Files:
    notebook = solved()
    cell = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": LOOP.splitlines(keepends=True)}]
    return one(notebook)


def twice() -> Files:
    stub = sources(released_notebook(NAME), "code")["alignment_error_rate"]
    newer = solved(alignment_error_rate=stub)
    return one(released_notebook(NAME).read_bytes()) | one(newer, f"{NAME}_v2.ipynb")


# What was handed in, the points of its checks (None: no grade), those that a teacher adds. All checks: 61 of the core
# and 18 of starred tasks are 79. Two written questions give 3 and 2 by hand.
TWELVE: dict[str, tuple[Callable[[], Files], float | None, tuple[int, ...]]] = {
    "Ada Solved": (lambda: one(solved(True)), 79, (3, 2)),
    # 10 of 11 are lost: nothing but the repeated call is right; later parts are judged with the right function.
    "Bob No-Tanh": (without_tanh, 79 - 10, (2,)),
    "Chen Late": (lambda: one(solved(True)), 79, (3, 2)),
    "Dora As-Released": (lambda: one(released_notebook(NAME).read_bytes()), 0, ()),
    # a threshold 2, thresholds at the edge 1
    "Émile Half-Of-links": (lambda: one(solved(links_of=HALF), "a (2).ipynb"), 79 - 3, ()),
    "Fay More-Cells": (with_more_cells, 79, ()),
    "Gil Deleted-Cells": (with_deleted_cells, 79 - 8, (2,)),
    "Hana Old-Release": (of_an_old_release, 79, ()),
    "Ivan Windows": (of_windows, 79, ()),
    "Jo Much-Output": (with_much_output, 79, ()),
    "Kai No-Notebook": (lambda: one(b"I could not save it"), None, ()),
    "Lena Twice": (twice, 79 - 7, ()),
}


def hand_in(folder: Path) -> tuple[Path, Path]:
    """Write moodle.zip and the grading worksheet that says when each handed in; return their paths."""
    rows = [["Identifier", "Full name", "Status", "Grade", "Maximum Grade", "Last modified (submission)"]]
    with zipfile.ZipFile(folder / "moodle.zip", "w", zipfile.ZIP_DEFLATED) as opened:
        for number, (student, (files, *_)) in enumerate(TWELVE.items(), 101):
            for name, content in files().items():
                opened.writestr(f"{student}_{number}_assignsubmission_file_/{name}", content)
            day = "Saturday, 21" if student == "Chen Late" else "Thursday, 19"
            when = f"{day} November 2026, 10:00 PM"
            rows.append([f"Participant {number}", student, "Submitted for grading", "", "84", when])
    with (folder / "worksheet.csv").open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file).writerows(rows)
    return folder / "moodle.zip", folder / "worksheet.csv"


def give_by_hand(out: Path) -> None:
    with opened_book(out) as gradebook:
        for student, (*_, by_hand) in TWELVE.items():
            for question, points in zip(QUESTIONS, by_hand, strict=False):
                mark: Any = gradebook.find_grade(question, NAME, NAME, student)
                mark.manual_score, mark.needs_manual_grade = points, False


def totals(out: Path) -> Iterator[tuple[str, float | None]]:
    """Yield what Moodle's table says of each."""
    list(export(out, "moodle"))
    with (out / "export" / f"moodle-{NAME}.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield row["Full name"], float(row["Grade"]) if row["Grade"] else None


@pytest.mark.slow
def test_each_of_twelve_has_the_points_that_come_out_by_hand(course_judge, tmp_path: Path) -> None:
    out = tmp_path / "out"
    settle(out, "AssignLatePenalties.plugin_class = 'autograder.gradebook.lateness.EachDay'")
    folder, worksheet = hand_in(tmp_path)
    words = Words(due=[f"{NAME}=2026-11-20 12:00"], roster=[str(worksheet)])
    assert grade(folder, out, lambda _: contextlib.nullcontext(Here(course_judge)), words=words) == 0
    for with_hand in (False, True):
        if with_hand:
            give_by_hand(out)
        expected = {
            student: None if points is None else points + sum(by_hand) * with_hand
            for student, (_, points, by_hand) in TWELVE.items()
        }
        expected["Chen Late"] = pytest.approx(0.8 * (79 + 5 * with_hand))  # 34 hours are two days begun
        assert dict(totals(out)) == expected
