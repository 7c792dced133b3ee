"""Bonus points in nbgrader: a starred task's cell has 0 points, and an automatic score that is more than that.

nbgrader's extra credit stays the teacher's own: no run of ours writes it, so none can take it away. A bonus is an
automatic score like any other, in all of nbgrader's sums and in no maximum; a worse answer lowers it.
"""

import copy

from nbformat import NotebookNode
from nbgrader.utils import determine_grade

from autograder.assignment import bonus, grade_id, stars


def automatic_score(cell: NotebookNode) -> float | None:
    """Return a cell's score, of a bonus above nbgrader's maximum of 0; None where a person gives it."""
    return determine_grade(_worth_its_bonus(copy.deepcopy(cell)) if bonus(cell) else cell)[0]


def show(notebook: NotebookNode) -> NotebookNode:
    """Return the notebook, changed in place, with the points that a starred task's cell can give: for a page."""
    for cell in notebook.cells:
        if bonus(cell):
            _worth_its_bonus(cell)
    return notebook


def _worth_its_bonus(cell: NotebookNode) -> NotebookNode:
    cell.metadata.nbgrader["points"] = bonus(cell)
    return cell


def labels(notebook: NotebookNode) -> dict[str, str]:
    """Return what is written beside each starred cell's name on a page, by grade_id."""
    return {grade_id(cell): f"{'★' * stars(cell)} bonus" for cell in notebook.cells if bonus(cell)}


def points(notebook: NotebookNode) -> dict[str, float]:
    """Return the bonus points of each starred cell by grade_id."""
    return {grade_id(cell): bonus(cell) for cell in notebook.cells if bonus(cell)}
