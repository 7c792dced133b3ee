"""A small assignment for the grader's tests: a graded function, a question for a person, a cell that trains."""

import json

import nbformat
from nbformat import NotebookNode

from autograder.assignment import Template

NAME, FUNCTION = "bahdanau", "masked_softmax"
BLANK = "def masked_softmax(scores, mask=None):\n    raise NotImplementedError"
RIGHT = """def masked_softmax(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1) * mask"""
WRONG = """def masked_softmax(scores, mask=None):
    return scores.softmax(-1) if mask is None else scores.softmax(-1) * mask"""
MISTAKE = "mask_after_softmax"
CHECK_CELL = f'from autograder.kit import check\n\ncheck("{NAME}.{FUNCTION}", globals())'
TRAINS = "while True:\n    print('training')"


def code(source: str, **metadata) -> dict:
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": [], "execution_count": None}


def markdown(source: str, **metadata) -> dict:
    return {"cell_type": "markdown", "metadata": metadata, "source": source}


def graded(grade_id: str, **metadata) -> dict:
    known = {
        "schema_version": 3,
        "grade_id": grade_id,
        "grade": False,
        "solution": False,
        "locked": False,
        "task": False,
    }
    return {"nbgrader": known | metadata}


def cells(solution: str = BLANK) -> list[dict]:
    """Return the cells of a notebook with this solution."""
    check = graded(f"check-{FUNCTION}", grade=True, locked=True, points=10)
    return [
        markdown("# An exercise\n\nwith *emphasis* and <details>a hint</details>"),
        code("import torch"),
        code(solution, **graded(FUNCTION, solution=True)),
        code(CHECK_CELL, **check),
        markdown("Your answer", **graded("written", grade=True, solution=True, points=4)),
        code(TRAINS, tags=["train"]),
    ]


def tree(content: list[dict], **metadata) -> dict:
    """Return a notebook as the JSON that lies on disk."""
    fields = metadata or {"attention_workbook": {"assignment": NAME}}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": fields, "cells": content}


def as_bytes(content: list[dict] | dict) -> bytes:
    return json.dumps(tree(content) if isinstance(content, list) else content).encode()


def form() -> Template:
    """Return the released notebook."""
    released: NotebookNode = nbformat.from_dict(tree(cells()))
    for number, cell in enumerate(released.cells):
        cell["id"] = f"released-{number}"
    return Template(NAME, released)
