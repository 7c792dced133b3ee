"""What an answer in words is, and what is every course's: neither split cells nor stock texts lose or give anything."""

import copy
import json
from typing import Any

import nbformat
import pytest

from autograder.assignment import assignments, grade_id, template
from autograder.places import released_notebook
from autograder.submissions.normalise import submission
from autograder.submissions.notebook import Unreadable

QUESTION = "reading_a_matrix"
ANOTHERS = {  # another nbgrader course's, with the text that nbgrader itself puts in an answer's place
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [
        {"cell_type": "markdown", "id": "a1", "metadata": {}, "source": "# Homework 3: linear regression"},
        {"cell_type": "markdown", "id": "a2", "metadata": {}, "source": "YOUR ANSWER HERE"},
    ],
}


@pytest.mark.usefixtures("released")
@pytest.mark.parametrize("name", assignments())
def test_another_courses_notebook_has_no_cell_of_an_assignment(name: str) -> None:
    with pytest.raises(Unreadable, match=f"this notebook has no cell of '{name}'"):
        submission(json.dumps(ANOTHERS).encode(), template(name), assignments())


def answered(*texts: str, **more: Any) -> Any:
    """Return the question's cell as it is judged, of a notebook in which it was split into these."""
    notebook = nbformat.read(released_notebook("bahdanau"), as_version=4)
    place = next(n for n, cell in enumerate(notebook.cells) if grade_id(cell) == QUESTION)
    parts = [copy.deepcopy(notebook.cells[place]) for _ in texts]
    for part, text in zip(parts, texts, strict=True):
        part.source = text
        part.update(more.get(text, {}))
    notebook.cells[place : place + 1] = parts
    judged = submission(json.dumps(notebook).encode(), template("bahdanau"), assignments())
    for text in {*texts} - {"", "YOUR ANSWER HERE"}:
        assert "attachment:" in text or sum(text in cell.source for cell in judged.cells) == 1, (
            "no part is left behind, as a text of its own"
        )
    [cell] = [cell for cell in judged.cells if grade_id(cell) == QUESTION]
    return cell


@pytest.mark.usefixtures("released")
def test_an_answer_that_was_split_counts_whole() -> None:
    """Jupyter's "Split Cell" keeps the cell's name in both."""
    assert answered("The verb.", "Because of its row.").source == "The verb.\n\nBecause of its row."
    assert answered("YOUR ANSWER HERE", "The verb.").source == "The verb."
    assert answered("The verb.", "", "The verb.").source == "The verb."


@pytest.mark.usefixtures("released")
def test_pictures_of_one_name_in_both_parts_are_both_there() -> None:
    one, other = ({"attachments": {"a.png": {"image/png": data}}} for data in ("AAAA", "BBBB"))
    texts = ("![](attachment:a.png) first", "![](attachment:a.png) then")
    cell = answered(*texts, **dict(zip(texts, (one, other), strict=True)))
    assert cell.source == "![](attachment:a.png) first\n\n![](attachment:1-a.png) then"
    assert cell.attachments == {"a.png": {"image/png": "AAAA"}, "1-a.png": {"image/png": "BBBB"}}
    same = answered(*texts, **dict.fromkeys(texts, one))
    assert same.attachments == one["attachments"]
