"""The grader grades any folder of exercises: a small course of another subject goes from `new` to the report."""

import csv
import json
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from autograder.places import COURSE, HOME
from book.contents import all_chapters
from tests.support.copied_course import elsewhere
from tests.support.forked import python
from tests.support.sandboxed import demand_sandbox

RIGHT = {
    "weighted_mean": "    return (numbers * weights).sum(1) / weights.sum()",
    "distances": "    return np.linalg.norm(points[:, None] - points[None], axis=-1)",
}
WRONG = {"weighted_mean": "    return numbers @ weights", "distances": "    return points"}
# What the grader may not name: the folders of this course, and its chapters where they are no words of English.
FOLDERS = re.compile(r"\b(solutions|exercises|book)/|(from|import) (solutions|exercises|book)\b|\"(solutions|book)\"")
WORDS = {"pooling", "structured", "transformer"}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("numbers") / "course"
    shutil.copytree(HOME / "tests" / "second_course", folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def run(course: Path, *words: str | Path, status: int = 0, cwd: Path | None = None) -> str:
    environment = elsewhere(PYTHONPATH=str(HOME)) | {COURSE: str(course)}
    done = python(*map(str, words), cwd=cwd or course, env=environment)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def handed_in(course: Path, student: str, bodies: dict[str, str]) -> None:
    """Hand in both notebooks, with these bodies of the functions."""
    for name in ("averages", "distances"):
        notebook = json.loads((course / "build" / "release" / name / f"{name}.ipynb").read_text("utf-8"))
        for cell in notebook["cells"]:
            source = "".join(cell["source"])
            for function, body in bodies.items():
                if f"def {function}(" in source:
                    cell["source"] = source[: source.index("    # YOUR CODE HERE")] + body
        place = course / "class" / student / name / f"{name}.ipynb"
        place.parent.mkdir(parents=True)
        place.write_text(json.dumps(notebook), "utf-8")


def test_a_course_of_another_subject_is_released_and_a_notebook_checked(course: Path, tmp_path: Path) -> None:
    assert "extra" in run(course, "-m", "autograder", "new", "extra")
    assert run(course, "-m", "autograder", "try", "extra").startswith("extra.extra:")
    shutil.rmtree(course / "problems" / "extra")
    (course / "answers" / "extra.py").unlink()
    assert "all points" in run(course, "-m", "autograder", "try", "averages")
    released = run(course, "-m", "autograder", "release")
    assert "averages.ipynb: 7 points" in released
    assert "distances.ipynb: 4 points" in released
    with zipfile.ZipFile(course / "build" / "release" / "kit.zip") as kit:
        kit.extractall(tmp_path)
    start = (tmp_path / "numbers" / "START HERE.txt").read_text("utf-8")
    assert start.startswith("NUMBERS IN PYTHON")
    assert "raise NotImplementedError" in (tmp_path / "numbers/kit/answers/averages.py").read_text("utf-8")
    assert not [path for path in tmp_path.rglob("*") if set(path.parts) & {"solutions", "problems", *all_chapters()}]
    handed_in(course, "ada", RIGHT)
    handed_in(course, "ben", WRONG)
    own = tmp_path / "numbers" / "averages.ipynb"
    shutil.copy(course / "class" / "ben" / "averages" / "averages.ipynb", own)
    said = run(course, "kit/check.py", own, status=1, cwd=tmp_path / "numbers")
    assert "1 of 5 points" in said


def test_its_class_is_graded_with_feedback_report_and_export(course: Path) -> None:
    demand_sandbox()
    run(course, "-m", "autograder", "grade", "class")
    with (course / "build" / "class" / "summary.csv").open(encoding="utf-8", newline="") as file:
        scores = {(row["student"], row["assignment"]): float(row["score"]) for row in csv.DictReader(file)}
    assert scores["ada", "averages"] == 5
    assert scores["ada", "distances"] == 4
    assert scores["ben", "averages"] < 3
    assert scores["ben", "distances"] < 2
    feedback = (course / "build/class/feedback/ben/averages/averages.html").read_text("utf-8")
    assert "divide by their sum" in feedback
    run(course, "-m", "autograder", "report")
    assert "averages" in (course / "build/class/report.html").read_text("utf-8")
    run(course, "-m", "autograder", "export", "--to", "csv")
    assert "ada" in (course / "build/class/export/grades.csv").read_text("utf-8")


def test_the_grader_names_no_chapter_and_nothing_of_the_course() -> None:
    chapters = re.compile(rf"\b({'|'.join(set(all_chapters()) - WORDS)})\b")
    files = [path for path in (HOME / "autograder").rglob("*") if path.suffix in (".py", ".txt", ".sh", ".j2", ".js")]
    assert len(files) > 100
    named = [
        f"{path.relative_to(HOME)}:{number}: {line.strip()[:100]}"
        for path in files
        if path.name != "katex.min.js"
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if FOLDERS.search(line) or chapters.search(line)
    ]
    assert not named, "\n".join(named)
