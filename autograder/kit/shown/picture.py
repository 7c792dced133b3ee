"""The expected and the student's values side by side, below a check's words, where a notebook can show them."""

from collections.abc import Sequence
from html import escape

import numpy as np

from autograder.kit.shown.example_hints import MOST, VISIBLE, Output
from autograder.kit.shown.history import shell

LABEL = "The numbers of the example: the darker, the larger; ≠ marks where yours differ."
EXPECTED, GIVEN = "expected", "yours"


def show(outputs: Sequence[Output]) -> None:
    """Draw the outputs of an example below the words of the check: in a notebook, where there is something to see."""
    drawn = picture(outputs)
    if drawn and shell() is not None:
        from IPython.display import HTML, display

        display(HTML(drawn))


def picture(outputs: Sequence[Output]) -> str:
    """Return the wrong outputs as HTML: two tables for each, with their numbers; "" where there are none."""
    pairs = [
        (name, np.squeeze(right), np.squeeze(given)) for name, right, given in outputs if is_drawable(right, given)
    ]
    if not pairs:
        return ""
    drawn = ""
    for name, right, given in pairs:
        both = _table(f"{name}, {EXPECTED}", right, right) + _table(f"{name}, {GIVEN}", given, right)
        drawn += f'<div style="display:inline-flex;flex-wrap:wrap;gap:1em;margin:0 2em 0.5em 0">{both}</div>'
    return f'<div role="group" aria-label="{LABEL}">{drawn}</div><small>{LABEL}</small>'


def is_drawable(right: np.ndarray, given: np.ndarray) -> bool:
    """Return whether both are vectors or matrices of a few numbers, of one shape, and differ."""
    if right.shape != given.shape or not 1 < right.size <= MOST or np.squeeze(right).ndim > 2:
        return False
    return right.dtype.kind == given.dtype.kind == "f" and not _alike(right, given).all()


def _alike(right: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Return the mask of the numbers whose three digits look the same."""
    return np.isclose(given, right, rtol=0, atol=VISIBLE, equal_nan=True)


def _table(caption: str, own: np.ndarray, right: np.ndarray) -> str:
    """Return one output as a table; wrong numbers have a border and a sign."""
    finite = np.abs(own[np.isfinite(own)])
    largest = max(float(finite.max(initial=0.0)), 1e-9)
    alike = np.atleast_2d(_alike(right, own))
    rows = [
        "<tr>" + "".join(_cell(value, same, largest) for value, same in zip(row, marks, strict=True)) + "</tr>"
        for row, marks in zip(np.atleast_2d(own), alike, strict=True)
    ]
    head = f'<caption style="white-space:nowrap">{escape(caption)}</caption>'
    return f'<table style="margin:0">{head}{"".join(rows)}</table>'


def _cell(value: float, same: bool, largest: float) -> str:
    """Return a number on a ground that is the darker the larger it is."""
    share = min(abs(float(value)) / largest, 1.0) if np.isfinite(value) else 0.0
    style = f"text-align:right;background:rgba(31,119,180,{0.55 * share:.2f})"
    style += "" if same else ";outline:2px solid currentColor;outline-offset:-2px"
    return f'<td style="{style}">{"" if same else "≠ "}{_written(value)}</td>'


def _written(value: float) -> str:
    """Return a number with three decimals at most, as the words above have it."""
    return np.format_float_positional(np.round(value, 3) + 0.0, precision=3, trim="-")  # + 0.0: no "-0"
