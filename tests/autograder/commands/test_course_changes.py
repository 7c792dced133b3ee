"""A teacher changes the course in mid-term: chapters, points, exercises; all done in a copy, by the commands."""

import re
import shutil
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from tests.support.copied_course import PARTS, Course

NAME = "bahdanau"


class Term(Course):
    """The course in mid-term: what is handed in lies in `class`, what is graded in `out`."""

    def hands_in(self, student: str) -> None:
        """Hand in the notebook with everything solved."""
        place = self.folder / "class" / student / NAME / f"{NAME}.ipynb"
        place.parent.mkdir(parents=True)
        shutil.copy(self.folder / f"build/source/{NAME}/{NAME}.ipynb", place)

    def does(self, verb: str, status: int = 0) -> str:
        words = ("grade", "class", "--out", "out") if verb == "grade" else ("release",)
        done, output = self.types(*words)
        assert done == status, output
        return output

    def marks(self, student: str, **given: float) -> dict[str, tuple[float, float]]:
        """Return score and points of each graded cell, as the gradebook has them, once these were given by hand."""
        with Gradebook(f"sqlite:///{self.folder}/out/gradebook.db") as opened:
            grades = opened.find_submission_notebook(NAME, NAME, student).grades
            by_name = {grade.name.removeprefix("check-"): grade for grade in grades}
            for name, points in given.items():
                by_name[name].manual_score = points
            opened.db.commit()
            return {name: (grade.score, grade.max_score) for name, grade in by_name.items()}


@pytest.mark.slow
def test_points_are_changed_and_an_exercise_is_taken_out_and_put_back(tmp_path: Path) -> None:
    course = Term(tmp_path, *PARTS, "book", "exercises", "pyproject.toml")
    (tmp_path / "course.toml").write_text(f'chapters = ["{NAME}"]')
    course.does("release")
    assert [path.name for path in (tmp_path / "build/release").glob("*/*.ipynb")] == [f"{NAME}.ipynb"]
    course.hands_in("ada")
    course.does("grade")
    assert course.marks("ada", reading_a_matrix=2, repaired_attention=5)["masked_softmax"] == (10, 10)

    course.change("exercises/bahdanau/attention.py", "PADDED: 2", "PADDED: 5")
    course.change("exercises/bahdanau/written.toml", "points = 3", "points = 6")
    assert re.search(r"'bahdanau'.*\(masked_softmax, reading_a_matrix\)", course.does("grade", status=2))
    course.does("release")
    released = (tmp_path / f"build/release/{NAME}/{NAME}.ipynb").read_text("utf-8")
    assert re.search(r"`masked_softmax` \|.*\| 13\b", released)
    assert re.search(r"two questions \|.*\| 6 \+ 2\b", released)
    course.does("grade")
    assert [course.marks("ada")[name] for name in ("masked_softmax", "reading_a_matrix")] == [(13, 13), (2, 6)]

    exercise, checks = tmp_path / f"exercises/{NAME}/notebook.md", tmp_path / f"exercises/{NAME}/checks.py"
    before = exercise.read_text("utf-8"), checks.read_text("utf-8")
    fewer = re.sub(r"\n## 5 · Find the bug.*?(?=\n## 6 )", "", before[0], flags=re.DOTALL)
    exercise.write_text(re.sub(r"\| 5 · .*\n", "", fewer), "utf-8")
    checks.write_text(before[1].replace("*HUNT.checks(), ", ""), "utf-8")
    course.does("release")
    course.hands_in("bo")
    assert "check-diagnosis, check-failing_input, check-repaired_attention" in course.does("grade")
    assert "repaired_attention" not in course.marks("ada") | course.marks("bo")
    exercise.write_text(before[0], "utf-8")
    checks.write_text(before[1], "utf-8")
    course.does("release")
    course.does("grade")
    # What the teacher gave; and what was handed in had no such part.
    assert [course.marks(who)["repaired_attention"] for who in ("ada", "bo")] == [(5, 8), (0, 8)]
