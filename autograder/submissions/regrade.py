"""Regrade requests: a text cell of the student's own that begins with "Regrade: PART" or "Regrade: NAME.PART"."""

import re
from collections.abc import Iterable

from nbformat import NotebookNode

from autograder.assignment import CHECK
from autograder.submissions.normalise import is_own

REQUEST = re.compile(
    r"[#*_>\s]*regrade[*_\s]*:[*_\s`]*(?P<part>[\w.-]{1,100})[`*_]*(?P<note>.*)", re.IGNORECASE | re.DOTALL
)
LONGEST, MOST = 2000, 20  # characters of a note, and requests of one notebook


def requests(cells: Iterable[NotebookNode], assignment: str) -> list[dict[str, str]]:
    """Return {"assignment", "part", "note"} for each request in a notebook; those without a NAME are about itself."""
    texts = [cell.source for cell in cells if cell.cell_type == "markdown" and is_own(cell)]
    found = [match for text in texts if (match := REQUEST.match(text[: 2 * LONGEST]))]
    return [_request(match, assignment) for match in found[:MOST]]


def _request(match: re.Match[str], assignment: str) -> dict[str, str]:
    name, dot, part = match["part"].strip(".").partition(".")
    note = match["note"].lstrip(" \t\r\n.:,;-–—")[:LONGEST].rstrip()
    return {"assignment": name if dot else assignment, "part": (part or name).removeprefix(CHECK), "note": note}
