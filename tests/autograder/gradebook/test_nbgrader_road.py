"""nbgrader's own road: validate, exchange, autograde and feedback, as real commands, on whatever was handed in."""

import csv
import json
import os
import pwd
import shutil
import subprocess
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

import nbformat
import pytest

from autograder.assignment import grade_id
from autograder.checks import checks, questions
from autograder.places import ROOT, released_notebook, source_notebook
from autograder.submissions.notebook import LINK
from tests.support.classes import opened_book, title, totals
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


def changed(student: str, change) -> bytes:
    """Return a submission of the example class after a change of its notebook."""
    notebook = nbformat.reads(submission(student).decode(), as_version=4)
    change(notebook)
    return json.dumps(notebook).encode()


def check_cells(notebook) -> list:
    checks = [cell for cell in notebook.cells if grade_id(cell).startswith("check-")]
    assert checks
    return checks


def forges(notebook) -> None:
    """Claim full points in every place where nbgrader itself looks: outputs, points, scores."""
    for cell in check_cells(notebook):
        cell.metadata.nbgrader.points = 400
        cell.metadata.nbgrader.score = 400
        cell.source = "400"
        data = {"text/plain": "400"}
        cell.outputs = [nbformat.v4.new_output("execute_result", data, execution_count=1)]


def retypes(notebook) -> None:
    for cell in check_cells(notebook):
        cell.cell_type = "markdown"
        del cell["outputs"], cell["execution_count"]
        cell.metadata.nbgrader.cell_type = "markdown"


def turns_into_solutions(notebook) -> None:
    for cell in check_cells(notebook):
        cell.metadata.nbgrader.update(solution=True, locked=False)


def duplicates(notebook) -> None:
    notebook.cells += [cell.copy() for cell in check_cells(notebook)]


def deletes(notebook) -> None:
    gone = check_cells(notebook)
    notebook.cells = [cell for cell in notebook.cells if cell not in gone]


def strips(notebook) -> None:
    for cell in notebook.cells:
        cell.metadata = {}
    notebook.metadata = {"colab": {"provenance": []}}


def names_another_kernel(notebook) -> None:
    notebook.metadata.kernelspec = {"name": "no-such-kernel", "display_name": "?", "language": "r"}


def has_one_id(notebook) -> None:
    for cell in notebook.cells:
        cell["id"] = "same"


def breaks_metadata(notebook) -> None:
    for cell in check_cells(notebook):
        cell.metadata.nbgrader = {"grade_id": ["a", "list"], "schema_version": 99, "points": "many"}


def in_format_3(student: str) -> bytes:
    return json.dumps(nbformat.convert(nbformat.reads(submission(student).decode(), as_version=4), 3)).encode()


CHANGES = [forges, retypes, turns_into_solutions, duplicates, deletes, strips]
CHANGES += [names_another_kernel, has_one_id, breaks_metadata]


