"""Truncates a long notebook, so that its feedback page stays of a size that browsers open."""

import copy
import html
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.assignment import grade_id

CELL_OVERHEAD = 2000  # characters of a page around each cell
LEFT_OUT = "… {} characters, not shown here: they are in the file that was handed in"


def truncated(notebook: NotebookNode, max_characters: int) -> NotebookNode:
    """Return the notebook cut to a page of about `max_characters`; graded cells take precedence over others."""
    short = copy.copy(notebook)
    remaining, kept = max_characters, {}
    for number, cell in sorted(enumerate(notebook.cells), key=lambda each: not grade_id(each[1])):
        kept_cell = cell if _size(cell) <= remaining else _without_text(cell)
        if grade_id(cell) or _size(kept_cell) <= remaining:
            kept[number] = kept_cell
            remaining -= _size(kept_cell)
    omitted = len(notebook.cells) - len(kept)
    short.cells = [kept[number] for number in sorted(kept)]
    if omitted:
        text = f"{omitted} cells are not shown here: they are in the file that was handed in."
        note = {"cell_type": "markdown", "id": "not-shown", "metadata": {}, "source": text}
        short.cells.append(nbformat.from_dict(note))  # pyright: ignore[reportArgumentType]
    return short


def _without_text(cell: NotebookNode) -> NotebookNode:
    """Return a copy of a cell with long source and outputs replaced by their lengths; a check's outputs stay."""
    short = copy.deepcopy(cell)
    if len(cell.source) > CELL_OVERHEAD:
        short.source = LEFT_OUT.format(len(cell.source))
    if (
        cell.cell_type == "code"
        and _size_of_outputs(cell) > CELL_OVERHEAD
        and not cell.metadata.get("nbgrader", {}).get("grade")
    ):
        note = {"output_type": "stream", "name": "stdout", "text": LEFT_OUT.format(_size_of_outputs(cell))}
        short.outputs = [nbformat.from_dict(note)]  # pyright: ignore[reportArgumentType]
    return short


def _size(cell: NotebookNode) -> int:
    pasted = sum(_length(forms) for forms in cell.get("attachments", {}).values())
    return CELL_OVERHEAD + len(html.escape(cell.source)) + _size_of_outputs(cell) + pasted


def _size_of_outputs(cell: NotebookNode) -> int:
    return sum(_length(output) for output in cell.get("outputs", []))


def _length(value: Any) -> int:
    """Return the characters that all texts in a JSON value take on an HTML page."""
    if isinstance(value, str):
        return len(html.escape(value))
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(_length, items))
