"""Tests of an example's numbers in a graded notebook: any notebook can hold them, and the feedback page draws them."""

import json

import nbformat
import numpy as np
import pytest

from autograder.gradebook.pages.html import Page
from autograder.judge.comparison import MIME, comparison

RIGHT = np.array([[0.963, 0.037], [0.5, 0.5], [1.0, 0.0]])
GIVEN = np.array([[0.857, 0.143], [np.nan, -np.inf], [1.0, 0.0]])


def on_a_page(data) -> str:
    output = {"output_type": "display_data", "data": {MIME: data}, "metadata": {}}
    about = {"nbgrader": {"points": 2}}
    cell = nbformat.v4.new_code_cell("check()", metadata=about, outputs=[nbformat.from_dict(output)])
    return Page().verdict(cell)


def test_the_numbers_come_through_a_notebook_of_strict_json_also_those_that_json_has_not() -> None:
    (output,) = comparison([("weights", RIGHT, GIVEN)])
    (data,) = json.loads(json.dumps(output, allow_nan=False))["data"][MIME]
    for name, numbers in (("right", RIGHT), ("given", GIVEN)):
        read = np.array([[float(number) for number in row] for row in data[name]])
        np.testing.assert_allclose(read, numbers)


def test_the_page_draws_both_and_marks_what_differs() -> None:
    html = on_a_page(comparison([("weights", RIGHT, GIVEN)])[0]["data"][MIME])
    assert html.count("<table") == 2
    assert html.count(">≠ ") == 4
    assert "0.963" in html
    assert "nan" in html


@pytest.mark.parametrize(
    "data", [[{}], [7], {}, "text", None, [{"name": "w", "right": [["<b>"]], "given": [["1"]]}], [{"name": "w"}]]
)
def test_what_somebody_has_written_by_hand_is_not_drawn(data) -> None:
    assert on_a_page(data) == ""
