"""`score FILE…`: one line of JSON for whatever is given, in order, and exit 0 unless the grader itself failed."""

import json
import time
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.judge.judge import Judge
from autograder.judge.session import Limits
from autograder.places import released_notebook, source_notebook
from autograder.sandbox import bubblewrap, sandbox
from autograder.score import Scorer
from autograder.submissions.notebook import check_call_id, defined_names
from tests.support.notebooks import NAME, RIGHT, as_bytes, cells, form, markdown, tree

KEYS = ["file", "assignment", "score", "max_score", "manual_max_score", "checks", "flags", "error"]
ALL = 10


@pytest.fixture(scope="module")
def scorer(built: sandbox.Sandbox) -> Scorer:
    judge = Judge(
        built, b"the secret of this test's course", Limits(cell=4, check=4, notebook=120, grace=0.5, patience=25)
    )
    return Scorer(judge, known=[NAME, "luong"], forms={NAME: form()})


@pytest.fixture
def scored(scorer: Scorer, tmp_path: Path):
    def scored(content: bytes, name: str = "my.ipynb") -> dict:
        path = tmp_path / name
        path.write_bytes(content)
        line = scorer.line(str(path))
        assert list(line) == KEYS
        json.dumps(line)
        return line

    return scored


def test_the_line_of_a_right_notebook(scored, tmp_path: Path) -> None:
    assert scored(as_bytes(cells(RIGHT))) == {
        "file": str(tmp_path / "my.ipynb"),
        "assignment": NAME,
        "score": ALL,
        "max_score": ALL,
        "manual_max_score": 4.0,
        "checks": [
            {"id": f"{NAME}.masked_softmax", "score": ALL, "max_score": ALL, "hint": None, "mistake": []},
        ],
        "flags": [],
        "error": None,
    }


right = as_bytes(cells(RIGHT))


@pytest.mark.parametrize("line", ["a?\n", "%x\n", "b = !ls\n"])
def test_a_cell_full_of_magic_costs_no_time_and_one_with_some_says_what_it_defines(line: str) -> None:
    began = time.monotonic()
    assert defined_names(line * 5000 + "def f(): pass") == set()
    assert time.monotonic() - began < 2
    assert "f" in defined_names(line + "def f():\n    pass")
    assert check_call_id(line + 'check("a.f", globals())') is None
    assert check_call_id('import os\ncheck("a.f", globals())') == "a.f"


BROKEN = {  # beside those of tests/attacks/files.py
    "cut off": (right[: len(right) // 2], "this is no notebook, its JSON is broken: "),
    "nobody's": (as_bytes(tree([markdown("my diary")], x=1)), "does not say which assignment"),
    "of an unknown assignment": (as_bytes(tree([], attention_workbook={"assignment": "mamba"})), "does not say which"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read_gets_0_and_the_reason(scored, name: str) -> None:
    content, reason = BROKEN[name]
    line = scored(content)
    assert reason in line["error"]
    assert (line["score"], line["assignment"], line["max_score"], line["checks"]) == (0, None, None, [])


def test_the_assignment_can_be_given_for_a_notebook_that_does_not_say(scorer: Scorer, tmp_path: Path) -> None:
    path = tmp_path / "bare.ipynb"
    path.write_bytes(as_bytes(tree(cells(RIGHT)[1:3], x=1)))
    of_bahdanau = Scorer(scorer.judge, NAME, scorer.known, scorer.forms)
    assert of_bahdanau.line(str(path))["score"] == ALL
    assert of_bahdanau.line(str(tmp_path / "missing.ipynb"))["max_score"] == ALL


def test_a_notebook_that_contradicts_the_given_assignment_is_graded_as_it_says_and_flagged(scorer, tmp_path) -> None:
    path = tmp_path / "my.ipynb"
    path.write_bytes(right)
    line = Scorer(scorer.judge, "luong", scorer.known, scorer.forms).line(str(path))
    assert (line["assignment"], line["score"], line["error"]) == (NAME, ALL, None)
    assert line["flags"] == [f"graded as '{NAME}', which it names, and not as 'luong'"]
    assert scorer.line(str(path))["flags"] == []


def test_the_command_prints_a_line_per_file_in_order(released: Path, capfd, tmp_path: Path) -> None:
    """The solved notebook gets all autograded points and the untouched release none, for every assignment."""
    if sandbox.unavailable_reason():
        pytest.skip(sandbox.unavailable_reason())
    names = sorted(path.parent.name for path in released.glob("*/*.ipynb"))
    files = [str(place(name)) for name in names for place in (source_notebook, released_notebook)]
    status = main(["score", *files, str(tmp_path / "none"), "--secret", str(tmp_path / "secret")])
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert status == 0
    assert [line["file"] for line in lines] == [*files, str(tmp_path / "none")]
    assert [line["assignment"] for line in lines[:-1]] == [name for name in names for _ in range(2)]
    assert all(check["score"] == check["max_score"] for line in lines[0:-1:2] for check in line["checks"])
    assert all(line["score"] >= line["max_score"] > 0 for line in lines[0:-1:2])
    for line in lines[:-1]:  # a bonus is told by its check
        core = [check["max_score"] for check in line["checks"] if not check.get("bonus")]
        assert line["max_score"] == sum(core)
    assert any(check.get("bonus") for line in lines[:-1] for check in line["checks"])
    assert all(line["score"] == 0 < line["max_score"] for line in lines[1:-1:2])
    assert all(line["error"] is None for line in lines[:-1])


@pytest.mark.parametrize("verb", ["score", "grade"])
def test_without_a_sandbox_it_refuses(verb: str, monkeypatch: pytest.MonkeyPatch, capfd, tmp_path: Path) -> None:
    monkeypatch.setattr(bubblewrap.shutil, "which", lambda name: None)
    path = tmp_path / "my.ipynb"
    path.write_bytes(right)
    assert main([verb, str(path if verb == "score" else tmp_path)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert bubblewrap.REMEDY in err
    assert "Traceback" not in err
