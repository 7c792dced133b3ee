"""Names and marks are for the teacher's eyes only, whatever the umask."""

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from autograder.files import atomic_write
from autograder.gradebook.store.gradebook import ClassGradebook
from autograder.places import ROOT
from autograder.report import page as report
from book.contents import page_file
from tests.support.teacher import settle

SECRET = ["summary.csv", "gradebook.db", "report.html"]


def open_to(out: Path, others: int) -> list[str]:
    """Return what others can read of a class, on a way on which every folder lets them pass."""
    seen = []
    for place, folders, names in os.walk(out):
        folders[:] = [name for name in folders if Path(place, name).stat().st_mode & others]
        paths = [Path(place, name) for name in names]
        seen += [str(path.relative_to(out)) for path in paths if path.stat().st_mode & others]
    return sorted(set(seen) - {"nbgrader_config.py", ".grade.lock"})  # neither names nor marks


@pytest.fixture
def umask():
    """Return `os.umask`; afterwards it is what it was."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_marks_are_readable_by_their_owner_only(teacher, out: Path, umask, mask: int) -> None:
    umask(mask)
    out.mkdir(mode=0o777)
    assert teacher()[0] == 0
    report.report(out)
    assert {name: stat.S_IMODE((out / name).stat().st_mode) for name in SECRET} == dict.fromkeys(SECRET, 0o600)
    assert open_to(out, 0o077) == []
    for path in out.rglob("*"):
        assert path.stat().st_mode & 0o400, "the owner can read it"


def test_after_the_commands_of_the_page_no_file_of_the_class_knows_a_student(teacher, out: Path) -> None:
    """As typed in the class's folder, by somebody who has all kinds of files there; the others keep their points."""

    (out.parent / "in" / "ada").rename(out.parent / "in" / "Lovelace")
    assert teacher()[0] == 0
    report.report(out)
    assert [path for path in out.rglob("*") if path.is_file() and b"Lovelace" in path.read_bytes()]
    text = (page_file("data_protection")).read_text("utf-8")
    [commands] = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    done = subprocess.run(
        ["bash", "-ec", commands.replace("STUDENT", "Lovelace")],
        cwd=out,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    left = [path for path in out.rglob("*") if "Lovelace" in str(path.relative_to(out))]
    assert not left
    assert not [path for path in out.rglob("*") if path.is_file() and b"Lovelace" in path.read_bytes()]
    shutil.rmtree(out.parent / "in" / "Lovelace")
    assert teacher()[0] == 0
    assert "bo,bahdanau" in (out / "summary.csv").read_text()


def test_a_class_folder_is_made_its_owners_and_hand_ins_in_it_stay_as_open_as_they_are(
    teacher, out: Path, tmp_path: Path, umask
) -> None:
    umask(0)
    teacher()
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    shutil.rmtree(out)
    out.mkdir()
    shutil.move(tmp_path / "in", out / "submitted")
    (out / "submitted").chmod(0o777)
    (tmp_path / "in").symlink_to(out / "submitted")
    teacher()
    assert stat.S_IMODE((out / "submitted").stat().st_mode) == 0o777


def test_teachers_who_share_a_class_with_their_group_still_do(teacher, out: Path) -> None:
    """nbgrader's own setting: the group reads and writes, nobody else does."""
    ClassGradebook(out)
    settle(out, "CourseDirectory.groupshared = True")
    teacher()
    assert stat.S_IMODE((out / "gradebook.db").stat().st_mode) == 0o660
    assert stat.S_IMODE((out / "summary.csv").stat().st_mode) == 0o660
    page = out / "feedback/ada/bahdanau/bahdanau.html"
    assert stat.S_IMODE(page.stat().st_mode) == 0o660
    assert all(folder.stat().st_mode & 0o070 == 0o070 for folder in list(page.parents)[:3])
    out.chmod(0o755)
    assert open_to(out, 0o007) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can write for somebody else")
def test_what_root_writes_in_somebodys_folder_is_theirs_to_read(teacher, out: Path) -> None:
    out.mkdir()
    os.chown(out, 65534, 65534)
    teacher()
    for path in out.rglob("*"):
        assert path.stat().st_uid == 65534 or path.name in (".grade.lock", "nbgrader_config.py"), path


def test_a_written_file_is_whole_and_private_at_every_moment(tmp_path: Path, umask, monkeypatch) -> None:
    umask(0)
    seen = []
    whole = Path.replace

    def looks(self: Path, to: Path) -> Path:
        seen.append(stat.S_IMODE(self.stat().st_mode))
        return whole(self, to)

    monkeypatch.setattr(Path, "replace", looks)
    atomic_write(tmp_path / "a/b/marks", b"29")
    assert seen == [0o600]
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "a/b", "a/b/marks")] == [
        0o700,
        0o700,
        0o600,
    ]
