"""The table of exercises at a chapter's end: the graded functions of its notebook, and the same minutes."""

import re

import pytest

from autograder.assignment import assignments
from autograder.checks import checks
from autograder.places import ROOT
from book.contents import chapters, page_file

FIRST_CELL = re.compile(r"^\|([^|]+)\|", re.MULTILINE)


def in_chapter(name: str) -> tuple[set[str], int]:
    """Return the functions that a chapter's table names, and its minutes."""
    text = page_file(name).read_text("utf-8").partition("\n## Exercises\n")[2].partition("\n## ")[0]
    return functions(text), sum(int(minutes) for minutes in re.findall(r"(\d+)&nbsp;min", text))


def in_notebook(name: str) -> tuple[set[str], int]:
    """Return the functions that a notebook's tables name, and the minutes of all parts that earn points."""
    text = (ROOT / "exercises" / name / "notebook.md").read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|") and "{points " in line]
    return functions("\n".join(rows)), sum(int(row.split("|")[2]) for row in rows)


def functions(text: str) -> set[str]:
    """Return what stands as code in the first cells of a table."""
    return {name for cell in FIRST_CELL.findall(text) for name in re.findall(r"`(\w+)`", cell)}


@pytest.mark.parametrize("name", chapters())
def test_the_chapter_names_the_notebooks_exercises_and_their_minutes(name: str) -> None:
    named, minutes = in_chapter(name)
    of_notebook, expected = in_notebook(name)
    by_hand = {each for each in checks(name) if each.endswith("_by_hand")}  # the chapter may call it the warm-up
    table = f"the table below ## Exercises in book/{name}.md"
    assert named <= set(checks(name)), f"{table} names {named - set(checks(name))}, which have no check"
    assert of_notebook - by_hand <= named, f"{table} lacks {of_notebook - by_hand - named}: write a row for each"
    assert minutes == expected, f"{table}: its minutes (15&nbsp;min) are {minutes}, in the notebook {expected}"


@pytest.mark.parametrize("name", assignments())
def test_no_table_header_is_a_formula_alone(name: str) -> None:
    """What reads a feedback page aloud, or checks it, may skip formulas; an empty header becomes no heading there."""
    text = (ROOT / "exercises" / name / "notebook.md").read_text("utf-8")
    headers = re.findall(r"^\|(.+)\|\n\|[ :|-]+\|$", text, re.MULTILINE)
    cells = [cell.strip() for line in headers for cell in line.split("|") if cell.strip()]
    assert cells
    assert not [cell for cell in cells if not re.sub(r"\$[^$]*\$", "", cell).strip()]
