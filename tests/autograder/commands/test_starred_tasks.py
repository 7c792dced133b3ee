"""A starred task by the commands: released, checked, scored, graded, by nbgrader's own road, and told to everybody."""

import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from tests.autograder.commands.test_own_exercise import Course
from tests.support.classes import points_on, total_on
from tests.support.sandboxed import demand_sandbox
from tests.support.starred_course import BODIES, BONUS, CORE, solved, starred_course, submit

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The course with a class that is graded."""
    demand_sandbox()
    course = starred_course(tmp_path_factory.mktemp("course"))
    for student, bodies in BODIES.items():
        submit(course, student, *bodies)
    status, printed = course.types("grade", "class", "--out", "out")
    assert status == 0, printed
    return course


def summary(course: Course) -> dict[str, dict[str, str]]:
    with (course.folder / "out/summary.csv").open(newline="", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def nbgrader(course: Course, *words: str, folder: str = "out") -> str:
    environment = os.environ | {"PYTHONPATH": str(course.folder)}
    command = [str(Path(sys.executable).parent / "nbgrader"), *words]
    done = subprocess.run(
        command, cwd=course.folder / folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def exported(course: Course) -> dict[str, tuple[float, float]]:
    nbgrader(course, "export")
    with (course.folder / "out/grades.csv").open(newline="") as file:
        return {row["student_id"]: (float(row["score"]), float(row["max_score"])) for row in csv.DictReader(file)}


def test_the_table_and_the_cell_say_that_it_is_a_bonus(course: Course) -> None:
    cells = nbformat.read(course.folder / "build/release/mine/mine.ipynb", as_version=4).cells
    table = next(cell.source for cell in cells if "| points |" in cell.source)
    assert "| `weigh` | 7, " in table
    assert "| `select` | ★★ 7 " in table
    checks = [cell.metadata for cell in cells if cell.metadata.get("nbgrader", {}).get("grade")]
    assert [about.nbgrader.points for about in checks] == [7, 0]
    assert [about.get("attention_workbook") for about in checks] == [None, {"stars": 2, "bonus": 7}]


def test_try_says_so_too(course: Course) -> None:
    status, printed = course.types("try", "mine")
    assert status == 0, printed
    assert "mine.weigh: 7 points, 2 cases" in printed
    assert "mine.select: 7 points bonus (★★), 2 cases" in printed


def test_score_tells_a_bonus_by_its_check(course: Course) -> None:
    files = [str(course.folder / "class" / student / "mine" / "mine.ipynb") for student in BODIES]
    status, printed = course.types("score", *files)
    assert status == 0, printed
    lines = {student: json.loads(line) for student, line in zip(BODIES, printed.splitlines(), strict=True)}
    for line in lines.values():
        assert line["max_score"] == CORE
        assert line["score"] == sum(check["score"] for check in line["checks"])
        assert [(check["max_score"], check.get("bonus")) for check in line["checks"]] == [(7, None), (7, True)]
        assert "bonus" not in line
    scores = {student: [check["score"] for check in line["checks"]] for student, line in lines.items()}
    assert scores["all"] == [7, 7]
    assert scores["skips"] == [7, 0]
    assert scores["nothing"] == [0, 0]
    assert 0 < scores["adds"][1] < BONUS
    assert lines["adds"]["checks"][1]["mistake"] == ["adds_up"]


def test_an_error_of_a_core_function_is_carried_into_a_bonus(course: Course) -> None:
    page = (course.folder / "out/feedback/carried/mine/mine.html").read_text()
    assert "weigh (part 1)" in page
    assert points_on(page, "select") == (7, 7)
    row = summary(course)["carried"]
    assert float(row["bonus"]) == BONUS
    assert BONUS < float(row["score"]) < BONUS + CORE


def test_summary_export_gradebook_and_page_agree(course: Course) -> None:
    rows, exports = summary(course), exported(course)
    assert (rows["skips"]["score"], rows["skips"]["max_score"], rows["skips"]["bonus"]) == ("7", "7", "0")
    assert (rows["all"]["score"], rows["all"]["max_score"], rows["all"]["bonus"]) == ("14", "7", "7")
    for student, row in rows.items():
        total = float(row["total"])
        assert exports[student] == (total, CORE)
        assert total == float(row["score"])
        page = (course.folder / f"out/feedback/{student}/mine/mine.html").read_text()
        assert total_on(page) == (total, CORE)
        assert "0 of 0" not in page


def test_the_report_marks_it(course: Course) -> None:
    status, printed = course.types("report", "--out", "out")
    assert status == 0, printed
    page = (course.folder / "out/report.html").read_text()
    assert re.search(r"<code>select</code> <span[^>]*>bonus</span>", page)
    assert not re.search(r"<code>weigh</code> <span[^>]*>bonus</span>", page)
    assert re.search(r"14 <span[^>]*>\(7 bonus\)</span>", page)
    assert "bonus points are" in page


def test_nbgraders_own_autograde_gives_the_same(course: Course) -> None:
    before = exported(course)
    nbgrader(course, "autograde", "mine", "--force")
    assert exported(course) == before
    nbgrader(course, "generate_feedback", "mine", "--force")
    page = (course.folder / "out/feedback/adds/mine/mine.html").read_text()
    assert points_on(page, "select")[1] == 7


@pytest.mark.parametrize("student", ["all", "skips", "adds"])
def test_a_notebook_without_its_starred_task_validates(course: Course, student: str) -> None:
    place = course.folder / "build/release" / student
    place.mkdir(exist_ok=True)
    (place / "mine.ipynb").write_bytes(solved(course, *BODIES[student]))
    printed = nbgrader(course, "validate", "mine.ipynb", folder=f"build/release/{student}")
    assert "Success! Your notebook passes all the tests." in printed


def test_check_says_what_is_a_bonus_and_returns_nothing(course: Course) -> None:
    code = "\n".join(
        [
            "from autograder.kit import check",
            "right = {'weigh': lambda scores: scores.softmax(-1)}",
            "print(check('mine.select', right))",
            "adds = right | {'select': lambda scores, values: values.sum(1)}",
            "print(check('mine.select', adds))",
            "of = right | {'select': lambda scores, values: (right['weigh'](scores).unsqueeze(-1) * values).sum(1)}",
            "print(check('mine.select', of))",
            "print(check('mine.weigh', right))",
        ]
    )
    kit = course.folder / "build/release/kit"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=kit, env=os.environ | {"PYTHONPATH": str(kit)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    on_top = "★★ A bonus: these points come on top of the others, and nothing is missing without them.\nNone\n"
    assert done.stdout.count(on_top) == 3
    assert re.search(r"^select: 0\b", done.stdout, re.MULTILINE)
    assert "The values are added without their weights." in done.stdout
    assert re.search(rf"^✓ select: .*\n{on_top}✓ weigh: .*\nNone\n", done.stdout, re.MULTILINE)


@pytest.fixture
def changed(course: Course) -> Iterator[Course]:
    """The same course, whose checks a test may change and grade with; afterwards they are as before."""
    checks = course.folder / "autograder/checks/mine/checks.py"
    before = checks.read_text("utf-8")
    yield course
    checks.write_text(before, "utf-8")
    assert course.types("release", "mine")[0] == 0


def test_a_star_changed_after_the_release_needs_another_release(changed: Course) -> None:
    changed.change("autograder/checks/mine/checks.py", "stars=2", "stars=0")
    status, printed = changed.types("grade", "class", "--out", "out")
    assert status == 2
    assert re.search(r"'mine'.*\(select\)", printed)
    assert changed.types("release", "mine")[0] == 0
    status, printed = changed.types("grade", "class", "--out", "out")
    assert status == 0, printed
    skips = summary(changed)["skips"]
    assert (skips["score"], skips["max_score"], skips["bonus"]) == ("7", "14", "0")


def test_a_worse_file_has_less(changed: Course) -> None:
    for student, total in (("all", 14), ("skips", 7)):
        submit(changed, "late", *BODIES[student])
        status, printed = changed.types("grade", "class", "--out", "out")
        assert status == 0, printed
        assert float(summary(changed)["late"]["total"]) == total
