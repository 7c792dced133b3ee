"""Every program says what it does when asked, and refuses in one sentence what it does not know."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder import __main__ as command
from autograder import assignment
from autograder.places import ROOT
from autograder.release import build
from lab.programs import guard, programs
from tests.support.forked import python

PACKAGES = ("autograder", "benchmarks", "examples", "lab", "solutions", "tests")
PROGRAMS = [name for package in PACKAGES for name in programs(package)]


def run(*words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return python(*words, cwd=cwd)


def without_packages(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a module as a Python does that has none of the course's packages."""
    command = [sys.executable, "-S", "-E", "-m", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def test_programs_are_discovered():
    ours = {"autograder", "examples.make_class", "lab.evaluation", "solutions.bahdanau", "benchmarks.training"}
    assert ours <= set(PROGRAMS)
    started_by_the_grader = {"autograder.submissions.parser_process", "autograder.sandbox.inside.zygote"}
    assert not started_by_the_grader & set(PROGRAMS)


QUICK = {"autograder", "examples.make_class", "lab.evaluation", "solutions.bahdanau"}


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in PROGRAMS]
)
def test_a_program_is_asked_for_help(name):
    done = run("-m", name, "--help")
    assert done.returncode == 0, done.stderr
    assert f"python -m {name}" in done.stdout or "usage:" in done.stdout
    assert not list(ROOT.glob("-*"))


@pytest.mark.parametrize("name", ["lab.evaluation", "examples.make_class", "autograder clean", "solutions.luong"])
def test_an_option_is_misspelt(name):
    done = run("-m", *name.split(), "--hepl")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "--hepl" in done.stderr
    assert not list(ROOT.glob("-*"))


@pytest.mark.parametrize("script", ["book/build.py", "autograder/release/templates/start.py"])
def test_a_script_is_asked_for_help(script):
    done = run(script, "--help")
    assert done.returncode == 0, done.stderr
    assert "usage:" in done.stdout
    assert run(script, "--hepl").returncode == 2


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("solutions.bahdanu", "Did you mean solutions.bahdanau?"),
        ("solutions.Bahdanau", "Did you mean solutions.bahdanau?"),
        ("solutions.bahdanau.model", "expected one of"),
        ("solutions.bert", "solutions.luong, solutions.pooling"),
        ("solutions", "solutions.luong, solutions.pooling"),
        ("lab", "expected one of lab.evaluation"),
        ("lab.evaluate", "Did you mean lab.evaluation?"),
        ("lab.training", "expected one of lab.evaluation"),
        ("autograder.grade.run", "expected one of autograder"),
        ("autograder.submissions.parse_untrusted", "expected one of autograder"),
    ],
)
def test_a_program_does_not_exist(asked, answer, monkeypatch, capsys):
    """As Python has its arguments while it looks for what -m is to run."""
    words = [asked, "train", "lab.txt"]
    monkeypatch.setattr(sys, "argv", ["-m", *words[1:]])
    monkeypatch.setattr(sys, "orig_argv", [sys.executable, "-m", *words])
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    with pytest.raises(SystemExit) as ended:
        guard(asked.partition(".")[0])
    assert ended.value.code == 2
    [sentence] = capsys.readouterr().err.splitlines()
    assert sentence.startswith(f"python -m {asked}: no such program; ")
    assert answer in sentence


@pytest.mark.parametrize("asked", ["solutions.bahdanu", "lab.evaluate", "autograder.grade.run"])
def test_every_package_refuses_what_is_no_program(asked):
    done = run("-m", asked, "train", "lab.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"python -m {asked}: no such program; ")


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


def test_release_says_what_it_made(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(command, "BUILD", tmp_path)
    monkeypatch.setattr(command, "KIT", tmp_path / "release" / "kit")
    monkeypatch.setattr(build, "release", lambda names, given=(): [tmp_path / f"{name}.ipynb" for name in names])
    monkeypatch.setattr(assignment, "template", lambda name: SimpleNamespace(core_points=59.0, bonus_points=14.0))
    first, *_, last = assignment.assignments()
    (tmp_path / "released.json").write_text(json.dumps({f"release/{name}/{name}.ipynb": "" for name in (last, first)}))
    assert command.main(["release", last]) == 0
    made, zipped = capsys.readouterr().out.splitlines()
    assert made == f"{tmp_path / f'{last}.ipynb'}: 59 points and 14 bonus points"
    assert zipped == f"for students: {tmp_path / 'release' / 'kit.zip'}, with {first}, {last}"


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
