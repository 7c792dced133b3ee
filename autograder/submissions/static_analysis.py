"""Static analysis of a normalised notebook: flags for the teacher, which cells are run, what each would define."""

import re
from typing import Any

from nbformat import NotebookNode

from autograder.assignment import CHECK, grade_id
from autograder.submissions.flags import flags
from autograder.submissions.notebook import check_call_id
from autograder.submissions.parse_untrusted import TRAIN

MOST_FLAGS, LONGEST_FLAG = 50, 200


def analyse(cells: list[NotebookNode], functions: list[str]) -> dict[str, Any]:
    """Return the fields of `parser_client.Analysis` for the cells of a notebook."""
    run = [cell for cell in cells if is_run(cell)]
    all_flags = [flag[:LONGEST_FLAG] for flag in flags([cell.source for cell in run])]
    more = len(all_flags) - MOST_FLAGS
    all_flags[MOST_FLAGS:] = [f"and {more} flags more"] if more > 0 else []
    return {"flags": all_flags, "defines": {cell.id: defines(cell, functions) for cell in run}}


def may_be_run(cell: NotebookNode) -> bool:
    """Return whether a cell is code that is not empty, no released check, and not tagged `train`; it is not parsed."""
    if cell.cell_type != "code" or grade_id(cell).startswith(CHECK) or not cell.source.strip():
        return False
    return TRAIN not in cell.metadata.get("tags", [])


def is_run(cell: NotebookNode) -> bool:
    """Return whether a cell is run in grading: `may_be_run`, and it does more than call `check`."""
    return may_be_run(cell) and check_call_id(cell.source) is None


def defines(cell: NotebookNode, functions: list[str]) -> list[str]:
    """Return which of these functions a cell would define if it ran to its end; found by text, for it may not parse."""
    matches = set(re.findall(r"^[ \t]*(?:def|class)\s+(\w+)|^(\w+)\s*=", cell.source, re.MULTILINE))
    names = {name for pair in matches for name in pair} | {grade_id(cell)}
    return [function for function in functions if function in names]
