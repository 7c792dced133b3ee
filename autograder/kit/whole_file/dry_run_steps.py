"""The steps of grading with a notebook's file: the cells that it runs, and each check behind its answer."""

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from autograder.kit import course
from autograder.kit.course import collapsed, grade_id, source_of

TRAIN, CHECK = "train", "check-"  # the tag of a cell that trains; the beginning of the name of a check's cell
CALL = re.compile(r"""^check\(\s*["']\w+\.(\w+)["']""", re.MULTILINE)


class NoNotebook(Exception):
    """There is no file to run; the message says what was looked for, and what to do."""


@dataclass
class Step:
    """A cell to run, or the check of a function; `number` counts the notebook's cells from 1."""

    number: int
    source: str = ""
    check: str = ""
    own: bool = False  # the student added the cell


def read(path: Path) -> tuple[str, list[dict[str, Any]]]:
    """Return a notebook file's assignment and its cells; raise NoNotebook where it is none of this kit's."""
    try:
        tree = json.loads(path.read_text(encoding="utf-8-sig"))
        cells = [cell for cell in tree["cells"] if isinstance(cell.get("metadata", {}), dict)]
    except OSError as error:
        raise NoNotebook(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise NoNotebook(f"{path} is no notebook, or its JSON is broken: save it again in Jupyter") from None
    own = tree.get("metadata", {}).get("attention_workbook", {}).get("assignment")
    called = [name for cell in cells for name in re.findall(r"""\bcheck\(\s*["'](\w+)\.""", source_of(cell))]
    name = next((name for name in (own, *called) if name in course.names()), None)
    if name is None:
        raise NoNotebook(f"{path} is none of this kit's notebooks: expected one of {', '.join(course.names())}")
    return name, cells


def steps(name: str, cells: list[dict[str, Any]]) -> tuple[list[Step], list[str], dict[str, int]]:
    """Return the steps of grading with a notebook, lines on its repairs, and the number of each function's cell."""
    released, functions = course.released(name)["cells"], [p.name for p in course.parts(name).values() if not p.written]
    texts = {collapsed(source_of(cell)): cell for cell in released if cell["cell_type"] == "code"}
    checks: dict[str, int] = {}
    answers: dict[str, int] = {}
    run: list[Step] = []
    for number, cell in enumerate(cells, 1):
        source = source_of(cell)
        if cell.get("cell_type") != "code" or not source.strip():
            continue
        if function := _checked(cell, functions):
            checks.setdefault(function, number)
            continue
        known = texts.get(collapsed(source))
        if TRAIN in _tags(cell) or (known and TRAIN in _tags(known)):
            continue
        answers |= dict.fromkeys(
            [function for function in functions if grade_id(cell) == function or has_definition(source, function)],
            number,
        )
        run.append(Step(number, source, own=known is None and not grade_id(cell)))
    notes = []
    if lost := _lost_setup(released, run):
        notes.append("The first cell is missing or changed: grading puts the released one on top.")
    for function in functions:
        check, answer = checks.get(function, len(cells)), answers.get(function, 0)
        if answer > check:
            notes.append(f"{function} is defined in cell {answer}, below its check: grading moves the check down.")
        run.append(Step(max(check, answer), check=function))
    return sorted([*lost, *run], key=lambda step: step.number), notes, answers


def texts(name: str, cells: list[dict[str, Any]]) -> dict[str, str]:
    """Return the text cells by name; a cell without a name is known by the text above it, as in grading."""
    nameless = {
        collapsed(source_of(above)): source_of(cell)
        for above, cell in pairwise(cells)
        if cell.get("cell_type") == "markdown" and not grade_id(cell)
    }
    by_name = {
        grade_id(cell): nameless.get(collapsed(source_of(above)), "")
        for above, cell in pairwise(course.released(name)["cells"])
    }
    return by_name | {grade_id(cell): source_of(cell) for cell in cells if cell.get("cell_type") == "markdown"}


def _checked(cell: dict[str, Any], functions: list[str]) -> str:
    """Return the function that a cell checks, "" for any other cell."""
    if grade_id(cell).startswith(CHECK):
        return grade_id(cell).removeprefix(CHECK)
    called = CALL.search(source_of(cell))
    return called[1] if called and called[1] in functions and len(source_of(cell).splitlines()) <= 3 else ""


def _lost_setup(released: list[dict[str, Any]], run: list[Step]) -> list[Step]:
    """Return the released code cells before the first exercise that the notebook lacks.

    The cell with functions of earlier notebooks is left out: students fill it in.
    """
    first = next((i for i, cell in enumerate(released) if grade_id(cell)), 0)
    run_texts = {collapsed(step.source) for step in run}
    setup = [source_of(cell) for cell in released[:first] if cell["cell_type"] == "code"]
    return [Step(0, source) for source in setup if collapsed(source) not in run_texts and "own_or_given(" not in source]


def _tags(cell: dict[str, Any]) -> list[str]:
    return cell.get("metadata", {}).get("tags", [])


def has_definition(source: str, name: str) -> bool:
    """Return whether code defines a function or class of this name, or gives it a value."""
    return bool(re.search(rf"^[ \t]*(?:def|class)[ \t]+{name}\b|^{name}[ \t]*=", source, re.MULTILINE))