def submit_all(course: Course) -> dict[str, float]:
    """Hand in one right notebook in every shape, and what is no notebook; return what each has to get."""
    right = submission("ada")
    expected = {change.__name__: ALL for change in CHANGES}
    for change in CHANGES:
        course.submit(change.__name__, changed("ada", change))
    for name, content in {
        "utf16": right.decode().encode("utf-16"),
        "marked": b"\xef\xbb\xbf" + right,
        "format3": in_format_3("ada"),
        "a [b] *é{x}": right,
        "-rf": right,
    }.items():
        course.submit(name, content)
        expected[name] = ALL
    for name, content in {
        "empty": b"",
        "broken": right[: len(right) // 2],
        "list": b"[1, 2]",
        "text": b"print(1)",
    }.items():
        course.submit(name, content)
        expected[name] = 0.0
    return expected | submit_what_is_no_file(course)


def submit_what_is_no_file(course: Course) -> dict[str, float]:
    """Hand in links, pipes and folders, beside a right notebook or in its place."""
    elsewhere = course.submit("zz-honest", submission("ada"))
    secret = course.folder / "for-teachers-only.txt"
    secret.write_text("what no student may read")
    course.submit("linked", b"").unlink()
    (course.folder / "submitted/linked/bahdanau/bahdanau.ipynb").symlink_to(elsewhere)
    (course.folder / "submitted/linked-folder").mkdir()
    (course.folder / "submitted/linked-folder/bahdanau").symlink_to(elsewhere.parent)
    nothing = course.submit("folder", b"")
    nothing.unlink()
    nothing.mkdir()
    os.mkfifo(course.folder / "submitted" / "pipe-pipe")  # no student's folder at all
    pipe = course.submit("pipe", b"")
    pipe.unlink()
    os.mkfifo(pipe)
    beside = course.submit("beside", submission("ada")).parent
    (beside / "data.txt").symlink_to(secret)
    (beside / "nowhere").symlink_to("/no/such/file")
    os.mkfifo(beside / "waits")
    (beside / "timestamp.txt").symlink_to(secret)
    stamped = {"late": b"no time at all", "bytes": b"\xff\xfe\x00", "year": b"0001-01-01 00:00:00 +9999"}
    for name, stamp in stamped.items():
        course.submit(name, submission("ada")).with_name("timestamp.txt").write_bytes(stamp)
    right = ["zz-honest", "beside", *stamped]
    return dict.fromkeys(["linked", "linked-folder", "folder", "pipe"], 0.0) | dict.fromkeys(right, ALL)


def written(folder: Path) -> str:
    """Return all that lies in a folder, as one text."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return "".join(f"{path}\n{path.read_text('utf-8', 'replace')}\n" for path in files)


def test_autograde_judges_for_itself_and_leaves_nobody_out(course: Course) -> None:
    """A forged, a broken and a partly right submission and one behind a link, in a folder of two lines of settings."""
    course.submit("forges", changed("fay", forges))
    course.submit("nils", submission("nils"))
    beside = course.submit("zoe", submission("fay")).parent
    (course.folder / "secret.txt").write_text("what no student may read")
    (beside / "data.txt").symlink_to(course.folder / "secret.txt")
    (beside / "timestamp.txt").write_text("no time at all")
    course.nbgrader("autograde", "bahdanau")
    assert totals(course.folder) == {("forges", "bahdanau"): 15.0, ("nils", "bahdanau"): 0.0, ("zoe", "bahdanau"): 15.0}
    assert "no student may read" not in written(course.folder / "autograded")


@pytest.mark.slow
def test_autograding_again_leaves_points_by_hand_final_until_the_answer_changes(course: Course) -> None:
    def answered(text: str) -> bytes:
        def answers(notebook) -> None:
            [cell] = [cell for cell in notebook.cells if grade_id(cell) == "reading_a_matrix"]
            cell.source = text

        return changed("fay", answers)

    def waits() -> bool:
        with opened_book(course.folder) as gradebook:
            grade = gradebook.find_grade("reading_a_matrix", "bahdanau", "bahdanau", "fay")
            assert grade.manual_score in (None, 2)
            return grade.needs_manual_grade

    place = course.submit("fay", answered("(a) The row of `</s>`."))
    course.nbgrader("autograde", "bahdanau")
    assert waits()
    with opened_book(course.folder) as gradebook:
        grade = gradebook.find_grade("reading_a_matrix", "bahdanau", "bahdanau", "fay")
        grade.manual_score, grade.needs_manual_grade = 2, False
        gradebook.db.commit()
    course.nbgrader("autograde", "bahdanau", "--student=fay", "--force")
    assert not waits()
    place.write_bytes(answered("(a) Another row."))
    course.nbgrader("autograde", "bahdanau", "--student=fay", "--force")
    assert waits()


@pytest.mark.slow
def test_nothing_that_is_handed_in_is_left_ungraded(course: Course) -> None:
    """What stock nbgrader stops at, each with the score that `grade` gives it."""
    expected = submit_all(course)
    course.nbgrader("autograde", "bahdanau")
    assert course.scores() == expected
    course.nbgrader("generate_feedback", "bahdanau")
    pages = {path.parents[1].name for path in (course.folder / "feedback").glob("*/bahdanau/bahdanau.html")}
    assert pages == set(expected)
    assert "no student may read" not in written(course.folder / "autograded") + written(course.folder / "feedback")
    assert LINK in written(course.folder / "feedback/linked")

    other = Course(course.folder.with_name("graded"))
    other.run("python", "-m", "autograder", "grade", str(course.folder / "submitted"), "--out", ".")
    assert other.scores() == expected


@pytest.mark.slow
def test_the_secret_and_the_limits_are_those_of_grade(course: Course) -> None:
    """The hidden inputs of both roads are the same: an answer that is right on some draws only gets the same score."""
    lucky = changed("ada", lambda notebook: guess(notebook))
    for student in ("a", "b", "c", "d", "e", "f"):
        course.submit(student, lucky)
    course.nbgrader("autograde", "bahdanau")
    other = Course(course.folder.with_name("graded"))
    other.run("python", "-m", "autograder", "grade", str(course.folder / "submitted"), "--out", ".")
    assert other.scores() == course.scores()
    assert len(set(course.scores().values())) > 1, "the guess is right for all or none: the test would see nothing"


def guess(notebook) -> None:
    """Answer wrongly where a digit of the first number that comes is unlucky: six such students hardly get the same."""
    [cell] = [cell for cell in notebook.cells if grade_id(cell) == "masked_softmax"]
    cell.source += """

_right = masked_softmax


def masked_softmax(scores, mask=None):
    unlucky = int(abs(float(scores.detach().flatten()[0])) * 1e4) % 8 == 7
    return _right(scores, mask) * (0.5 if unlucky else 1)
"""


@pytest.mark.slow
def test_validate_says_what_a_student_needs(released, tmp_path: Path) -> None:
    """Untouched it fails, solved it passes, half right it says what; so says the button too. No training."""
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

    shutil.copytree(tmp_path / "kit", student.folder / "kit")
    for name in names:
        shutil.copytree(tmp_path / name, student.folder / name)
    with student.server() as (address, token):
        messages = {name: pressed(address, token, f"{name}/bahdanau.ipynb") for name in names}
    assert all(answer["success"] for answer in messages.values()), messages
    assert len(messages["untouched"]["value"]["failed"]) == demanded
    assert "failed" not in messages["solved"]["value"]
    assert any("artial credit" in each["error"] for each in messages["partly"]["value"]["failed"])


def pressed(address: str, token: str, path: str) -> dict:
    """Return what the Validate button is told about a notebook."""
    about = urllib.parse.urlencode({"path": path}).encode()
    headers = {"Authorization": f"token {token}"}
    with urllib.request.urlopen(urllib.request.Request(f"{address}/assignments/validate", about, headers)) as answer:
        return json.load(answer)


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
        assert {row["student"]: float(row["score"]) for row in csv.DictReader(file)}["games"] == 15.0

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
