"""Tests of bug hunts: a repair changes one statement, an input has the shapes that are asked for and shows the bug."""

import ast

import numpy as np
import pytest
import torch

from autograder.kit.verdict.answer import Answer
from autograder.kit.verdict.hunts import MOST_NUMBERS, Argument, fails, input_of
from autograder.kit.verdict.repair import numbered, repair

BROKEN = """\
def broken(x, mask):
    total = x.sum(dim=0)
    for row in range(2):
        total = total + row
    if mask is None:
        return total / 2
    return total / mask.sum()"""


def complaint(source: str, name: str = "mended") -> str:
    return repair(BROKEN, ast.parse(source), name).complaint


def mended(old: str, new: str) -> str:
    assert BROKEN.count(old) == 1
    return BROKEN.replace("broken", "mended").replace(old, new)


ONE = {
    "an argument": ("x.sum(dim=0)", "x.sum(dim=1)"),
    "inside a loop": ("total + row", "total - row"),
    "the head of a loop": ("range(2)", "range(3)"),
    "a condition": ("mask is None", "mask is not None"),
    "another operation of torch's": ("total = x.sum(dim=0)", "total = torch.sum(x, dim=1)"),
    "a name of its own within the statement": ("x.sum(dim=0)", "sum(row for row in x)"),
}


@pytest.mark.parametrize("edit", ONE.values(), ids=ONE)
def test_one_changed_statement_is_a_repair(edit):
    assert complaint(mended(*edit)) == ""


def test_comments_line_breaks_annotations_and_a_docstring_change_nothing():
    source = mended("x.sum(dim=0)", "x.sum(\n        dim=1  # the words\n    )")
    source = source.replace("(x, mask):", '(x: "Tensor", mask=None) -> "Tensor":\n    """Return it."""')
    assert complaint(source) == ""


def test_what_only_looks_is_no_part_of_a_repair_and_is_not_run():
    looks = mended("    if mask is None:\n", "    if mask is None:\n        assert total is not None\n")
    looks = looks.replace("total = x.sum(dim=0)", "total = x.sum(dim=1)\n    print(total.shape, total)")
    made = repair(BROKEN, ast.parse(looks), "mended")
    assert made.complaint == ""
    assert "print" not in made.source
    assert "assert" not in made.source
    alone = repair("def f(x):\n    if x:\n        print(x)\n    return 1", ast.parse("def g(x):\n    return 1"), "g")
    assert "more than one" in alone.complaint


MORE = {
    "nothing": (mended("x.sum(dim=0)", "x.sum(dim=0)"), "as it was"),
    "two statements": (mended("x.sum(dim=0)", "x.sum(dim=1)").replace("total / 2", "total / 3"), "more than one"),
    "one more": (mended("total / 2", "total / 2\n    total = total * 1"), "more than one"),
    "one less": (mended("    for row in range(2):\n        total = total + row\n", ""), "more than one"),
    "two for one": (mended("total = x.sum(dim=0)", "total = x\n    total = total.sum(dim=1)"), "more than one"),
    "all new": ("def mended(x, mask):\n    return my_own(x, mask)", "uses my_own, which broken does not have"),
    "a function of the student's own": (mended("return total / 2", "return my_own(x, mask)"), "uses my_own"),
    "the broken function called": (mended("return total / 2", "return broken(x, mask)"), "uses broken"),
    "other parameters": (mended("(x, mask)", "(mask, x)"), "parameters"),
    "another name": (BROKEN, "no function mended"),
    "nothing that parses": ("pass", "no function mended"),
}


@pytest.mark.parametrize(("source", "reason"), MORE.values(), ids=MORE)
def test_what_is_no_repair_is_refused_with_its_reason(source, reason):
    assert reason in complaint(source)


def test_the_last_of_several_definitions_counts():
    first, last = mended("x.sum(dim=0)", "x.sum(dim=1)"), "def mended(x, mask):\n    return x"
    assert complaint(f"{first}\n{last}")
    assert complaint(f"{last}\n{first}") == ""


