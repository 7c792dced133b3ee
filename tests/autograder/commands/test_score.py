"""`score FILE…`: one line of JSON for whatever is given, in order, and exit 0 unless the grader itself failed."""

import json
import os
import time
from pathlib import Path

import nbformat
import pytest

from autograder.__main__ import main
from autograder.judge.judge import Judge
from autograder.judge.session import Limits
from autograder.places import released_notebook, source_notebook
from autograder.sandbox import bubblewrap, sandbox
from autograder.score import Scorer
from autograder.submissions.normalise import submission
from autograder.submissions.notebook import LINK, check_call_id, defined_names
from autograder.submissions.parser_client import TOO_COSTLY
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
text = right.decode()


def as_format_3(*more: dict) -> bytes:
    """Return the notebook as IPython 2 wrote it, with these cells below."""
    old = [
        {
            "cell_type": "code",
            "input": cell["source"],
            "language": "python",
            "outputs": [],
            "metadata": cell["metadata"],
        }
        if cell["cell_type"] == "code"
        else cell
        for cell in cells(RIGHT)
    ]
    sheets = [{"cells": 5}, {"cells": [*old, *more]}]
    return as_bytes({"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": sheets})


READABLE = {
    "a byte order mark": b"\xef\xbb\xbf" + right,
    "UTF-16": text.encode("utf-16"),
    "UTF-16 without a mark": text.encode("utf-16-le"),
    "UTF-16, the other end first": text.encode("utf-16-be"),
    "nbformat 3": as_format_3(),
    "headings of odd levels": as_format_3(*({"cell_type": "heading", "level": n} for n in ("x", 1e999, 10**11, [2]))),
    "nbformat 5": as_bytes(tree(cells(RIGHT)) | {"nbformat": 5}),
    "no nbformat": as_bytes({"cells": cells(RIGHT), "metadata": {}}),
    "another kernel": as_bytes(tree(cells(RIGHT), kernelspec={"name": "ir", "language": "R"})),
    "metadata that are none": as_bytes(tree(cells(RIGHT)) | {"metadata": 7}),
    "lines instead of text": as_bytes([{**cell, "source": cell["source"].splitlines(True)} for cell in cells(RIGHT)]),
    "cells that are none": as_bytes([*cells(RIGHT), 7, None, {"cell_type": "code"}, {"source": [1]}]),
    "half a surrogate": as_bytes([*cells(RIGHT), markdown("\ud800")]),
    "half a surrogate in a tag": as_bytes([*cells(RIGHT), markdown("", tags=["\ud800"])]),
    "half a surrogate in a name": as_bytes([*cells(RIGHT), markdown("", nbgrader={"grade_id": "\ud800"})]),
    "an unknown kind of cell": as_bytes([*cells(RIGHT), {"cell_type": "heading", "level": 2, "source": "hm"}]),
    "trailing space": right + b"\n\n  ",
}


@pytest.mark.parametrize("name", READABLE)
def test_what_can_be_read_is_graded(scored, name: str) -> None:
    line = scored(READABLE[name])
    assert (line["assignment"], line["score"], line["error"]) == (NAME, ALL, None)
    nbformat.writes(submission(READABLE[name], form(), [NAME])).encode()


@pytest.mark.parametrize("line", ["a?\n", "%x\n", "!ls\n", "b = !ls\n"])
@pytest.mark.parametrize("count", [520, 5000])
def test_a_cell_full_of_magic_costs_no_time_and_says_nothing(line: str, count: int) -> None:
    began = time.monotonic()
    assert defined_names(line * count + "def f(): pass") == set()
    assert time.monotonic() - began < 2


def test_a_cell_with_some_magic_says_what_it_defines_and_checks() -> None:
    assert defined_names("%matplotlib inline\nb = !ls\ndef f():\n    pass\nf?") == {"b", "f"}
    assert check_call_id('%time\ncheck("a.f", globals())') is None
    assert check_call_id('import os\ncheck("a.f", globals())') == "a.f"


