"""nbgrader's commands: validate, exchange, autograde and feedback, as real commands, on whatever was handed in."""

import csv
import json
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import nbformat
import pytest

from autograder.assignment import grade_id
from autograder.checks import checks, questions
from autograder.places import ROOT, released_notebook, source_notebook
from autograder.submissions.notebook import LINK
from tests.support.classes import title, totals
from tests.support.nbgrader_course import Course, submission
from tests.support.points import by_checks
from tests.support.sandboxed import demand_sandbox

ALL = by_checks("bahdanau")
FAYS_MISTAKE = title("bahdanau.masked_softmax", "mask_after_softmax")

STUDENTS = ("games", "daemon")  # users that every Debian has, for an exchange between users


@pytest.fixture
def course(released, tmp_path: Path) -> Course:
    """Return a course folder made as the README says, with nothing in it."""
    demand_sandbox()
    return Course(tmp_path / "course")


def forged(student: str) -> bytes:
    """Return a submission that claims full points in every place where nbgrader itself looks."""
    notebook = nbformat.reads(submission(student).decode(), as_version=4)
    for cell in notebook.cells:
        if grade_id(cell).startswith("check-"):
            cell.metadata.nbgrader |= {"points": 400, "score": 400}
            cell.source = "400"
            cell.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "400"}, execution_count=1)]
    return json.dumps(notebook).encode()


