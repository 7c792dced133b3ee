"""Every program says what it does when asked, and where the course's packages are missing, what to do."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import __main__ as command
from autograder.places import ROOT
from tests.support.forked import python


def run(*words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return python(*words, cwd=cwd)


PROGRAMS = ("autograder clean", "examples.make_class", "lab.evaluation", "solutions.bahdanau", "book/make/build.py")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_asked_for_help_and_refuses_what_it_does_not_know(name):
    words = [name] if name.endswith(".py") else ["-m", *name.split()]
    done = run(*words, "--help")
    assert done.returncode == 0, done.stderr
    assert "usage:" in done.stdout
    done = run(*words, "--hepl")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--hepl" in done.stderr
    assert not list(ROOT.glob("-*"))


def without_packages(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a module as a Python does that has none of the course's packages."""
    command = [sys.executable, "-S", "-E", "-m", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(
    "words",
    [("solutions.bahdanau",), ("solutions.pooling", "train"), ("lab.evaluation",), ("autograder", "release", "luong")],
    ids=" ".join,
)
def test_a_program_is_run_without_the_environment(words):
    """As README says it, in a shell where `.venv` is not activated: it was a traceback, or a bare "No module named"."""
    done = without_packages(*words)
    assert done.returncode == 2
    [sentence] = done.stderr.splitlines()
    assert re.search(r"has no package '\w+': `make setup` .*source \.venv/bin/activate", sentence)


def test_clean_and_help_need_no_package():
    assert without_packages("autograder", "--help").returncode == 0
    assert without_packages("autograder", "clean", "--help").returncode == 0


def test_a_fault_of_our_own_keeps_its_traceback(tmp_path):
    for name in ("__init__.py", "programs.py"):
        (tmp_path / "lab").mkdir(exist_ok=True)
        (tmp_path / "lab" / name).write_text((ROOT / "lab" / name).read_text("utf-8"), encoding="utf-8")
    program = 'import lab.gone\n\nif __name__ == "__main__":\n    pass  # python -m lab.broken\n'
    (tmp_path / "lab" / "broken.py").write_text(program)
    done = run("-m", "lab.broken", cwd=tmp_path)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "lab.gone" in done.stderr


@pytest.mark.parametrize("name", ["NAME", "bahdanu", ""])
def test_release_is_given_a_name_that_is_none(name, capsys):
    assert command.main(["release", name]) == 2
    [sentence] = capsys.readouterr().err.splitlines()
    assert f"{name}: " in sentence
    assert "encoder_decoder, bahdanau" in sentence  # what there is


def test_what_the_makefile_imports_is_there():
    """A verb that asks for something by an old name would go on without it."""
    imports = re.findall(r"from (autograder[\w.]*|lab[\w.]*) import (\w+)", (ROOT / "Makefile").read_text())
    assert imports
    for module, name in imports:
        assert hasattr(importlib.import_module(module), name), f"{module} has no {name}"