BROKEN = {
    "empty": (b"", "empty"),
    "white": (b" \n\t", "empty"),
    "no JSON": (b"print('hello')", "this is no notebook, its JSON is broken: "),
    "cut off": (right[: len(right) // 2], "JSON is broken"),
    "nested deep": (b"[" * 200_000, "nested too deep"),
    "a list": (b"[]", "expected a JSON object, got a list"),
    "a number": (b"7", "expected a JSON object"),
    "no cells": (b"{}", "no list of cells"),
    "cells that are no list": (b'{"cells": "none"}', "no list of cells"),
    "many cells": (as_bytes([markdown("")] * 3000), "at most 2000"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "JSON is broken"),
    "nobody's": (as_bytes(tree([markdown("my diary")], x=1)), "does not say which assignment"),
    "of an unknown assignment": (as_bytes(tree([], attention_workbook={"assignment": "mamba"})), "does not say which"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read_gets_0_and_the_reason(scored, name: str) -> None:
    content, reason = BROKEN[name]
    line = scored(content)
    assert reason in line["error"]
    assert (line["score"], line["assignment"], line["max_score"], line["checks"]) == (0, None, None, [])


def test_files_that_are_no_files_get_0_and_the_reason(scorer: Scorer, tmp_path: Path) -> None:
    real = tmp_path / "real.ipynb"
    real.write_bytes(right)
    (tmp_path / "link.ipynb").symlink_to(real)
    (tmp_path / "dangling.ipynb").symlink_to(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe.ipynb")
    (tmp_path / "huge.ipynb").touch()
    os.truncate(tmp_path / "huge.ipynb", 1 << 40)
    reasons = {
        "missing.ipynb": "no such file",
        "link.ipynb": LINK,
        "dangling.ipynb": LINK,
        "pipe.ipynb": "this is no regular file; expected a notebook, a file that ends in .ipynb",
        "huge.ipynb": "at most",
        "": "this is a folder; expected a notebook, a file that ends in .ipynb",
        "nul\0.ipynb": "no file name",
    }
    for name, reason in reasons.items():
        line = scorer.line(str(tmp_path / name))
        assert reason in line["error"], name
        assert line["score"] == 0


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
    assert line["flags"] == [f"graded as '{NAME}', as it says, and not as 'luong'"]
    assert scorer.line(str(path))["flags"] == []


@pytest.mark.parametrize("place", ["/dev/zero", "/dev/tty", "/proc/self/mem", "/proc/kmsg"])
def test_what_is_no_file_of_a_student_ends_with_a_line(scorer: Scorer, place: str) -> None:
    line = scorer.line(place)
    assert line["score"] == 0
    assert line["error"]


@pytest.mark.parametrize("change", ["cut", "emptied", "longer", "replaced", "removed"])
def test_a_file_that_changes_while_it_is_read_is_read_or_refused(scorer, tmp_path, monkeypatch, change: str) -> None:
    """Change it at the worst time: when its size is known and nothing is read yet."""
    path = tmp_path / "my.ipynb"
    path.write_bytes(right)
    stat = os.fstat

    def changing(descriptor: int) -> os.stat_result:
        status = stat(descriptor)
        if path.exists() and status.st_ino == path.stat().st_ino:
            if change in ("cut", "emptied"):
                os.truncate(path, len(right) // 2 if change == "cut" else 0)
            elif change == "longer":
                os.truncate(path, 1 << 30)
            elif change == "replaced":
                (tmp_path / "other").write_bytes(b"{}")
                (tmp_path / "other").replace(path)
            else:
                path.unlink()
        return status

    monkeypatch.setattr(os, "fstat", changing)
    line = scorer.line(str(path))
    assert line["score"] == (ALL if change in ("replaced", "removed") else 0)
    assert bool(line["error"]) == (change in ("cut", "emptied", "longer"))


def test_a_large_file_is_opened_within_limits(scored, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large outputs are honest and cost nothing; what grows to gigabytes is refused with what to do."""
    heavy = {**tree(cells(RIGHT)), "more": "x" * (6 << 20)}
    assert scored(as_bytes(heavy))["score"] == ALL
    hollow = as_bytes(heavy)[:-1] + b', "less": [' + b"{}," * (18 << 20) + b"0]}"
    assert TOO_COSTLY in scored(hollow)["error"]


def test_a_misspelt_assignment_is_said_with_the_known_ones(scorer: Scorer) -> None:
    with pytest.raises(ValueError, match=f"no assignment 'bahdanu': expected one of {NAME}, luong"):
        Scorer(scorer.judge, "bahdanu", scorer.known)


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