def written(folder: Path) -> str:
    """Return all that lies in a folder, as one text."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return "".join(f"{path}\n{path.read_text('utf-8', 'replace')}\n" for path in files)


def test_autograde_judges_for_itself_and_leaves_nobody_out(course: Course) -> None:
    """What is forged, broken, partly right, behind a link or no file, by people of any name; each is judged once."""
    course.submit("forges", forged("fay"))
    course.submit("nils", submission("nils"))
    course.submit("ada", submission("ada"))
    beside = course.submit("a [b] *é{x}", submission("fay")).parent
    (course.folder / "secret.txt").write_text("what no student may read")
    for name in ("data.txt", "timestamp.txt"):
        (beside / name).symlink_to(course.folder / "secret.txt")
    course.submit("stamped", submission("fay")).with_name("timestamp.txt").write_bytes(b"\xff\xfe\x00")
    course.submit("linked", b"").unlink()
    (course.folder / "submitted/linked/bahdanau/bahdanau.ipynb").symlink_to(beside / "bahdanau.ipynb")
    pipe = course.submit("pipe", b"")
    pipe.unlink()
    os.mkfifo(pipe)
    course.nbgrader("autograde", "bahdanau")
    points = {"ada": ALL, "forges": 15.0, "nils": 0.0, "a [b] *é{x}": 15.0, "stamped": 15.0, "linked": 0.0, "pipe": 0.0}
    assert totals(course.folder) == {(student, "bahdanau"): score for student, score in points.items()}
    assert LINK in (course.folder / "feedback/linked/bahdanau/bahdanau.html").read_text()
    assert "no student may read" not in written(course.folder / "autograded") + written(course.folder / "feedback")
    assert "Graded already" in course.nbgrader("autograde", "bahdanau", "--student=nils", "--log-level=INFO")


@pytest.mark.slow
def test_validate_says_what_a_student_needs(released, tmp_path: Path) -> None:
    """Untouched it fails, solved it passes, half right it says what. No training."""
    shutil.copytree(released / "kit", tmp_path / "kit")
    partly = tmp_path / "partly" / "bahdanau.ipynb"
    for name, path in {"untouched": released_notebook("bahdanau"), "solved": source_notebook("bahdanau")}.items():
        (tmp_path / name).mkdir()
        shutil.copy(path, tmp_path / name / "bahdanau.ipynb")
    partly.parent.mkdir()
    partly.write_bytes(submission("fay"))
    student = Course(tmp_path / "student")
    (student.folder / "nbgrader_config.py").unlink()
    names = ("untouched", "solved", "partly")
    printed = {name: student.nbgrader("validate", f"../{name}/bahdanau.ipynb") for name in names}
    demanded = sum(not each.stars for each in checks("bahdanau").values()) + len(questions("bahdanau"))
    assert f"VALIDATION FAILED ON {demanded} CELL(S)" in printed["untouched"]
    assert "Success! Your notebook passes all the tests." in printed["solved"]
    assert "VALIDATION FAILED" in printed["partly"]
    assert "artial credit" in printed["partly"]


def as_user(user: str, home: Path, *words: str) -> str:
    """Run one of nbgrader's commands as another user, who sees the system's Python and our packages only."""
    packages = Path(nbformat.__file__).parents[1]
    command = ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}", "--clear-groups", "env", "-i"]
    command += [f"HOME={home}", "PATH=/usr/bin:/bin", f"PYTHONPATH={packages}", "/usr/bin/python3", "-m", "nbgrader"]
    done = subprocess.run([*command, *words], cwd=home, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def exchange(released):
    """Return a course with an exchange folder, and the homes of its students, who are other users."""
    demand_sandbox()
    if os.geteuid() != 0:
        pytest.skip("only root can act as several users")
    if subprocess.run(["/usr/bin/python3", "-c", "import sys; sys.exit(sys.version_info[:2] != (3, 11))"]).returncode:
        pytest.skip("the system's Python is another than the course's")
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are for their owner only
        Path(folder).chmod(0o755)
        yield with_exchange(Path(folder))


def with_exchange(place: Path) -> tuple[Course, dict[str, Path]]:
    where = f"c.CourseDirectory.course_id = 'attention'\nc.Exchange.root = {str(place / 'exchange')!r}\n"
    course = Course(place / "course", where + "c.LateSubmissionPlugin.penalty_method = 'zero'\n")
    homes = {user: place / user for user in STUDENTS}
    for user, home in homes.items():
        home.mkdir()
        (home / "nbgrader_config.py").write_text("c = get_config()\n" + where)
        shutil.chown(home, user)
    return course, homes


@pytest.mark.slow
def test_the_exchange_there_and_back(exchange) -> None:
    """Release, fetch, hand in, collect, grade on both roads alike, and feedback back; the late one pays."""
    course, homes = exchange
    course.nbgrader("db", "assignment", "add", "bahdanau", "--duedate=2020-01-01 12:00:00 UTC")
    course.nbgrader("release_assignment", "bahdanau")
    handed = {"games": submission("fay"), "daemon": submission("ada")}
    for user, home in homes.items():
        assert "attention bahdanau" in as_user(user, home, "list")
        as_user(user, home, "fetch_assignment", "bahdanau")
        assert (home / "bahdanau/bahdanau.ipynb").read_bytes() == released_notebook("bahdanau").read_bytes()
        (home / "bahdanau/bahdanau.ipynb").write_bytes(handed[user])
        as_user(user, home, "submit", "bahdanau")
    inbound = course.folder.with_name("exchange") / "attention/inbound"
    forge_in_the_exchange(inbound)

    output = course.nbgrader("collect", "bahdanau")
    assert "belongs to nobody" in output
    for user in STUDENTS:
        assert (course.folder / f"submitted/{user}/bahdanau/bahdanau.ipynb").read_bytes() == handed[user]
    assert not (course.folder / "submitted/nobody/bahdanau/bahdanau.ipynb").exists()

    course.nbgrader("autograde", "bahdanau")
    rows = course.grades()
    assert {user: float(rows[user]["raw_score"]) for user in rows} == {"games": 15.0, "daemon": ALL, "nobody": 0.0}
    assert {float(row["score"]) for row in rows.values()} == {0.0}  # all handed in late
    course.run("python", "-m", "autograder", "grade", "submitted", "--out", ".")
    assert course.grades() == rows
    with (course.folder / "summary.csv").open(newline="") as file:
        assert {row["student"]: row["score"] for row in csv.DictReader(file)}["games"] == "15"

    course.nbgrader("generate_feedback", "bahdanau", "--force")
    output = course.nbgrader("release_feedback", "bahdanau")
    assert "No feedback released to 'nobody'" in output
    for user, home in homes.items():
        as_user(user, home, "fetch_feedback", "bahdanau")
        [page] = home.glob("bahdanau/feedback/*/bahdanau.html")
        assert (FAYS_MISTAKE in page.read_text()) == (user == "games")


def forge_in_the_exchange(inbound: Path) -> None:
    """Do, as the user nobody, what a student can do in a folder that all may write to."""
    theirs = pwd.getpwnam("nobody").pw_uid
    taken = inbound / "games+bahdanau+2030-01-01 00:00:00.000000 UTC+zzz"  # in somebody else's name
    linked = inbound / "nobody+bahdanau+2026-01-01 00:00:00.000000 UTC+zzz"
    for place in (taken, linked, inbound / "nobody+bahdanau+never+zzz", inbound / "bahdanau"):
        place.mkdir()
    (taken / "bahdanau.ipynb").write_bytes(b"{}")
    (linked / "bahdanau.ipynb").symlink_to(source_notebook("bahdanau"))  # the teacher's own
    (inbound / "nobody+bahdanau+2025-01-01 00:00:00.000000 UTC+zz2").symlink_to(ROOT / "build" / "source" / "bahdanau")
    for place in inbound.iterdir():
        if place in (taken, linked) or place.name.startswith(("nobody", "bahdanau")):
            os.lchown(place, theirs, -1)
