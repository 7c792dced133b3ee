"""What a feedback page leaves out so that it stays of a size that a browser opens and a class's folder holds."""

import copy
import html
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.assignment import grade_id

FRAME = 2000  # characters of a page around each cell
LEFT_OUT = "… {} characters, not shown here: they are in the file that was handed in"


def shortened(notebook: NotebookNode, most: int) -> NotebookNode:
    """Return a notebook whose page has about so many characters; graded cells come first, others last."""
    short = copy.copy(notebook)
    left, kept = most, {}
    for number, cell in sorted(enumerate(notebook.cells), key=lambda each: not grade_id(each[1])):
        shown = cell if _size(cell) <= left else _without_text(cell)
        if grade_id(cell) or _size(shown) <= left:
            kept[number] = shown
            left -= _size(shown)
    gone = len(notebook.cells) - len(kept)
    short.cells = [kept[number] for number in sorted(kept)]
    if gone:
        text = f"{gone} cells are not shown here: they are in the file that was handed in."
        note = {"cell_type": "markdown", "id": "not-shown", "metadata": {}, "source": text}
        short.cells.append(nbformat.from_dict(note))  # pyright: ignore[reportArgumentType]
    return short


def _without_text(cell: NotebookNode) -> NotebookNode:
    """Return a cell that says how long it is; a check's verdict stays."""
    short = copy.deepcopy(cell)
    if len(cell.source) > FRAME:
        short.source = LEFT_OUT.format(len(cell.source))
    if (
        cell.cell_type == "code"
        and _size_of_outputs(cell) > FRAME
        and not cell.metadata.get("nbgrader", {}).get("grade")
    ):
        note = {"output_type": "stream", "name": "stdout", "text": LEFT_OUT.format(_size_of_outputs(cell))}
        short.outputs = [nbformat.from_dict(note)]  # pyright: ignore[reportArgumentType]
    return short


def _size(cell: NotebookNode) -> int:
    pasted = sum(_length(forms) for forms in cell.get("attachments", {}).values())
    return FRAME + len(html.escape(cell.source)) + _size_of_outputs(cell) + pasted


def _size_of_outputs(cell: NotebookNode) -> int:
    return sum(_length(output) for output in cell.get("outputs", []))


def _length(value: Any) -> int:
    """Return the length of all texts in a value, as a page holds them."""
    if isinstance(value, str):
        return len(html.escape(value))
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(_length, items))
