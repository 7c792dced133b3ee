"""A teacher changes the course in mid-term: points, exercises, chapters; all done in a copy, by the commands."""

import csv
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from tests.support.copied_course import PARTS, Course

pytestmark = pytest.mark.slow
LINE = re.compile(r"^ *- file: (?!bahdanau)(\w+)\n", re.MULTILINE)


class Term(Course):
    """The course in mid-term: what is handed in lies in `class`, what is graded in `out`."""

    def table(self, name: str = "bahdanau") -> str:
        """Return the part of the released notebook that tells students of the points."""
        cells = nbformat.read(self.folder / f"build/release/{name}/{name}.ipynb", as_version=4).cells
        return next(cell.source for cell in cells if "| points |" in cell.source)

    def submit(self, student: str, name: str = "bahdanau") -> None:
        """Hand in the notebook with everything solved."""
        place = self.folder / "class" / student / name / f"{name}.ipynb"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.folder / f"build/source/{name}/{name}.ipynb", place)

    def grade(self) -> tuple[int, str]:
        return self.types("grade", "class", "--out", "out")

    def rows(self) -> dict[tuple[str, str], dict[str, str]]:
        with (self.folder / "out/summary.csv").open(encoding="utf-8-sig") as file:
            return {(row["student"], row["assignment"]): row for row in csv.DictReader(file)}

    def marks(self, student: str) -> dict[str, tuple[float, float]]:
        """Return score and points of each graded cell, as the gradebook has them."""
        with Gradebook(f"sqlite:///{self.folder}/out/gradebook.db") as opened:
            grades = opened.find_submission_notebook("bahdanau", "bahdanau", student).grades
            return {grade.name.removeprefix("check-"): (grade.score, grade.max_score) for grade in grades}

    def give(self, student: str, cell: str, points: float) -> None:
        with Gradebook(f"sqlite:///{self.folder}/out/gradebook.db") as opened:
            opened.find_grade(cell, "bahdanau", "bahdanau", student).manual_score = points
            opened.db.commit()


@pytest.fixture(scope="module")
def only_bahdanau(tmp_path_factory) -> Term:
    """A course from which every chapter with exercises but one was dropped, released."""
    course = Term(tmp_path_factory.mktemp("course"), *PARTS, "book", "exercises", "pyproject.toml")
    contents = course.folder / "book/_toc.yml"
    others = [name for name in LINE.findall(contents.read_text()) if (course.folder / f"exercises/{name}.md").exists()]
    assert others
    for name in others:
        entry = re.search(rf"^ {{6}}- file: {name}\n(?: {{8}}.*\n)*", contents.read_text(), re.MULTILINE)
        assert entry
        course.change("book/_toc.yml", entry[0], "")
    status, output = course.types("release")
    assert status == 0, output
    assert [path.name for path in (course.folder / "build/release").glob("*/*.ipynb")] == ["bahdanau.ipynb"]
    return course


@pytest.fixture
def course(only_bahdanau: Term, tmp_path: Path) -> Term:
    """The same in its own folder, with ada's notebook handed in and graded."""
    shutil.copytree(only_bahdanau.folder, tmp_path, dirs_exist_ok=True)
    course = Term(tmp_path)
    course.submit("ada")
    status, output = course.grade()
    assert status == 0, output
    return course


def test_points_are_changed_in_one_place(course: Term) -> None:
    assert re.search(r"`masked_softmax` \|.*\| 10\b", course.table())
    course.give("ada", "reading_a_matrix", 2)
    course.change("autograder/checks/bahdanau/attention.py", "PADDED: 2", "PADDED: 5")
    course.change("autograder/checks/bahdanau/written.toml", "points = 3", "points = 6")
    status, output = course.grade()
    assert status == 2
    assert re.search(r"'bahdanau'.*\(masked_softmax, reading_a_matrix\)", output)
    assert course.marks("ada")["masked_softmax"] == (10, 10)

    assert course.types("release", "bahdanau")[0] == 0
    assert re.search(r"`masked_softmax` \|.*\| 13\b", course.table())
    assert re.search(r"two questions \|.*\| 6 \+ 2\b", course.table())
    status, output = course.grade()
    assert status == 0, output
    assert course.marks("ada")["masked_softmax"] == (13, 13)
    assert course.marks("ada")["reading_a_matrix"] == (2, 6)
