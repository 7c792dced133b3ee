"""Truncates a notebook whose feedback page would be too large for a browser: graded cells alone, without long texts."""

import copy
import json

import nbformat
from nbformat import NotebookNode

from autograder.assignment import grade_id

LONGEST = 20_000  # characters of a cell's text, and of its outputs or pictures
LEFT_OUT = "… {} characters, not shown here: they are in the file that was handed in"


def truncated(notebook: NotebookNode) -> NotebookNode:
    """Return the graded cells of a notebook, and in place of the others a note."""
    short = copy.copy(notebook)
    short.cells = [_truncated_cell(cell) for cell in notebook.cells if grade_id(cell)]
    if omitted := len(notebook.cells) - len(short.cells):
        text = f"{omitted} cells are not shown here: they are in the file that was handed in."
        note = {"cell_type": "markdown", "id": "not-shown", "metadata": {}, "source": text}
        short.cells.append(nbformat.from_dict(note))  # pyright: ignore[reportArgumentType]
    return short


def _truncated_cell(cell: NotebookNode) -> NotebookNode:
    """Return a copy of a cell with long texts replaced by their lengths; a check's outputs stay."""
    short = copy.deepcopy(cell)
    if len(cell.source) > LONGEST:
        short.source = LEFT_OUT.format(len(cell.source))
    if len(json.dumps(cell.get("attachments", {}))) > LONGEST:
        del short["attachments"]
    size = len(json.dumps(cell.get("outputs", [])))
    if size > LONGEST and not cell.metadata.nbgrader.get("grade"):
        note = {"output_type": "stream", "name": "stdout", "text": LEFT_OUT.format(size)}
        short.outputs = [nbformat.from_dict(note)]  # pyright: ignore[reportArgumentType]
    return short
