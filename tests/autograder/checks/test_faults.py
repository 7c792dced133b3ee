"""A check that is written wrong is refused in one sentence: where, what was expected, what is there."""

import re
from typing import Any

import numpy as np
import pytest
import torch

from autograder import checks as known
from autograder.checks import CaseInput, Check, CheckFault, Points, Written
from autograder.judge.process import demand
from autograder.release.missing import undefined
from autograder.sandbox.bubblewrap import NoSandbox
from tests.support.notebooks import form


def double(x, mask=None):
    """Return twice x, and x."""
    return 2 * x, x


def quadruples(x, mask=None):
    """Four times."""
    return 4 * x, x


def check(*arguments: Any, **changes: Any) -> Check:
    """Return a check of `double` with one case of these arguments."""
    fields: dict[str, Any] = {
        "outputs": ("twice", "itself"),
        "cases": lambda rng: [CaseInput("a case", list(arguments), gradients=True)],
        "points": {"a case": 2},
        "mistakes": (quadruples,),
    }
    return Check(double, **(fields | changes))


X = np.ones((2, 3), np.float32)
WRONG_FIELDS = {
    "double: outputs is a str, expected a tuple: write outputs=(…,)": {"outputs": ("twice")},
    "double: mistakes is a function, expected a tuple": {"mistakes": quadruples},
    "double: examples is a str": {"examples": ("double(1)")},
    "double: “a case” earns 1.5 points, expected a whole number": {"points": {"a case": 1.5}},
    "double: “a case” earns 0 points": {"points": {"a case": 0}},
    "“it” is about 'itsef', which is no output: expected one of twice, itself": {
        "points": {"it": Points(1, "a case", part="itsef")}
    },
}
WRONG_CASES = {
    "double, case “a case”: 1 arguments, expected 2 (x, mask): write None": (check(X), None),
    "argument x: an array of float64, expected one of float32, int64, bool: use .astype(np.float32)": (
        check(X.astype(float), None),
        None,
    ),
    "argument mask: a set, expected a float32, int64 or bool array": (check(X, {1}), None),
    "argument x: a Tensor, expected a float32, int64 or bool array, a number, text, None, or a list or "
    "dictionary of these: use .numpy()": (check(torch.ones(2), None), None),
    "the reference returns 2 values, and outputs names 1: twice": (check(X, None, outputs=("twice",)), None),
    "the reference returns an infinity or NaN in “twice”": (check(X * np.float32(3e38), None), None),
    "case “a case”: the reference fails on it (x: None, mask: None): TypeError": (check(None, None), None),
    "example `double(torch.ones(1)`: SyntaxError": (check(X, None, examples=("double(torch.ones(1)",)), "examples"),
    "example `double('a', b=2)`: TypeError": (check(X, None, examples=("double('a', b=2)",)), "examples"),
}


@pytest.mark.parametrize("message", WRONG_FIELDS)
def test_a_field_that_cannot_be_meant_is_named(message: str) -> None:
    with pytest.raises(CheckFault, match=re.escape(message)):
        check(X, None, **WRONG_FIELDS[message])


@pytest.mark.parametrize("points", [-5, 0, 2.5, True])
def test_a_written_question_without_points_is_named(monkeypatch: pytest.MonkeyPatch, points: Any) -> None:
    monkeypatch.setattr(known, "Written", lambda **fields: Written(points, "Because."))
    sentence = f"exercises/bahdanau/written.toml: reading_a_matrix: “the answer” earns {points!r} points"
    with pytest.raises(CheckFault, match=re.escape(sentence)):
        known.questions("bahdanau")
    with pytest.raises(NoSandbox, match=re.escape(f"Not graded: {sentence}")):
        demand(form())  # one sentence, and no judge that dies of it


@pytest.mark.parametrize("message", WRONG_CASES)
def test_a_case_or_an_example_that_cannot_be_used_is_named(message: str) -> None:
    wrong, what = WRONG_CASES[message]
    with pytest.raises(CheckFault, match=re.escape(message)):
        wrong.worked_examples() if what else wrong.draw(np.random.default_rng(0))


def test_a_right_check_is_taken() -> None:
    [case] = check(X, None).draw(np.random.default_rng(0))
    assert (case.outputs["twice"] == 2 * X).all()


def test_names_that_no_cell_defines_are_found() -> None:
    cells = [
        "%matplotlib inline\nimport torch as t",
        "def f(x: Bool) -> t.Tensor:\n    return g(x, len(x), h)",
        "h = 1",
    ]
    assert undefined(cells) == ["Bool", "g"]
    assert undefined([*cells, "from a import Bool\ndef g(*y): ..."]) == []