def test_the_source_of_a_repair_is_the_function_alone_and_runs():
    made = repair(BROKEN, ast.parse("import os\n@os.decorate\n" + mended("x.sum(dim=0)", "x.sum(dim=1)")), "mended")
    namespace: dict = {}
    exec(made.source, namespace)
    assert namespace["mended"](torch.ones(2, 3), None).tolist() == [2.0, 2.0]


def test_lines_are_numbered_as_they_stand():
    lines = numbered(BROKEN).splitlines()
    assert [line.rpartition("# ")[2] for line in lines] == [str(number) for number in range(1, len(lines) + 1)]
    assert ast.dump(ast.parse(numbered(BROKEN))) == ast.dump(ast.parse(BROKEN))


ARGUMENTS = [
    Argument("keys", "float", ["batch", "source", "units"]),
    Argument("lengths", "int", ["batch"], least=1, most="source"),
    Argument("D", "float", None, least=0.5),
    Argument("mask", "bool", ["batch", "source"], optional=True),
]
KEYS, LENGTHS, D, MASK = np.ones((2, 3, 4), np.float32), np.array([3, 1]), np.array(1), np.ones((2, 3), bool)


def given(*arrays: np.ndarray) -> Answer:
    return Answer(outputs=list(arrays), several=True)


def test_a_sound_input_comes_back_as_arguments():
    assert input_of(given(KEYS, LENGTHS, D, np.zeros(0, np.float32)), ARGUMENTS)[-1] is None  # an optional one
    keys, lengths, D_, mask = input_of(given(KEYS.astype(np.float64), LENGTHS.astype(np.int32), D, MASK), ARGUMENTS)
    assert (keys.dtype, lengths.dtype, D_, mask.dtype) == (np.float32, np.int64, 1.0, bool)


UNSOUND = {
    "too few": (given(KEYS, LENGTHS, D), "3 arguments, expected 4"),
    "too much": (given(np.ones((2, 3, MOST_NUMBERS), np.float32), LENGTHS, D, MASK), "at most 4096"),
    "another type": (given(KEYS, LENGTHS.astype(np.float32), D, MASK), "whole numbers"),
    "another number of axes": (given(KEYS[0], LENGTHS, D, MASK), "expected shape (batch, source, units)"),
    "axes that do not fit": (given(KEYS, LENGTHS, D, MASK[:, :2]), "source is 3 elsewhere"),
    "an empty axis": (given(KEYS[:, :0], LENGTHS, D, MASK[:, :0]), "at least 1 long"),
    "infinity": (given(KEYS * np.inf, LENGTHS, D, MASK), "finite"),
    "too long": (given(KEYS, np.array([3, 4]), D, MASK), "above 3 (source)"),
    "too short": (given(KEYS, np.array([3, 0]), D, MASK), "below 1"),
    "a number out of range": (given(KEYS, LENGTHS, np.array(0.1), MASK), "D is below 0.5"),
    "nothing to attend to": (given(KEYS, LENGTHS, D, np.zeros((2, 3), bool)), "False all along"),
    "a tensor for a number": (given(KEYS, LENGTHS, np.ones(2), MASK), "expected a number"),
}


@pytest.mark.parametrize(("answer", "reason"), UNSOUND.values(), ids=UNSOUND)
def test_an_unsound_input_is_refused_with_its_reason(answer, reason):
    complaint = input_of(answer, ARGUMENTS)
    assert isinstance(complaint, str)
    assert reason in complaint


def right(x):
    return x.sum(dim=0)


def test_an_input_counts_where_the_broken_function_differs_or_crashes():
    def wrong(x):
        return x.sum(dim=1)

    def crashes(x):
        return x.nosuch()

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert fails(wrong, right, [x]) is None
    assert fails(crashes, right, [x]) is None
    assert "what the right one gives" in fails(wrong, right, [np.zeros((3, 3), np.float32)]).text
    assert fails(lambda x: right(x) + 1e-5, right, [x])  # rounding shows no bug


def test_an_input_that_the_right_function_cannot_take_does_not_count_and_shows_none_of_its_lines():
    failure = fails(lambda x: x, lambda x: x @ x, [np.ones((2, 3), np.float32)])
    assert "cannot take this input" in failure.text
    assert "line" not in failure.text
