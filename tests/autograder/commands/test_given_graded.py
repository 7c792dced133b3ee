"""Who lacks a function of an earlier notebook gets the points that the given one earns: from `check`, and the judge."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from autograder.assignment import Template
from autograder.judge import process
from autograder.judge.judge import Judge
from autograder.judge.session import Limits
from autograder.release.build import release
from autograder.sandbox import sandbox
from autograder.score import Scorer
from autograder.submissions.normalise import normalise
from tests.support.given_out import CALL, NAME, RIGHT, WRONG, demand_chapter, homework, need_it, with_given
from tests.support.student import solved

__all__ = ["with_given"]


@pytest.fixture(scope="module")
def without(released: Path) -> Path:
    demand_chapter()
    return released.parent


@pytest.fixture(scope="module")
def scorers(course_judge: Judge, without: Path, with_given: Path) -> Iterator[dict[bool, Scorer]]:
    """Return what scores with a kit that has nothing given, and with one that has."""
    scorers = {}
    with sandbox.Sandbox(with_given / "release/kit") as full:
        for given, build, made in ((False, without, course_judge.sandbox), (True, with_given, full)):
            limits = Limits(cell=6, check=6, notebook=60, grace=0.5, patience=25)
            form = Template(NAME, nbformat.read(build / "release" / NAME / f"{NAME}.ipynb", as_version=4))
            scorers[given] = Scorer(Judge(made, b"the secret of this test's course", limits), forms={NAME: form})
        yield scorers


def scored(scorer: Scorer, notebook: NotebookNode, folder: Path) -> tuple[set[str], list[str]]:
    """Return the functions that lost points, and the flags."""
    nbformat.write(notebook, folder / "my.ipynb")
    line = json.loads(json.dumps(scorer.line(str(folder / "my.ipynb"))))
    assert line["error"] is None
    lost = {check["id"].partition(".")[2] for check in line["checks"] if check["score"] < check["max_score"]}
    return lost, line["flags"]


def test_the_judge_sees_what_was_given_and_nothing_else(scorers, without: Path, with_given: Path, tmp_path) -> None:
    notebook = homework(with_given)
    assert scored(scorers[True], notebook, tmp_path) == (set(), [])
    assert scored(scorers[False], notebook, tmp_path) == (need_it(without), [])
    own = homework(with_given, RIGHT)
    assert scored(scorers[False], own, tmp_path) == (set(), [])
    wrong = homework(with_given, WRONG)
    assert scored(scorers[True], wrong, tmp_path)[0] == need_it(without)


def test_a_notebook_of_an_older_release_is_graded_as_before(scorers, without: Path, tmp_path: Path) -> None:
    """It has no cell for functions of earlier notebooks; its functions bring what they need along."""
    notebook = solved(without, without / "release", NAME)
    notebook.cells = [cell for cell in notebook.cells if CALL not in cell.source]
    assert all("masked_softmax" in cell.source for cell in notebook.cells if cell.id in need_it(without))
    for scorer in scorers.values():
        assert scored(scorer, notebook, tmp_path) == (set(), [])


def test_the_cell_for_earlier_functions_is_put_back_where_it_is_missing_and_only_there(without) -> None:
    form = Template(NAME, nbformat.read(without / "release" / NAME / f"{NAME}.ipynb", as_version=4))

    def calls(notebook: NotebookNode) -> int:
        return sum(CALL in cell.source for cell in normalise(notebook, form).cells)

    filled_in = homework(without, RIGHT)
    assert calls(filled_in) == 1
    deleted = homework(without)
    deleted.cells = [cell for cell in deleted.cells if CALL not in cell.source]
    assert calls(deleted) == 1


def test_a_grade_depends_on_what_is_given(with_given: Path, tmp_path: Path, monkeypatch) -> None:
    build = tmp_path / "build"
    shutil.copytree(with_given, build)
    for name in ("autograder", "solutions"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(process, "ROOT", tmp_path)
    monkeypatch.setattr(process, "KIT", build / "release/kit")
    monkeypatch.setattr(process, "released_notebook", lambda name: build / "release" / name / f"{name}.ipynb")

    def key() -> str:
        process.grader_key.cache_clear()
        return process.grader_key(NAME)

    before = key()
    release([NAME], build=build)
    without_any = key()
    release([NAME], build=build, given=["bahdanau"])
    assert key() == before != without_any
    process.grader_key.cache_clear()
