"""The parts of a graded notebook for a feedback page: lost points first, and no more than fits."""

import copy
import json
from collections.abc import Iterable
from dataclasses import dataclass

import nbformat
from nbformat import NotebookNode
from nbgrader.utils import is_grade, is_solution

from autograder.assignment import OWN, bonus, grade_id, stars
from autograder.gradebook.store.rows import NO_RESPONSE

RIGHT, PARTLY, WRONG = "all points", "some points", "no points"
WAITS, EMPTY = "waits for your teacher", "not written"
ORDER = (WRONG, PARTLY, WAITS, EMPTY, RIGHT)
LONGEST = 20_000  # characters of a cell's text, and of its outputs or pictures
LEFT_OUT = "… {} characters, not shown here: they are in the file that was handed in"
SIGNS = {RIGHT: "✓", PARTLY: "◐", WRONG: "✗", WAITS: "…", EMPTY: "–"}


@dataclass
class Part:
    """One graded cell with its marks in its metadata, the task above it, and the student's answer."""

    graded: NotebookNode
    task: list[NotebookNode]
    work: list[NotebookNode]

    def __post_init__(self) -> None:
        about = self.graded.metadata.nbgrader
        self.anchor = grade_id(self.graded)
        self.name = self.anchor.removeprefix("check-")
        self.label = f"{'★' * stars(self.graded)} bonus" if bonus(self.graded) else ""
        self.written = is_solution(self.graded)  # the graded cell is the answer itself, and not its check
        self.work += [self.graded] if self.written else []
        self.score, self.points = about.get("score") or 0.0, about.get("points") or 0.0
        self.waiting = bool(about.get("waits"))  # a person still has to give the points
        self.items = about.get("items") or []  # of the rubric, with their points
        comments = [cell.metadata.get("nbgrader", {}).get("comment") for cell in self.work]
        # A line beside its points tells that it is empty.
        self.comments = [str(text) for text in comments if text and text != NO_RESPONSE]
        if self.waiting:
            self.result = WAITS
        elif self.score >= self.points:
            self.result = RIGHT
        elif self.score > 0:
            self.result = PARTLY
        else:
            self.result = EMPTY if NO_RESPONSE in comments else WRONG
        self.sign = SIGNS[self.result]


def parts(notebook: NotebookNode) -> tuple[list[Part], list[NotebookNode]]:
    """Return a graded notebook's parts in their order, and the cells around them; of a refused one, those with points.

    A part begins below the graded cell before it, and the cells above its first solution cell are its task. The cells
    above the first heading of the second level introduce the notebook and belong to no part.
    """
    made: list[Part] = []
    around: list[NotebookNode] = []
    task: list[NotebookNode] = []
    work: list[NotebookNode] = []
    has_begun = False
    for cell in notebook.cells:
        is_heading = cell.cell_type == "markdown" and cell.source.startswith("## ")
        has_begun |= is_grade(cell) or is_solution(cell) or is_heading
        if not has_begun:
            around.append(cell)
        elif is_grade(cell):
            made.append(Part(cell, task, work))
            task, work = [], []
        else:
            (work if work or is_solution(cell) else task).append(cell)
    if notebook.metadata.get(OWN, {}).get("refused"):  # the cells are not what was handed in
        return [part for part in made if part.score or part.comments], []
    return made, [*around, *task, *work]


def by_need(made: Iterable[Part]) -> list[Part]:
    """Return the parts, first those that lost points, each group in the notebook's order."""
    return sorted(made, key=lambda part: ORDER.index(part.result))


def truncated(notebook: NotebookNode) -> NotebookNode:
    """Return the graded cells of a notebook, and a note in place of the others."""
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
