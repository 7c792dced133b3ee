"""Tests of a teacher's own exercise: three files, written or as the page shows them, and nothing else."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autograder.places import ROOT
from autograder.release.new import new
from book import contents
from tests.support.classes import graded_now
from tests.support.copied_course import Course, without_exercises
from tests.support.sandboxed import demand_sandbox

PAGE = ROOT / "autograder" / "checks" / "README.md"
BLOCK = re.compile(r"^(`{3,})\w+ (\S+/\S+)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return without_exercises(tmp_path)


def example(name: str) -> dict[str, str]:
    """Return the files of one of the page's examples, by their paths."""
    return {path: text for _, path, text in BLOCK.findall(PAGE.read_text("utf-8")) if name in path}


def test_the_example_of_the_page_is_tried_released_and_graded(course: Course) -> None:
    demand_sandbox()
    assert len(example("temperature")) == 3
    assert sum(len(text.splitlines()) for text in example("temperature").values()) < 75
    for path, text in (example("temperature") | example("words")).items():
        (course.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (course.folder / path).write_text(text, "utf-8")
    status, printed = course.types("try", "words")
    assert (status, "✗" in printed) == (0, False), printed
    status, printed = course.types("try", "temperature")
    assert (status, "✗" in printed) == (0, False), printed
    assert re.search(r"✓ multiplies +\d+  shows in 3 of 4 cases\n", printed)
    assert "show no mistake: temperature 1" in printed

    status, printed = course.types("release", "temperature", "words")
    assert status == 0, printed
    assert course.types("new", "unreleased")[0] == 0  # what is not released yet does not stop a grading
    _submission(course)
    status, printed = course.types("grade", "class", "--out", "graded", "--jobs", "1")
    assert status == 0, printed
    assert graded_now(printed) == 4
    right, words, known, others = (
        json.loads((course.folder / f"graded/records/{student}/{name}.json").read_text("utf-8"))["line"]
        for student in ("ada", "bo")
        for name in ("temperature", "words")
    )
    assert (right["score"], right["max_score"]) == (9, 9)
    assert words["score"] == words["max_score"]
    assert known["score"] < 9
    assert "divide by it" in json.dumps(known)
    _words_are_told(others)


def _submission(course: Course) -> None:
    """Hand in both exercises, solved by ada and with mistakes by bo."""
    for name in ("temperature", "words"):
        solved = (course.folder / f"build/source/{name}/{name}.ipynb").read_text("utf-8")
        mistaken = _mistaken(solved) if name == "words" else solved.replace("scores / temp", "scores * temp")
        for student, text in (("ada", solved), ("bo", mistaken)):
            place = course.folder / "class" / student / name / f"{name}.ipynb"
            place.parent.mkdir(parents=True)
            place.write_text(text, "utf-8")


def _mistaken(solved: str) -> str:
    """Return the exercise of a class, a set, a text, a plot and a file with a mistake in each."""
    changes = {
        "self.words.append(word)": "self.words = [word]",
        "word.lower()": "word",
        '\\" \\".join(words)': '\\"\\".join(words)',
        "len(word)": "-len(word)",
        "{word}\\\\n": "{word},",
    }
    for old, mistaken in changes.items():
        assert solved.count(old) == 1, old
        solved = solved.replace(old, mistaken)
    return solved


def _words_are_told(graded: dict[str, Any]) -> None:
    hints = {each["id"].partition(".")[2]: each["hint"] for each in graded["checks"]}
    assert "counts: not the expected values" in hints["Counter"]
    assert "Words that differ in capitals" in hints["distinct"]
    assert "There is no blank between two words." in hints["joined"]
    assert "A right function gives 'The cat the'" in hints["joined"]
    assert "points: not the expected values" in hints["draw_lengths"]
    assert "file: not the expected text" in hints["write_words"]


def test_try_says_what_is_wrong_with_a_check(course: Course) -> None:
    assert course.types("new", "mine")[0] == 0
    checks = "exercises/mine/checks.py"
    course.change(checks, "softmax(dim=0)", "softmax(dim=1)")
    status, printed = course.types("try", "mine")
    assert status == 1
    assert re.search(r"✗ wrong_axis .* keeps all points on some draw", printed)

    course.change(checks, "(wrong_axis,)", "()")
    course.change(checks, '"a batch": 2', '"batches": 2')
    status, printed = course.types("try", "mine")
    assert status == 2
    assert "no case is in the group 'batches'" in printed
    assert "there are a batch, special sizes" in printed

    course.change(checks, '"batches": 2, ', "")
    course.folder.joinpath("exercises/mine/written.toml").write_text('[why]\npoints = 2\ntext = "because"\n')
    course.change("exercises/mine/notebook.md", "from torch import Tensor\n", "")
    status, printed = course.types("try", "mine")
    assert status == 1
    assert "✗ earn no points: a batch" in printed
    assert '✗ exercises/mine/notebook.md has no text cell below `+++ {"written": "why"}`' in printed
    lacking = "exercises/mine/notebook.md: no cell defines Tensor: import it in the cell `#| setup`"
    assert f"✗ {lacking}" in printed
    status, printed = course.types("release", "mine")
    assert (status, lacking in printed) == (2, True)
    assert not (course.folder / "build/release/mine").exists()

    course.change("exercises/mine/notebook.md", "#| check mine", "")
    status, printed = course.types("try", "mine")
    assert (status, "exercises/mine/notebook.md has no cell `#| check mine`" in printed) == (2, True)
    assert "Traceback" not in printed


def test_what_new_writes_can_be_tried_and_what_cannot_is_said_in_one_sentence(course: Course) -> None:
    assert course.types("new", "mine", "--exercise", "my_softmax")[0] == 0
    status, printed = course.types("try", "mine")
    assert (status, printed.partition(",")[0]) == (0, "mine.my_softmax: 7 points"), printed
    (course.folder / "my.py").write_text("def my_softmax(scores):\n    return scores.softmax(0)\n")
    status, printed = course.types("try", "mine.my_softmax", "my.py")
    assert (status, "The softmax runs along the batch" in printed) == (1, True)
    (course.folder / "broken.py").write_text("x = 1\ndef my_softmax(scores:\n")
    sentences = {
        ("mine", "broken.py"): "name the function too: python -m autograder try mine.my_softmax broken.py",
        ("mine.my_softmax",): "give a file with your code: python -m autograder try mine.my_softmax FILE",
        ("mine.my_softmax", "none.py"): "there is no file none.py",
        ("mine.my_softmax", "broken.py"): "broken.py, line 2: '(' was never closed: def my_softmax(scores:",
        ("mine.yours", "broken.py"): "'yours'",
    }
    for words, sentence in sentences.items():
        status, printed = course.types("try", *words)
        assert (status, sentence in printed, "Traceback" in printed) == (2, True, False), printed
    checks = "exercises/mine/checks.py"
    own = "def own(function, scores):\n    return function(scores)\n\n\ndef wrong_axis"
    course.change(checks, "def wrong_axis", own)
    course.change(
        checks, "CHECKS = [\n    Check(\n", "CHECKS = [\n    Check(\n        adapter=own,\n        reference="
    )
    status, printed = course.types("try", "mine")
    assert (status, "Traceback" in printed) == (2, False)
    assert "its adapter own stands in checks.py, which imports autograder.checks" in printed
    course.change(checks, "CHECKS = [", "CHECKS = [[")
    status, printed = course.types("try", "mine")
    assert (status, "exercises/mine/checks.py, line 26: SyntaxError: " in printed) == (2, True), printed


OURS = "lint.isort.known-first-party = ['autograder', 'solutions', 'tests']"
LIST = "book/chapters.toml"


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    """A folder with the list in which a chapter is."""
    (tmp_path / "book").mkdir()
    for file in (LIST, "book/_toc.yml"):
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def test_a_new_chapter_has_its_files_in_every_room_and_a_table_in_the_list(lists: Path) -> None:
    before = (lists / LIST).read_text("utf-8")
    made = new("my_rope", "rotate", lists, chapter=True)
    own = {path.relative_to(lists).as_posix() for path in made} - {LIST}
    rooms = {"solutions/", "book/", "exercises/", "tests/answers/"}
    assert {path.partition("my_rope")[0] for path in own} >= rooms
    assert not re.findall(r"\b(?:NAME|FUNCTION|TITLE)\b", "".join((lists / path).read_text("utf-8") for path in own))
    after = (lists / LIST).read_text("utf-8")
    assert after.startswith(before)
    assert contents.chapters(lists)[-1] == "my_rope"
    assert all(
        about.keys() >= contents.all_chapters(lists)["my_rope"].keys() for about in contents.all_chapters().values()
    )
    assert contents.pages(lists)[contents.pages(lists).index("my_rope") + 1] == "my_rope_evidence"
    assert contents.page_file("my_rope_evidence", lists) == lists / "book" / "my_rope" / "evidence.md"
    rules = ["--config", ROOT / "pyproject.toml", "--config", OURS]
    for task in (["check"], ["format", "--check"]):
        done = subprocess.run([sys.executable, "-m", "ruff", *task, *rules, lists], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_chapter_that_cannot_be_written_leaves_the_list_as_it_was(lists: Path) -> None:
    (lists / "tests").mkdir()
    (lists / "tests" / "solutions").touch()
    before = (lists / LIST).read_text("utf-8")
    with pytest.raises(OSError, match="solutions"):
        new("rope", "", lists, chapter=True)
    assert before == (lists / LIST).read_text("utf-8")
    assert not [path for path in lists.rglob("*rope*") if path.is_file()]


@pytest.mark.parametrize(
    ("name", "function", "reason"),
    [
        ("Mine", "", "NAME 'Mine' cannot be taken"),
        ("../mine", "", "cannot be taken"),
        ("class", "", "cannot be taken"),
        ("mine", "2nd", "FUNCTION '2nd' cannot be taken"),
        ("bahdanau", "", "exercises/bahdanau is there already"),
    ],
)
def test_new_refuses_other_names_in_a_sentence_and_writes_nothing(tmp_path, name, function, reason):
    (tmp_path / "exercises" / "bahdanau").mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ValueError, match=re.escape(reason)):
        new(name, function, tmp_path)
    assert sorted(tmp_path.rglob("*")) == before
