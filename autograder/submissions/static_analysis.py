"""Static analysis of a normalised notebook: flags for the teacher, which cells are run, what each would define."""

import re
from dataclasses import asdict
from typing import Any

from nbformat import NotebookNode

from autograder.assignment import CHECK, grade_id
from autograder.kit.repair import Repair, repair
from autograder.submissions.flags import flags
from autograder.submissions.notebook import check_call_id, syntax_tree
from autograder.submissions.parse_untrusted import TRAIN

MOST_FLAGS, LONGEST_FLAG = 50, 200


def analyse(cells: list[NotebookNode], functions: list[str], broken: dict[str, str]) -> dict[str, Any]:
    """Return the fields of `parser_client.Analysis` for the cells of a notebook."""
    run = [cell for cell in cells if is_run(cell)]
    all_flags = [flag[:LONGEST_FLAG] for flag in flags([cell.source for cell in run])]
    more = len(all_flags) - MOST_FLAGS
    all_flags[MOST_FLAGS:] = [f"and {more} flags more"] if more > 0 else []
    by_cell = {cell.id: defines(cell, functions) for cell in run}
    repairs = {name: asdict(_repair(name, source, run, by_cell)) for name, source in broken.items()}
    return {"flags": all_flags, "defines": by_cell, "repairs": repairs}


def _repair(name: str, broken: str, cells: list[NotebookNode], by_cell: dict[str, list[str]]) -> Repair:
    """Return the repair of a broken function in the last cell that defines it."""
    sources = [cell.source for cell in cells if name in by_cell[cell.id]]
    return repair(broken, syntax_tree(sources[-1]) if sources else None, name)


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
