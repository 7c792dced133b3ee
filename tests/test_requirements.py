"""requirements.txt names every package that the project imports, pinned, with its reason."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from autograder.places import ROOT
from autograder.sandbox.mounts import packages_of_modules
from tests.support.imports import imports

OURS = ["autograder", "benchmarks", "book", "examples", "exercises", "lab", "solutions", "tests"]
# Named here and in no requirements: on Colab alone, with PyTorch for CUDA alone, and to compare with.
OPTIONAL = {
    "google": "autograder/kit/whole_file/dry_run.py",
    "triton": "solutions/long_context/kernel.py",
    "transformers": "benchmarks/published.py",
    "llama_cpp": "benchmarks/published.py",
}
LINE = re.compile(r"(?P<name>[\w.-]+)==(?P<version>\S+)\s+# \S.*")


def pinned() -> dict[str, str]:
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    matches = {line: LINE.fullmatch(line) for line in lines if line and not line.startswith("#")}
    assert all(matches.values()), [line for line, match in matches.items() if not match]
    return {match["name"].lower(): match["version"] for match in matches.values() if match}


def imported() -> dict[str, str]:
    """Return the top module of every import in the project, and a file where it is."""
    modules: dict[str, str] = {}
    own = {"inside", "answers", *OURS, *(path.stem for path in (ROOT / "book" / "_ext").glob("*.py"))}
    for path in (path for name in OURS for path in (ROOT / name).rglob("*.py")):
        for node, _ in imports(path.read_text("utf-8")):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            modules |= dict.fromkeys((name.partition(".")[0] for name in names), str(path.relative_to(ROOT)))
    return {name: path for name, path in modules.items() if name not in own | sys.stdlib_module_names}


def test_every_package_that_is_imported_is_pinned_with_its_reason():
    known, pins = packages_of_modules(), pinned()
    missing = {
        name: place
        for name, place in imported().items()
        if OPTIONAL.get(name) != place and not {package.lower() for package in known.get(name, [])} & set(pins)
    }
    assert not missing, f"imported there, but not in requirements.txt: {missing}"


def test_what_is_pinned_is_what_is_installed():
    assert {name: metadata.version(name).partition("+")[0] for name in pinned()} == pinned()


# Which Pythons serve


def made(folder: Path, python: str) -> tuple[int, str]:
    """Run `make setup` in a folder that holds nothing but the Makefile and what it reads; return status and output."""
    for name in ("Makefile", "requirements.txt", "apt.txt"):
        shutil.copy(ROOT / name, folder)
    kept = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "PYTHONPATH")}
    words = ["make", "--no-print-directory", "setup", f"PYTHON3={python}"]
    done = subprocess.run(words, cwd=folder, env=kept, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def pretended(place: Path, version: str) -> str:
    """Write a program that is as Python as make needs it to be, of this version; return its path."""
    first, second, third = version.split(".")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(
        f"""#!/bin/sh
