"""An example's numbers, expected and given, in a check's outputs: written by the judge, drawn on the feedback page."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.kit.shown.example_hints import Output
from autograder.kit.shown.picture import is_drawable, picture

MIME = "application/vnd.attention-workbook.comparison+json"


def comparison(outputs: Sequence[Output]) -> list[dict[str, Any]]:
    """Return the cell's output with the numbers for a picture: a list of one, or [] where there is nothing to draw.

    Only numbers come from a student. They stand as text: JSON has no NaN, and a notebook has to open everywhere.
    """
    pairs = [each for each in outputs if is_drawable(*each[1:])]
    if not pairs:
        return []
    data = [{"name": name, "right": _text(right), "given": _text(given)} for name, right, given in pairs]
    return [{"output_type": "display_data", "data": {MIME: data}, "metadata": {}}]


def drawn(data: list[dict[str, Any]]) -> str:
    """Return the content of `comparison` as HTML; raise ValueError, KeyError or TypeError for anything else."""
    return picture([(str(each["name"]), _numbers(each["right"]), _numbers(each["given"])) for each in data])


def _text(numbers: np.ndarray) -> list[list[str]]:
    return [[f"{number:.6g}" for number in row] for row in np.atleast_2d(np.squeeze(numbers))]


def _numbers(rows: list[list[str]]) -> np.ndarray:
    return np.array([[float(number) for number in row] for row in rows])
