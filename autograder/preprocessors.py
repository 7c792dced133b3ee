"""What takes the place of nbgrader's Execute, and what keeps a student's text from acting in a teacher's browser."""

import re
from dataclasses import dataclass, field
from typing import Any

import nbformat
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.judge import Judged, shown
from autograder.normal import CHECK, grade_id, is_own

type_pair = tuple[NotebookNode, ResourcesDict]


@dataclass
class Desk:
    """Where a notebook's outcome lies until nbgrader comes for it: by student and assignment."""

    outcomes: dict[tuple[str, str], Judged] = field(default_factory=dict)

    def take(self, resources: dict[str, Any]) -> Judged:
        about = resources["nbgrader"]
        key = (about["student"], about["assignment"])
        if key not in self.outcomes:
            raise LookupError(f"{key[1]} of {key[0]} has not been judged. Run `python -m autograder grade` instead.")
        return self.outcomes[key]


DESK = Desk()


class Verdicts(NbGraderPreprocessor):
    """Writes into a notebook its cells' outputs from behind the wall, and the verdicts as nbgrader reads them."""

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> type_pair:
        judged = DESK.take(resources)
        for count, cell in enumerate((cell for cell in nb.cells if cell.cell_type == "code"), start=1):
            name = grade_id(cell)
            if name.startswith(CHECK):
                outputs = shown(judged.verdicts[name.removeprefix(CHECK)])
            else:
                outputs = judged.outputs.get(cell.id, [])
            cell.outputs = [nbformat.from_dict(output) for output in outputs]
            cell.execution_count = count if outputs else None
        return nb, resources


class HarmlessMarkdown(NbGraderPreprocessor):
    """Breaks every HTML tag in a student's text: formgrader and feedback pages would take it for their own."""

    def preprocess_cell(  # pyright: ignore[reportIncompatibleMethodOverride]: nbconvert passes it by position
        self, cell: NotebookNode, resources: ResourcesDict, cell_index: int
    ) -> type_pair:
        students = is_own(cell) or cell.metadata.get("nbgrader", {}).get("solution")
        if cell.cell_type == "markdown" and students:
            # A space after the bracket ends the tag and leaves formulas such as a<b as they were.
            cell.source = re.sub(r"<(?=[a-zA-Z/!?])", "< ", cell.source)
        return cell, resources
