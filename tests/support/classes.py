"""A class for the tests of `grade`: who hands in, who judges, and what is then found in gradebook and summary."""

import contextlib
import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder import checks
from autograder.assignment import assignments
from autograder.grade.run import grade
from autograder.gradebook.store.gradebook import quiet
from autograder.judge.assess import Outcome, Task
from autograder.judge.judge import Judge
from autograder.judge.process import judged_by
from autograder.kit.verdict.cases import title_of
from examples import make_class

with quiet():
    from nbgrader.api import Gradebook

QUICK = ["emil", "fay", "ivan", "mia", "nils"]  # one of every family that needs no time-out


@dataclass
class Here:
    """Judges in this process, one after the other."""

    judge: Judge

    def outcomes(self, tasks: Iterable[tuple[int, Task]]) -> Iterator[tuple[int, Outcome]]:
        for number, task in tasks:
            yield number, judged_by(self.judge, task)


def run_here(judge: Judge, folder: Path, out: Path) -> int:
    """Grade a folder in this process and return the exit status."""
    return grade(folder, out, lambda count: contextlib.nullcontext(Here(judge)))


@contextlib.contextmanager
def opened_book(out: Path) -> Iterator[Gradebook]:
    """Open a class's gradebook as a teacher's tool does; what is changed in it is kept."""
    with quiet(), Gradebook(f"sqlite:///{out / 'gradebook.db'}", "") as gradebook:
        yield gradebook
        gradebook.db.commit()


def totals(out: Path) -> dict[tuple[str, str], float]:
    """Return the scores in nbgrader's gradebook."""
    with opened_book(out) as gradebook:
        submissions = [each for name in assignments() for each in gradebook.assignment_submissions(name)]
        return {(each.student.id, each.name): each.score for each in submissions}


def summary(out: Path) -> dict[tuple[str, str], dict[str, str]]:
    with (out / "summary.csv").open(newline="") as file:
        return {(row["student"], row["assignment"]): row for row in csv.DictReader(file)}


def page(out: Path, student: str, name: str = "bahdanau") -> str:
    return (out / "feedback" / student / name / f"{name}.html").read_text("utf-8")


def total_on(feedback: str) -> tuple[float, float]:
    """Return the points that a feedback page has at its top, and how many there are."""
    total = re.search(r'<p class="total"><strong>([\d.]+)</strong>\D+([\d.]+)', feedback)
    assert total, "the page names no score"
    return float(total[1]), float(total[2])


def points_on(feedback: str, part: str) -> tuple[float, float]:
    """Return the points that a feedback page's table has for a part, and how many there are."""
    row = re.search(rf"#[^>]*>{re.escape(part)}</a>[^<]*</th><td>([\d.]+)\D+([\d.]+)</td>", feedback)
    assert row, f"the page has no row for {part}"
    return float(row[1]), float(row[2])


def title(check_id: str, mistake: str) -> str:
    """Return the sentence by which feedback names a known mistake."""
    [known] = [each for each in checks.find(check_id).mistakes if each.__name__ == mistake]
    return title_of(checks.hint_of(known))


def graded_now(printed: str) -> int:
    """Return how many submissions a run has graded, as it says at its end; the others had their grades already."""
    [count] = re.findall(r"(\d+) graded now", printed)
    return int(count)


def submit(folder: Path, names: list[str]) -> None:
    for student in make_class.students():
        if student.name in names:
            for name in student.assignments:
                path = folder / student.name / name / f"{name}.ipynb"
                path.parent.mkdir(parents=True)
                path.write_bytes(student.submission(name))


@pytest.fixture
def run(course_judge: Judge):
    """Return a function that grades a folder and returns the exit status."""
    return lambda folder, out: run_here(course_judge, folder, out)


@pytest.fixture(scope="session")
def graded(course_judge: Judge, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return what a part of the example class handed in, and its graded class."""
    folder, out = tmp_path_factory.mktemp("submitted"), tmp_path_factory.mktemp("class")
    submit(folder, QUICK)
    assert run_here(course_judge, folder, out) == 0
    return folder, out
