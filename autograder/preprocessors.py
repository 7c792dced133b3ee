"""What takes the place of nbgrader's Execute, and nothing else."""

from dataclasses import dataclass, field
from typing import Any

from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

type_pair = tuple[NotebookNode, ResourcesDict]


@dataclass
class Desk:
    """Where a notebook's outcome lies until nbgrader comes for it: by student and assignment."""

    outcomes: dict[tuple[str, str], NotebookNode] = field(default_factory=dict)

    def take(self, resources: dict[str, Any]) -> NotebookNode:
        about = resources["nbgrader"]
        key = (about["student"], about["assignment"])
        if key not in self.outcomes:
            raise LookupError(f"{key[1]} of {key[0]} has not been judged. Run `python -m autograder grade` instead.")
        return self.outcomes[key]


DESK = Desk()


class Verdicts(NbGraderPreprocessor):
    """Writes into a notebook its cells' outputs from behind the wall, and the verdicts as nbgrader reads them."""

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> type_pair:
        said = {cell.id: cell for cell in DESK.take(resources).cells if cell.cell_type == "code"}
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = said[cell.id].outputs, said[cell.id].execution_count
        return nb, resources
