"""Tests of what students get: nothing of a solution in it, everything in it that they need."""

import ast
import json
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import numpy as np
import pytest
from jupyter_client.manager import KernelManager
from nbgrader.utils import compute_checksum

from autograder.assignment import UnknownAssignment
from autograder.checks import checks, questions
from autograder.places import ROOT
from autograder.release.blank import BlankError, Module, blanked
from autograder.release.build import release
from autograder.release.missing import undefined
from autograder.release.notebook import build_source
from lab.published.gguf_file import ELSEWHERE
from lab.train.budget import SECONDS
from tests.answers import chapters
from tests.support import tiny_gguf
from tests.support.student import failures, kernel, printed, run_whole, shown, solved, unpacked, without_all_points

NAMES = chapters()
TRAINED = {name for name in NAMES if (ROOT / "solutions" / name / "__main__.py").is_file()}


@pytest.fixture(scope="module")
def build(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("course") / "build"
    release(build=folder)
    return folder


def notebook(build: Path, kind: str, name: str):
    return nbformat.read(build / kind / name / f"{name}.ipynb", as_version=4)


@pytest.mark.parametrize("name", NAMES)
def test_the_released_notebook_is_what_nbgrader_and_students_expect(build, name):
    """A solution and a check for each function; "Run All" stops at no part; no line is wider than a cell's 120."""
    for kind in ("source", "release"):
        graded = {
            c.metadata.nbgrader.grade_id: c.metadata.nbgrader
            for c in notebook(build, kind, name).cells
            if "nbgrader" in c.metadata
        }
        for function, check in checks(name).items():
            about = graded[f"check-{function}"]
            assert (graded[function].solution, graded[function].grade) == (True, False)
            assert (about.grade, about.locked, about.points) == (True, True, check.core_points)
        by_hand = {id for id, grader in graded.items() if grader.grade and grader.solution}
        assert (len(graded), by_hand) == (2 * len(checks(name)) + len(by_hand), set(questions(name)))
    released = notebook(build, "release", name)
    assert released.metadata.attention_workbook.assignment == name
    own = [i for i, cell in enumerate(released.cells) if "nbgrader" in cell.metadata]
    assert all(
        cell.metadata.nbgrader.checksum == compute_checksum(cell) for cell in map(released.cells.__getitem__, own)
    )
    trained = 0
    for i, cell in enumerate(released.cells):
        if cell.cell_type == "code":
            tags = cell.metadata.get("tags", [])
            assert cell.outputs == []
            assert max(map(len, cell.source.splitlines())) <= 120
            assert ("raises-exception" in tags) == (i >= own[0] and "train" not in tags)
            assert ("skip-execution" in tags) == ("train" in tags)  # validating takes seconds
            trained = i if "train" in tags else trained
    assert (trained > own[-1]) == (name in TRAINED), "where a chapter trains, its notebook ends with a model that runs"


def functions_of(node: ast.stmt) -> list[ast.FunctionDef]:
    """Return a function, or the methods of a class."""
    return [each for each in getattr(node, "body", []) if isinstance(each, ast.FunctionDef)] or [node]


@pytest.mark.parametrize("name", NAMES)
def test_no_other_cell_reads_what_only_a_training_cell_defines(build, name):
    cells = [cell for cell in notebook(build, "source", name).cells if cell.cell_type == "code"]
    assert undefined([cell.source for cell in cells if "train" not in cell.metadata.get("tags", [])]) == []


@pytest.mark.parametrize("name", NAMES)
def test_notebook_and_kit_keep_signature_and_docstring_and_nothing_else(build, name):
    taught, blank = Module.of(name), Module(Path("solutions/name/attention.py"), blanked(Module.of(name)))
    assert list(taught.functions) == list(blank.functions)
    cells = {cell.id: cell.source for cell in notebook(build, "release", name).cells}
    for function, node in taught.functions.items():
        (student,) = ast.parse(cells[function]).body if function in cells else (node,)
        for one, its, in_kit in zip(*map(functions_of, (node, student, blank.find(function))), strict=True):
            assert ast.dump(one.args) == ast.dump(its.args) == ast.dump(in_kit.args)
            assert ast.get_docstring(one) == ast.get_docstring(its) == ast.get_docstring(in_kit)
            assert (len(in_kit.body), "raise NotImplementedError" in ast.unparse(in_kit.body[-1])) == (2, True)
            assert student is node or list(map(ast.unparse, its.body[1:])) == ["raise NotImplementedError()"]


def test_the_kit_holds_neither_checks_nor_pickles(build):
    kit = build / "release" / "kit"
    files = [path.relative_to(kit) for path in kit.rglob("*") if path.is_file()]
    assert not [path for path in files if "checks" in path.parts or path.suffix in (".pkl", ".pt", ".pyc")]
    assert not [path for path in files if "results" in path.parts]
    for name in NAMES:
        for function in checks(name):
            path = kit / "autograder" / "kit" / "recordings" / f"{name}.{function}.npz"
            with np.load(path, allow_pickle=False) as arrays:
                json.loads(arrays["json"].tobytes())


CAPTIONED = {
    "bahdanau",
    "luong",
    "self_attention",
    "structured",
    "transformer",
}  # a caption says how long it was trained
LOOKS = CAPTIONED | {"pooling"}  # their last cells draw


@pytest.fixture(scope="module")
def student(build, tmp_path_factory) -> Iterator[tuple[Path, KernelManager]]:
    """A student's folder, with the kernel in which one notebook is run after the other."""
    folder = unpacked(build, tmp_path_factory.mktemp("student"))
    model = tiny_gguf.written(folder / "tiny.gguf")  # in place of the published one, which nobody has to fetch
    with kernel(folder, **{SECONDS: "0.1", "OMP_NUM_THREADS": "1", ELSEWHERE: str(model)}) as started:
        yield folder, started


@pytest.mark.parametrize("name", NAMES)
def test_a_student_with_all_functions_right_runs_the_whole_notebook_training_included(build, student, name):
    folder, started = student
    ran = run_whole(solved(build, folder, name), folder / name, started)
    assert not failures(ran)
    output = printed(ran)
    assert without_all_points(name, output) == []
    assert bool(re.search(r"%\|.*\| epoch 1/\d+ |step 1 of \d+", output)) == (name in TRAINED)
    assert (f"({SECONDS})" in output) == (name in TRAINED)  # by which the training was ended
    assert not printed(ran, "stderr")
    assert bool(re.search(r"<table.*<td", shown(ran))) == (name in LOOKS)
    assert bool(re.search(r"epochs? \([\d.]+ s\)", shown(ran))) == (name in CAPTIONED)
    assert not re.search("two epochs|four epochs", shown(ran))


def test_releasing_again_changes_nothing_and_one_name_leaves_the_others(build):
    def state():
        return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in build.rglob("*") if path.is_file()}

    before = state()
    stray = build / "release" / "kit" / "lab" / "left_over.py"
    stray.write_text("")
    (build / "release" / NAMES[0] / f"{NAMES[0]}.ipynb").write_text("a student's answer")
    release(["bahdanau"], build=build)
    assert {path: content for path, (_, content) in state().items()} == {
        p: content for p, (_, content) in before.items()
    }
    unmoved = [path for path in before if path.name != f"{NAMES[0]}.ipynb" and state()[path] != before[path]]
    assert not unmoved
    kept = {path.name: path.read_text() for path in (build.parent / "work").rglob("*") if path.is_file()}
    assert kept == {"left_over.py": "", f"{NAMES[0]}.ipynb": "a student's answer"}


