"""What a feedback page is made of: the parts of a graded notebook, those that need a look first."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode
from nbgrader.utils import is_grade, is_solution

from autograder.assignment import OWN, grade_id
from autograder.gradebook import bonus
from autograder.gradebook.rows import NO_RESPONSE

RIGHT, PARTLY, WRONG = "all points", "some points", "no points"
WAITS, EMPTY = "waits for your teacher", "not written"
ORDER = (WRONG, PARTLY, WAITS, EMPTY, RIGHT)
SIGNS = {RIGHT: "✓", PARTLY: "◐", WRONG: "✗", WAITS: "…", EMPTY: "–"}


@dataclass
class Part:
    """One graded cell with what belongs to it: the task above it, what was handed in, and comments."""

    graded: NotebookNode
    task: list[NotebookNode] = field(default_factory=list)
    work: list[NotebookNode] = field(default_factory=list)
    label: str = ""  # of a starred task

    @property
    def anchor(self) -> str:
        return grade_id(self.graded)

    @property
    def name(self) -> str:
        return self.anchor.removeprefix("check-")

    @property
    def written(self) -> bool:
        """Return whether the graded cell is the answer itself, and no check of one."""
        return is_solution(self.graded)

    @property
    def score(self) -> float:
        return self._about("score") or 0.0

    @property
    def points(self) -> float:
        return self._about("points") or 0.0

    @property
    def waiting(self) -> bool:
        """Return whether a person has still to give the points."""
        return bool(self._about("waits"))

    @property
    def result(self) -> str:
        if self.waiting:
            return WAITS
        if self.score >= self.points:
            return RIGHT
        if self.score > 0:
            return PARTLY
        return EMPTY if NO_RESPONSE in self._comments() else WRONG

    @property
    def sign(self) -> str:
        return SIGNS[self.result]

    @property
    def comments(self) -> list[str]:
        """Return what the teacher, or the grader, wrote to this part; that it is empty is written beside its points."""
        return [text for text in self._comments() if text != NO_RESPONSE]

    @property
    def items(self) -> list[tuple[str, float]]:
        """Return the rubric's items that the answer has, with their points."""
        return self._about("items") or []

    def _comments(self) -> list[str]:
        about = [cell.metadata.get("nbgrader", {}).get("comment") for cell in self.work]
        return [str(text) for text in about if text]

    def _about(self, name: str) -> Any:
        return self.graded.metadata.nbgrader.get(name)


def parts(notebook: NotebookNode) -> tuple[list[Part], list[NotebookNode]]:
    """Return a graded notebook's parts in their order, and the cells around them; of a refused one, those with points.

    A part begins below the graded cell before it: what is above its first solution cell is its task. What is
    above the first heading of the second level introduces the notebook and belongs to no part.
    """
    labels = bonus.labels(notebook)
    begun, around = _introduced(notebook.cells)
    made: list[Part] = []
    task: list[NotebookNode] = []
    work: list[NotebookNode] = []
    for cell in begun:
        if is_grade(cell):
            part = Part(cell, task, work, labels.get(grade_id(cell), ""))
            part.work += [cell] if part.written else []
            made.append(part)
            task, work = [], []
        elif work or is_solution(cell):
            work.append(cell)
        else:
            task.append(cell)
    if notebook.metadata.get(OWN, {}).get("refused"):  # the cells are not what was handed in
        return [part for part in made if part.score or part.comments], []
    return made, [*around, *task, *work]


def by_need(made: Iterable[Part]) -> list[Part]:
    """Return the parts with those first that lost points, otherwise in the notebook's order."""
    return sorted(made, key=lambda part: ORDER.index(part.result))


def _introduced(cells: list[NotebookNode]) -> tuple[list[NotebookNode], list[NotebookNode]]:
    """Return the cells from the first heading of the second level on, and those above it that are not graded."""
    for number, cell in enumerate(cells):
        if is_grade(cell) or is_solution(cell):
            return cells[number:], cells[:number]
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            return cells[number:], cells[:number]
    return cells, []
