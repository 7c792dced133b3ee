"""Repositories as hand-ins: what is collected, what comes back, and the workflows' scripts as they stand there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from autograder.assignment import assignments
from autograder.places import ROOT, released_notebook, source_notebook
from autograder.release.branch import commit, git
from examples.github import repositories
from tests.support.sandboxed import demand_sandbox
from tests.support.student import unzipped

WORKFLOW = ROOT / "examples" / "github" / "grade.yml"
OTHER = next(name for name in reversed(assignments()) if name != "bahdanau")
HERE = {f"GIT_{who}_{what}": "somebody" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
HERE |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "CLASS_TOKEN": "a-token"}


@pytest.fixture
def course(released, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Two students' repositories, a third that is not there, and the table of all three."""
    for name, value in HERE.items():
        monkeypatch.setenv(name, value)
    rows = ["student,repository"]
    for student in ("ada", "bo"):
        git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", f"{student}.git")
        rows.append(f"{student},{tmp_path / student}.git")
    (tmp_path / "students.csv").write_text("\n".join([*rows, f"cy,{tmp_path}/nowhere.git"]))
    return tmp_path


def hands_in(course: Path, student: str, files: dict[str, bytes]) -> None:
    commit(course / f"{student}.git", "main", files, "work")


def collected(course: Path) -> str:
    words = course / "students.csv", course / "clones", course / "handed-in"
    return "\n".join(repositories.collect(*words))


def tree(place: Path) -> dict[str, bytes]:
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def test_notebooks_are_read_byte_by_byte_and_nothing_else_of_a_repository(course: Path) -> None:
    mine = b'{"cells": []}  \n\n\xff'
    files = {"work/2-bahdanau/bahdanau.ipynb": mine, "kit/notebooks/bahdanau/bahdanau.ipynb": b"{}", "a.py": b"x"}
    hands_in(course, "ada", files | {"bahdanau.ipynb.txt": b"", ".gitattributes": b"*.ipynb filter=evil\n"})
    shown = collected(course)
    assert tree(course / "handed-in") == {"ada/work/2-bahdanau/bahdanau.ipynb": mine}
    assert "bo: git fetch failed" in shown  # nothing was pushed
    assert "cy: git fetch failed" in shown
    assert "a-token" not in shown


def test_a_link_in_a_repository_is_not_followed(course: Path) -> None:
    (course / "secret").write_text("of the teacher")
    folder = course / "ada"
    git(course, "clone", "--quiet", str(course / "ada.git"), str(folder))
    (folder / "bahdanau.ipynb").symlink_to(course / "secret")
    (folder / f"{OTHER}.ipynb").write_bytes(b"{}")
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "work")
    git(folder, "push", "--quiet", "origin", "HEAD:main")
    collected(course)
    assert tree(course / "handed-in") == {f"ada/{OTHER}.ipynb": b"{}"}


def test_what_is_deleted_there_goes_here_and_who_cannot_be_reached_keeps_what_was_there(course: Path) -> None:
    hands_in(course, "ada", {"bahdanau.ipynb": b"1", "luong.ipynb": b"1"})
    hands_in(course, "bo", {"bahdanau.ipynb": b"2"})
    collected(course)
    hands_in(course, "ada", {"bahdanau.ipynb": b"3"})
    (course / "bo.git").rename(course / "elsewhere")
    collected(course)
    assert tree(course / "handed-in") == {"ada/bahdanau.ipynb": b"3", "bo/bahdanau.ipynb": b"2"}


def steps(path: Path, job: str) -> dict[str, dict]:
    """Return the steps of a workflow that have a script, by their names."""
    workflow = yaml.safe_load(path.read_text("utf-8"))
    return {step["name"]: step for step in workflow["jobs"][job]["steps"] if "run" in step}


def runs(step: dict, folder: Path, **more: str) -> str:
    """Run a step's script as GitHub's shell does."""
    python = str(Path(sys.executable).parent)
    environment = os.environ | HERE | more | {"PATH": f"{python}:{os.environ['PATH']}"}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
def test_the_teachers_workflow_grades_and_gives_back_and_keeps_the_gradebook(course: Path) -> None:
    demand_sandbox()
    hands_in(course, "ada", {"work/2-bahdanau/bahdanau.ipynb": source_notebook("bahdanau").read_bytes()})
    hands_in(course, "bo", {"bahdanau.ipynb": released_notebook("bahdanau").read_bytes()})
    git(course, "init", "--quiet", "--bare", "teacher.git")
    script = steps(WORKFLOW, "grade")
    for number in (1, 2):  # each run on a fresh machine
        folder = course / f"runner-{number}"
        git(course, "clone", "--quiet", str(course / "teacher.git"), str(folder))
        (folder / "students.csv").write_bytes((course / "students.csv").read_bytes())
        (folder / "course").symlink_to(ROOT)
        said = {name: runs(script[name], folder, PYTHONPATH="course") for name in list(script)[2:]}
        assert ("ada: 1 pages" if number == 1 else "ada: as before") in said["give back"]
    assert list(script)[:2] == ["install", "release"]
    assert "| bahdanau | 79 | 66 |" in git(course / "ada.git", "show", "feedback:README.md")
    assert "<html" in git(course / "bo.git", "show", "feedback:bahdanau.html")
    assert "gradebook.db" in git(course / "teacher.git", "ls-tree", "--name-only", "grades")
    assert "0 graded" in said["grade"] or "kept" in said["grade"], said["grade"]  # the second run has the first one's


@pytest.mark.slow
def test_the_students_workflow_shows_a_table_and_fails_where_points_are_lost(released, tmp_path: Path) -> None:
    folder = unzipped(released.parent, tmp_path)
    work = folder / "work" / "2-bahdanau"
    work.mkdir(parents=True)
    script = steps(folder / "kit" / "check.yml", "check")["check"]
    for content, expected in ((released_notebook("bahdanau"), 1), (source_notebook("bahdanau"), 0)):
        (work / "bahdanau.ipynb").write_bytes(content.read_bytes())
        summary = tmp_path / f"summary-{expected}"
        more = {"GITHUB_STEP_SUMMARY": str(summary), "PYTHONPATH": ""}
        quiet = {"run": f"({script['run']}) || test $? = {expected}"}
        runs(quiet, folder, **more)
        assert "masked_softmax" in summary.read_text("utf-8")


def test_workflows_say_what_github_asks_of_them() -> None:
    for path in (WORKFLOW, ROOT / "autograder" / "release" / "templates" / "check.yml"):
        workflow = yaml.safe_load(path.read_text("utf-8"))
        assert {"name", True, "permissions", "jobs"} <= set(workflow), path  # `on` is YAML's true
        for job in workflow["jobs"].values():
            assert all(("uses" in step) != ("run" in step) for step in job["steps"])
    assert "secrets." not in json.dumps([step["run"] for step in steps(WORKFLOW, "grade").values()])