case "$1" in
-c) exec {sys.executable} -c "import sys; sys.version_info = ({first}, {second}, {third}); exec(sys.argv[1])" "$2" ;;
-V) echo "Python {version}" ;;
*) echo "$0 $*"; exit 3 ;;
esac
"""
    )
    place.chmod(0o755)
    return str(place)


@pytest.mark.parametrize("version", ["2.7.18", "3.9.18", "3.10.13"])
def test_a_python_that_does_not_serve_is_named_before_anything_is_installed(tmp_path, version):
    status, output = made(tmp_path, pretended(tmp_path / "bin" / "python", version))
    assert status != 0
    [sentence] = [line for line in output.splitlines() if not line.startswith("make: ***")]
    assert sentence.startswith(
        f"The course needs Python 3.11 or newer, and {tmp_path}/bin/python is Python {version}: "
    )
    assert not (tmp_path / ".venv").exists()
    assert not (tmp_path / "build").exists()


def test_a_python_that_is_missing_and_an_environment_of_an_old_one_are_named(tmp_path):
    _, output = made(tmp_path, "python3.99")
    assert "and python3.99 is missing: make PYTHON3=python3.14 setup" in output.replace("\n", " ")
    pretended(tmp_path / ".venv" / "bin" / "python", "3.10.13")
    _, output = made(tmp_path, sys.executable)
    assert "and .venv/bin/python is Python 3.10.13: rm -r .venv, and make PYTHON3=python3.14 setup" in output


@pytest.mark.parametrize(("version", "is_newer"), [("3.11.0", False), ("3.14.8", False), ("3.15.0", True)])
def test_a_python_that_is_newer_than_was_tried_is_warned_about_and_taken(tmp_path, version, is_newer):
    _, output = made(tmp_path, pretended(tmp_path / "bin" / "python", version))
    assert f"{tmp_path}/bin/python -m venv .venv" in output  # what make does next, and the pretended program refuses
    assert (f"Python {version} is newer than was tried (Python 3.11 to 3.14)" in output) == is_newer


def test_the_tests_of_a_class_leave_its_release_alone(tmp_path):
    """Where there is a course.toml, `make test` releases into a folder of its own, and tests what is there."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in (".venv/stamps/requirements", ".venv/stamps/activate", "build/stamps/system"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\necho "$ATTENTION_BUILD $2"\n')
    python.chmod(0o755)
    for name in ("requirements.txt", "apt.txt"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, 0))
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "ATTENTION_"))}
    for verb, folder in (("test", "build"), ("release", ""), ("test", "build/tests")):
        done = subprocess.run(["make", verb], cwd=tmp_path, env=kept, capture_output=True, text=True, check=True)
        steps = ["autograder", "pytest"] if verb == "test" else ["autograder"]
        assert done.stdout.splitlines() == [f"{folder} {step}" for step in steps]
        if verb == "release":
            (tmp_path / "course.toml").touch()
    words = [sys.executable, "-c", "from autograder import places; print(places.KIT, places.RECORDED)"]
    done = subprocess.run(words, cwd=ROOT, env=kept | {"ATTENTION_BUILD": "build/x"}, capture_output=True, text=True)
    assert done.stdout.split() == [str(ROOT / "build" / "x" / "release" / "kit"), str(ROOT / "build" / "recordings")]


# The environment


def activated(course: Path, words: str, **more: str) -> str:
    """Return what a command prints far from the course in a shell that has activated its environment."""
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")} | more
    command = f'source "$COURSE/.venv/bin/activate" && cd / && {words}'
    shell = ["bash", "-euc", command]
    done = subprocess.run(shell, env=clean | {"COURSE": str(course)}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_an_activated_environment_finds_the_course_from_every_folder(tmp_path):
    """Nothing is to be set by hand, whatever the folder is called; and an environment set up twice is the same."""
    course = tmp_path / "Ada's course (2)"
    (course / "autograder").mkdir(parents=True)
    (course / "autograder" / "__main__.py").write_text("print(__file__)")
    for name in ("Makefile", "apt.txt"):
        shutil.copy(ROOT / name, course)
    (course / "requirements.txt").touch()
    kept = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "PYTHONPATH")}
    for _ in range(2):
        words = ["make", "setup", f"PYTHON3={sys.executable}"]
        done = subprocess.run(words, cwd=course, env=kept, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        shutil.rmtree(course / "build")
    assert activated(course, "python -m autograder") == str(course / "autograder" / "__main__.py")
    again = 'source "$COURSE/.venv/bin/activate" && echo "$PYTHONPATH"'
    assert activated(course, again) == str(course)
    assert activated(course, 'echo "$PYTHONPATH"', PYTHONPATH="/other").split(":") == [str(course), "/other"]


def test_all_that_say_which_pythons_serve_agree():
    templates = ROOT / "autograder" / "release" / "templates"
    for path in (
        ROOT / "README.md",
        ROOT / "Makefile",
        ROOT / "book" / "pages" / "start.md",
        templates / "start_here.txt",
    ):
        assert re.findall(r"Python (3\.\d+ to 3\.\d+)", path.read_text("utf-8")) == ["3.11 to 3.14"], path
    assert "OLDEST, TRIED = (3, 11), (3, 14)" in (templates / "start.py").read_text("utf-8")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    assert (settings["ruff"]["target-version"], settings["basedpyright"]["pythonVersion"]) == ("py311", "3.11")
