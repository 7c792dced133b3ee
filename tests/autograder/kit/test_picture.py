"""Tests of the picture below a check: it has both functions' numbers, marks what differs, and needs a notebook."""

import re

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from autograder.kit.shown.picture import EXPECTED, GIVEN, picture

RIGHT = np.array([[0.25, 0.75, 0.0], [0.5, 0.25, 0.25]], dtype=np.float32)


def cells(html: str) -> list[str]:
    return re.findall(r"<td[^>]*>([^<]*)</td>", html)


def test_both_tables_have_their_numbers_and_what_differs_has_a_sign() -> None:
    given = RIGHT.copy()
    given[1, 2] = 0.5
    html = picture([("weights", RIGHT, given)])
    assert cells(html) == ["0.25", "0.75", "0", "0.5", "0.25", "0.25", "0.25", "0.75", "0", "0.5", "0.25", "≠ 0.5"]
    assert html.count("outline:2px") == 1
    assert re.findall(r"<caption[^>]*>([^<]*)</caption>", html) == [f"weights, {EXPECTED}", f"weights, {GIVEN}"]


@pytest.mark.parametrize(
    ("right", "given"),
    [
        (RIGHT, RIGHT),
        (RIGHT, RIGHT + 1e-5),  # looks the same
        (RIGHT, RIGHT.T),
        (RIGHT[:1, :1], RIGHT[:1, :1] + 1),  # one number says it in words
        (np.zeros((9, 9)), np.ones((9, 9))),  # too many
        (np.zeros((2, 2, 2)), np.ones((2, 2, 2))),
        (np.zeros(3, bool), np.ones(3, bool)),
        (np.zeros(3), np.ones(3, int)),
    ],
)
def test_where_there_is_nothing_to_see_nothing_is_drawn(right: np.ndarray, given: np.ndarray) -> None:
    assert picture([("weights", right, given)]) == ""


def test_numbers_that_are_none_are_drawn_and_names_are_text() -> None:
    given = np.array([np.nan, np.inf, 0.75], dtype=np.float32)
    html = picture([("<b>", RIGHT[0], given), ("same", RIGHT, RIGHT)])
    assert cells(html)[3:] == ["≠ nan", "≠ inf", "≠ 0.75"]
    assert "<b>" not in html
    assert "same" not in html


def test_a_batch_of_one_is_drawn_as_its_matrix() -> None:
    assert picture([("weights", RIGHT[None], RIGHT[None] + 1)]).count("<tr>") == 4


def test_a_notebook_shows_it_and_a_program_prints_nothing(capsys: pytest.CaptureFixture) -> None:
    source = "import numpy as np\nfrom autograder.kit.shown.picture import show\nshow([('w', np.zeros(3), np.ones(3))])"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    NotebookClient(notebook, timeout=60).execute()
    [output] = notebook.cells[0].outputs
    assert cells(output.data["text/html"])[3:] == ["≠ 1"] * 3
    exec(source, {})
    assert capsys.readouterr().out == ""
