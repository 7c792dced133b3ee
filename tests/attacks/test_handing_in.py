"""Names, zips and folders that a student makes up: they make them nobody else, and keep nobody waiting."""

import contextlib
import io
import os
import socket
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

from autograder.submissions import collect
from tests.attacks.cases import NAME, written

SOLVED, BLANK = written([], "solved"), written([], "blank")


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def test_a_file_called_as_an_lms_would_is_still_its_owners(tmp_path: Path) -> None:
    put(tmp_path / "ada" / NAME / f"{NAME}.ipynb", SOLVED)
    put(tmp_path / "mallory" / NAME / f"{NAME}.ipynb", SOLVED)
    put(tmp_path / "mallory" / f"ada_1_2_{NAME}.ipynb", BLANK)
    put(tmp_path / "mallory" / "zoe_1_assignsubmission_file_" / f"{NAME}.ipynb", BLANK)
    box = collect.read(tmp_path, [NAME])
    assert [submission.student for submission in box.submissions] == ["ada", "mallory"]
    assert {rejected.student for rejected in box.rejected} == {"mallory"}


def packed(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return file.getvalue()


def variants(count: int) -> dict[str, bytes]:
    """Return as many notebooks, no two of them the same file."""
    return {f"{n}.ipynb": BLANK[:-1] + b" " * n + b"}" for n in range(count)}


def refused(box: collect.Inbox, word: str) -> list[str]:
    """Return the students of an LMS who get a reason with this word in place of a grade."""
    reasons = [(each.student, each.source.problem) for each in box.submissions if not each.has_notebook]
    return [student for student, reason in reasons if reason and word in reason]


def test_a_zip_of_a_thousand_notebooks_is_refused_and_the_others_are_read(tmp_path: Path) -> None:
    inner = packed({"more": bytes(20 << 20)} | variants(1000))
    files = {"Mallory_2_assignsubmission_file_/work.zip": inner, f"Ada_1_assignsubmission_file_/{NAME}.ipynb": SOLVED}
    put(tmp_path / "class.zip", packed(files))
    began = time.monotonic()
    box = collect.read(tmp_path / "class.zip", [NAME])
    assert [submission.student for submission in box.submissions if submission.has_notebook] == ["Ada"]
    assert refused(box, "1000") == ["Mallory"]
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(("zips", "each"), [(8, 20), (8, 1990), (30, 2)])
def test_zips_of_equal_notebooks_are_opened_once_each(tmp_path: Path, monkeypatch, zips: int, each: int) -> None:
    """Two of 1,990 took 105 seconds before anybody was graded, eight were not through after 500."""
    opened, opens = [], zipfile.ZipFile
    put(tmp_path / "ada" / NAME / f"{NAME}.ipynb", SOLVED)
    content = packed({f"{n}.ipynb": BLANK for n in range(each)})
    for number in range(zips):
        put(tmp_path / "mallory" / f"{number}.zip", content)
    monkeypatch.setattr(zipfile, "ZipFile", lambda *a: opened.append(a) or opens(*a))
    began = time.monotonic()
    box = collect.read(tmp_path, [NAME])
    assert time.monotonic() - began < 30
    taken = {submission.student: submission.content() for submission in box.submissions}
    assert taken.pop("ada") == SOLVED
    if zips <= 20 and zips * each <= 200:
        assert taken == {"mallory": BLANK}
    else:
        assert {rejected.student for rejected in box.rejected} == {"mallory"}
    assert len(opened) <= 2 * zips + 1  # once to be listed, once to be compared


def test_a_properly_filed_notebook_counts_beside_a_clone_of_a_textbook(tmp_path: Path) -> None:
    put(tmp_path / "ada" / NAME / f"{NAME}.ipynb", SOLVED)
    for name, content in variants(300).items():
        put(tmp_path / "ada" / "textbook" / name, content)
    box = collect.read(tmp_path, [NAME])
    assert [submission.content() for submission in box.submissions] == [SOLVED]
    [rejected] = box.rejected
    assert rejected.student == "ada"
    assert rejected.error.startswith("301 notebooks were handed in, at most 200 are looked into; ")


def many_files(folder: Path, count: int) -> None:
    for n in range(count):
        if n % 1000 == 0:
            (folder / str(n)).mkdir(parents=True)
        (folder / str(n // 1000 * 1000) / f"{n}.py").touch()


@pytest.fixture
def few(monkeypatch) -> None:
    """Make the limits small, and so the test quick."""
    monkeypatch.setattr("autograder.submissions.files.MOST_FILES", 200)


@pytest.mark.parametrize("flat", [True, False])
def test_one_students_two_hundred_thousand_files_cost_that_student_alone(tmp_path: Path, few, flat: bool) -> None:
    for name in ("ada", "mallory"):
        put(tmp_path / name / NAME / f"{NAME}.ipynb", SOLVED)
    if flat:
        for n in range(250):
            (tmp_path / "mallory" / f"{n}.txt").touch()
    else:
        many_files(tmp_path / "mallory" / "work", 1250)
    box = collect.read(tmp_path, [NAME])
    assert [submission.student for submission in box.submissions] == ["ada"]
    [rejected] = box.rejected
    assert rejected.student == "mallory"
    assert "it holds more than 200 files; hand in the notebooks alone" in rejected.error


def test_so_do_they_in_a_folder_around_the_class_and_in_a_zip(tmp_path: Path, few) -> None:
    files = {f"class/{name}/{NAME}/{NAME}.ipynb": SOLVED for name in ("ada", "mallory")}
    files |= {f"class/mallory/{n}.txt": b"" for n in range(250)}
    put(tmp_path / "class.zip", packed(files))
    box = collect.read(tmp_path / "class.zip", [NAME])
    assert [submission.student for submission in box.submissions] == ["ada"]
    assert [(rejected.student, "200" in rejected.error) for rejected in box.rejected] == [("mallory", True)]
    moodle = {f"all/{name}_{n}_assignsubmission_file_/{NAME}.ipynb": SOLVED for n, name in enumerate(["ada", "bo"])}
    for name, content in moodle.items():
        put(tmp_path / "lms" / name, content)
    many_files(tmp_path / "lms" / "all" / "bo_1_assignsubmission_file_", 1250)
    box = collect.read(tmp_path / "lms", [NAME])
    assert [submission.student for submission in box.submissions if submission.has_notebook] == ["ada"]
    assert refused(box, "200") == ["bo"]


def test_virtual_environments_beside_the_notebook_are_not_looked_into(tmp_path: Path, few) -> None:
    for n in range(3):
        put(tmp_path / "ada" / f"hw{n}" / ".venv" / "pyvenv.cfg", b"home = /usr/bin")
        many_files(tmp_path / "ada" / f"hw{n}" / "env" / "lib" / "python3.11" / "site-packages", 1250)
    many_files(tmp_path / "ada" / "node_modules", 1250)
    put(tmp_path / "ada" / NAME / f"{NAME}.ipynb", SOLVED)
    box = collect.read(tmp_path, [NAME])
    assert [(submission.student, submission.content()) for submission in box.submissions] == [("ada", SOLVED)]
    assert box.rejected == []


def test_what_nobody_could_read_is_said_and_the_class_is_read(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Pipes, sockets, links by the thousand, folders too deep, names as long as they can be."""
    put(tmp_path / "ada" / NAME / f"{NAME}.ipynb", SOLVED)
    mallory = tmp_path / "mallory"
    mallory.mkdir()
    # pytest's own clearing up ends at a path that is too long.
    request.addfinalizer(lambda: subprocess.run(["rm", "-rf", mallory], check=True))
    os.mkfifo(mallory / "pipe.ipynb")
    with socket.socket(socket.AF_UNIX) as listener, contextlib.chdir(mallory):
        listener.bind("s.ipynb")
    for n in range(1000):
        (mallory / f"link {n}").symlink_to(tmp_path / "ada")
    deep = os.open(mallory, os.O_RDONLY)
    for _ in range(40):  # longer together than any path may be
        os.mkdir("d" * 250, dir_fd=deep)
        deep, before = os.open("d" * 250, os.O_RDONLY, dir_fd=deep), deep
        os.close(before)
    os.close(deep)
    box = collect.read(tmp_path, [NAME])
    assert [submission.student for submission in box.submissions] == ["ada"]
    assert {rejected.student for rejected in box.rejected} == {"mallory"}
    assert len(box.rejected) <= 51
    assert "files more that are not graded" in box.rejected[-1].error + box.rejected[0].error
