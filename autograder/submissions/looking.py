"""What the sources of a normalised notebook say before anything runs: flags, what is run, what it would define."""

import re
from typing import Any

from nbformat import NotebookNode

from autograder.assignment import CHECK, grade_id
from autograder.submissions.flags import flags
from autograder.submissions.notebook import checked
from autograder.submissions.parse_untrusted import TRAIN

MOST_FLAGS, LONGEST_FLAG = 50, 200


def look(cells: list[NotebookNode], functions: list[str]) -> dict[str, Any]:
    """Return the flags of a notebook's code, and for each cell that is run the functions that it would define."""
    run = [cell for cell in cells if runs(cell)]
    stand_out = [flag[:LONGEST_FLAG] for flag in flags([cell.source for cell in run])]
    more = len(stand_out) - MOST_FLAGS
    stand_out[MOST_FLAGS:] = [f"and {more} flags more"] if more > 0 else []
    return {"flags": stand_out, "wanted": {cell.id: wanted(cell, functions) for cell in run}}


def may_run(cell: NotebookNode) -> bool:
    """Return whether a cell is code that is no check of the release's, holds something, and does not train."""
    if cell.cell_type != "code" or grade_id(cell).startswith(CHECK) or not cell.source.strip():
        return False
    return TRAIN not in cell.metadata.get("tags", [])


def runs(cell: NotebookNode) -> bool:
    """Return whether a cell is run in grading: code, but no check, no lone call of one, and nothing that trains."""
    return may_run(cell) and checked(cell.source) is None


def wanted(cell: NotebookNode, functions: list[str]) -> list[str]:
    """Return the functions that a cell would define if it ran to its end; it may be no Python."""
    written = set(re.findall(r"^[ \t]*(?:def|class)\s+(\w+)|^(\w+)\s*=", cell.source, re.MULTILINE))
    names = {name for pair in written for name in pair} | {grade_id(cell)}
    return [function for function in functions if function in names]
