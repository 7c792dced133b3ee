"""Tests of what people write among the released files: nothing that `release` or `clean` does loses it, or ships it."""

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from autograder import assignment
from autograder.release import build, manifest
from autograder.settings import Settings

OTHER = next(name for name in reversed(assignment.assignments()) if name != "bahdanau")
SMALL = ["bahdanau", OTHER]


KIT = {Path("autograder", "__init__.py"): b"", Path("lab", "plots.py"): b"def heat_map(): ..."}


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a released course of two chapters, whose notebooks and kit are a few words long."""
    monkeypatch.setattr(build, "assignments", lambda: SMALL)
    monkeypatch.setattr(build, "checks", lambda name: {})
    monkeypatch.setattr(build, "recordings", lambda *_: {})
    monkeypatch.setattr(build, "_demand_whole", lambda *_: None)
    monkeypatch.setattr(build, "build_source", lambda name: nbformat.v4.new_notebook())
    monkeypatch.setattr(build, "for_students", lambda name, source: f"released: {name}\n")
    monkeypatch.setattr(build, "_shared_files", lambda: iter(KIT.items()))
    monkeypatch.setattr(build, "_requirements", lambda files: "torch==2.13.0  # the models\n")
    build.release(build=tmp_path / "build")
    return tmp_path


def notebook(course: Path, name: str = "bahdanau") -> Path:
    return course / "build" / "release" / name / f"{name}.ipynb"


def packed(course: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(course / "build" / "release" / "kit.zip") as archive:
        inside = {name.removeprefix("attention-workbook/"): archive.read(name) for name in archive.namelist()}
    return {name.removeprefix("kit/notebooks/"): content for name, content in inside.items()}


def below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def releasing(*words: str) -> Callable[[Path], None]:
    return lambda course: build.release(words, build=course / "build") and None


def cleaning(course: Path) -> None:
    manifest.Manifest(course / "build").clean()


VERBS = {"release": releasing(), "release bahdanau": releasing("bahdanau"), "release another": releasing(OTHER)}
VERBS["clean"] = cleaning
verbs = pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS.keys())


@verbs
def test_a_student_wrote_into_the_released_notebook(course, verb, capsys):
    notebook(course).write_bytes(b"my answer")
    verb(course)
    assert below(course / "work") == {"bahdanau/bahdanau.ipynb": b"my answer"}
    warnings = capsys.readouterr().err.splitlines()
    assert len(warnings) == 1
    assert str(notebook(course)) in warnings[0]
    assert str(course / "work" / "bahdanau" / "bahdanau.ipynb") in warnings[0]
    if verb is not cleaning:
        assert notebook(course).read_bytes() == b"released: bahdanau\n"


def test_a_student_has_files_of_their_own_beside_the_notebook(course):
    own = {"bahdanau/helpers.py": b"mine", "bahdanau/Untitled.ipynb": b"mine too", "notes.ipynb": b"and this"}
    for path, content in own.items():
        (course / "build" / "release" / path).write_bytes(content)
    before = packed(course)
    build.release(build=course / "build")
    assert {path: (course / "build" / "release" / path).read_bytes() for path in own} == own
    assert packed(course) == before
    cleaning(course)
    assert below(course / "work") == own


def test_a_student_changed_the_kit(course):
    changed = course / "build" / "release" / "kit" / "lab" / "plots.py"
    pristine = changed.read_bytes()
    changed.write_bytes(b"print('mine')")
    (changed.parent / "mine.py").write_bytes(b"mine")
    trained = course / "build" / "release" / "kit" / "build" / "runs" / "best.pt"
    trained.parent.mkdir(parents=True)
    trained.write_bytes(b"weights")
    (course / "build" / "source" / "bahdanau" / "bahdanau.ipynb").write_bytes(b"a better solution")  # a teacher did
    build.release(build=course / "build")
    assert changed.read_bytes() == pristine
    assert not (changed.parent / "mine.py").exists()
    assert trained.exists()
    kept = below(course / "work")
    assert kept.pop("saved/source/bahdanau/bahdanau.ipynb") == b"a better solution"
    assert sorted(kept.values()) == [b"mine", b"print('mine')"]
    assert not [name for name in packed(course) if "mine" in name or "best.pt" in name]


def test_there_is_no_room_to_keep_it(course, monkeypatch):
    """What cannot be kept stays where it is."""
    notebook(course).write_bytes(b"my answer")
    before = below(course / "build")
    monkeypatch.setattr(shutil, "copy2", lambda *_: (_ for _ in ()).throw(OSError("No space left on device")))
    for verb in VERBS.values():
        with pytest.raises(OSError, match="No space left"):
            verb(course)
        assert below(course / "build") == before
    assert below(course / "work") == {}


def test_a_chapter_was_dropped_that_a_student_had_written_in(course, monkeypatch):
    notebook(course, OTHER).write_bytes(b"my answer")
    monkeypatch.setattr(build, "assignments", lambda: ["bahdanau"])
    build.release(build=course / "build")
    assert not notebook(course, OTHER).parent.exists()
    assert below(course / "work") == {f"{OTHER}/{OTHER}.ipynb": b"my answer"}


def test_assignments_are_the_listed_chapters_and_those_without_one(tmp_path, monkeypatch):
    monkeypatch.setattr(assignment, "ROOT", tmp_path)
    for name in [*SMALL, "of_my_own"]:
        (tmp_path / "exercises" / name).mkdir(parents=True)
        (tmp_path / "exercises" / name / "notebook.md").touch()
    monkeypatch.setattr(assignment, "listed", lambda: [OTHER, "bahdanau"])
    assert assignment.assignments() == [OTHER, "bahdanau", "of_my_own"]
    monkeypatch.setattr(assignment, "settings", lambda: Settings(chapters=(OTHER,)))
    assert (assignment.assignments(), assignment.dropped()) == ([OTHER, "of_my_own"], ["bahdanau"])


def test_clean_leaves_what_no_command_makes_again(course, capsys):
    stays = {"runs/bahdanau/best.pt": b"weights", "class/gradebook.db": b"points by hand", "course-secret": b"secret"}
    for path, content in {**stays, "_build/html/index.html": b"", "no-sandbox": b""}.items():
        (course / "build" / path).parent.mkdir(parents=True, exist_ok=True)
        (course / "build" / path).write_bytes(content)
    cleaning(course)
    assert below(course / "build") == stays
    assert len(capsys.readouterr().out.splitlines()) == 3
    cleaning(course)
    shutil.rmtree(course / "build")
    cleaning(course)


def start(course: Path, *words: str) -> str:
    """Run the command that makes a copy to work in."""
    program = course / "build" / "release" / "kit" / "start.py"
    done = subprocess.run([sys.executable, program, *words], cwd=course, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("folder", [(), ("elsewhere/my work",)], ids=["work", "elsewhere"])
def test_a_student_works_in_the_copy_that_a_command_makes(course, folder):
    copies = course / (folder[0] if folder else "work")
    output = start(course, *folder)
    assert output.count("is new") == 2
    copy = copies / "1-bahdanau" / "bahdanau.ipynb"
    assert copy.read_bytes() == notebook(course).read_bytes()
    assert (copies / "kit" / "autograder").is_dir()
    copy.write_bytes(b"my answer")
    (copies / f"2-{OTHER}" / f"{OTHER}.ipynb").unlink()
    output = start(course, *folder)
    assert copy.read_bytes() == b"my answer"
    assert "stays as it is" in output
    assert output.count("is new") == 1
    cleaning(course)
    assert copy.read_bytes() == b"my answer"
    build.release(build=course / "build")
    start(course, *folder)
    assert copy.read_bytes() == b"my answer"
    assert (copies / "kit" / "autograder").is_dir()


def pretending(course: Path, version: tuple[int, int, int], system: str) -> subprocess.CompletedProcess[str]:
    """Run the kit's start.py as if this were another Python on another system."""
    program = course / "build" / "release" / "kit" / "start.py"
    pretend = f"import os, runpy, sys; sys.version_info = {version}; path = {str(program)!r}; sys.argv = [path]"
    text = program.read_text("utf-8").replace('os.name == "nt"', f'"{system}" == "nt"')
    program.write_text(text, encoding="utf-8")
    words = [sys.executable, "-c", f"{pretend}; runpy.run_path(path, run_name='__main__')"]
    return subprocess.run(words, cwd=course, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("system", ["nt", "posix"])
def test_a_python_that_is_too_old_is_told_the_way_out(course, system):
    done = pretending(course, (3, 10, 9), system)
    assert done.returncode == 2
    assert "The course needs Python 3.11 or newer; this is 3.10.9." in done.stderr
    assert {"nt": "py -3.14 kit/start.py", "posix": "python3.14 kit/start.py"}[system] in done.stderr
    assert not (course / "work").exists()


@pytest.mark.parametrize(("version", "is_newer"), [((3, 14, 8), False), ((3, 15, 0), True), ((4, 0, 0), True)])
def test_a_python_that_is_newer_than_was_tried_copies_the_notebooks_and_warns(course, version, is_newer):
    done = pretending(course, version, "posix")
    assert done.returncode == 0, done.stderr
    assert ("is newer than the last tried, 3.14." in done.stdout) == is_newer
    assert list((course / "work").glob("1-*/*.ipynb"))