def test_what_does_not_exist_is_named(tmp_path, monkeypatch):
    with pytest.raises(UnknownAssignment, match=r"no exercise called luongg: expected some of .*bahdanau"):
        release(["luongg"], build=tmp_path)
    assert not list(tmp_path.iterdir())
    (tmp_path / "exercises" / "bahdanau").mkdir(parents=True)
    (tmp_path / "solutions" / "bahdanau").mkdir(parents=True)
    shutil.copy(ROOT / "exercises" / "bahdanau" / "notebook.md", tmp_path / "exercises" / "bahdanau")
    text = Module.of("bahdanau").text.replace("def additive_scores(", "def scores_of(")
    (tmp_path / "solutions" / "bahdanau" / "attention.py").write_text(text)
    monkeypatch.setattr("autograder.release.blank.ROOT", tmp_path)
    monkeypatch.setattr("autograder.release.notebook.ROOT", tmp_path)
    with pytest.raises(BlankError) as caught:
        build_source("bahdanau")
    for word in ("exercises/bahdanau/notebook.md", "exercise additive_attention", "'additive_scores'", "scores_of"):
        assert word in str(caught.value)


def worth(row: str) -> float:
    """Return the points in a row of a notebook's table: `| parts | minutes | difficulty | points |`."""
    parts, points = row.split("|")[1], re.match(r" (\d+(?: \+ \d+)*)( each)?, by ", row.split("|")[4])
    count = 2 if "two questions" in parts else parts.count("`") // 2
    return sum(map(float, points[1].split(" + "))) * (count if points[2] else 1) if points else 0.0


@pytest.mark.parametrize("name", NAMES)
def test_a_notebooks_table_tells_all_the_points_that_its_cells_have(name):
    notebook = build_source(name)
    tables = "\n".join(cell.source for cell in notebook.cells if "| points |" in cell.source)
    cells = [cell.metadata.nbgrader for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    assert sum(map(worth, re.findall(r"^\| \d+ · .*$", tables, re.MULTILINE))) == sum(cell.points for cell in cells)


def test_the_zip_for_students_holds_the_notebooks_and_the_whole_kit(build: Path) -> None:
    with zipfile.ZipFile(build / "release" / "kit.zip") as archive:
        packed = {name.removeprefix("attention-workbook/"): archive.read(name) for name in archive.namelist()}
        modes = {entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
    assert modes == {0o644}  # unpacked for a whole class, all can read it
    kit = build / "release" / "kit"
    there = {
        f"kit/{path.relative_to(kit)}": path.read_bytes()
        for path in kit.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    there |= {f"kit/notebooks/{n}/{n}.ipynb": (build / "release" / n / f"{n}.ipynb").read_bytes() for n in NAMES}
    assert packed.pop("START HERE.txt")
    assert packed == there
