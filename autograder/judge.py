"""One notebook's way through the judge: its cells run behind the wall, its checks are decided here."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from autograder import checks, secret
from autograder.flags import flags
from autograder.kit import grading
from autograder.kit.answers import Caller
from autograder.kit.grading import Verdict
from autograder.normal import CHECK, Template, grade_id
from autograder.reading import TRAIN, checked
from autograder.wall import Wall
from autograder.worker import Limits, Session


def judge(check_id: str, caller: Caller, rng: Any) -> Verdict:
    """Return the verdict on whatever function the caller reaches, on cases drawn from rng."""
    check = checks.find(check_id)
    return grading.grade(check_id, check.draw(rng), check.criteria, caller, check.examples)


@dataclass
class Judged:
    """What came of one notebook: verdicts by function, outputs by cell id, flags, and why it could not be graded."""

    verdicts: dict[str, Verdict]
    outputs: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    error: str | None = None

    @property
    def score(self) -> float:
        return sum(verdict.score for verdict in self.verdicts.values())

    @property
    def max_score(self) -> float:
        return sum(verdict.max_score for verdict in self.verdicts.values())


def refused(form: Template, reason: str) -> Judged:
    """Return what comes of a submission that cannot be read: no points, and the reason."""
    verdicts = {}
    for function in form.functions:
        points = checks.find(f"{form.assignment}.{function}").points
        verdicts[function] = Verdict(0, points, f"This submission could not be graded: {reason}.", [], [])
    return Judged(verdicts, error=reason)


@dataclass
class Judge:
    """Holds what all notebooks of a class share: the wall, the secret, the limits."""

    wall: Wall
    secret: bytes
    limits: Limits = field(default_factory=Limits)

    def notebook(self, notebook: NotebookNode, form: Template, content: bytes, student: str = "") -> Judged:
        """Run a normalised notebook from top to bottom and judge its checks where they stand."""
        digest = hashlib.sha256(content).hexdigest()
        judged = Judged({function: Verdict(0, 0, None, [], []) for function in form.functions})
        judged.flags = flags([cell.source for cell in notebook.cells if runs(cell)])
        with Session(self.wall, self.limits) as session:
            for cell in notebook.cells:
                if grade_id(cell).startswith(CHECK):
                    function = grade_id(cell).removeprefix(CHECK)
                    check_id = f"{form.assignment}.{function}"
                    rng = secret.generator(self.secret, form.assignment, student, digest, check_id)
                    session.begin_check()
                    judged.verdicts[function] = judge(check_id, session.call, rng)
                elif runs(cell):
                    judged.outputs[cell.id] = session.run(cell.source)
        return judged


def runs(cell: NotebookNode) -> bool:
    """Tell whether a cell is run in grading: code, but no check, no lone call of one, and nothing that trains."""
    if cell.cell_type != "code" or grade_id(cell).startswith(CHECK) or not cell.source.strip():
        return False
    return TRAIN not in cell.metadata.get("tags", []) and checked(cell.source) is None


def shown(verdict: Verdict) -> list[dict[str, Any]]:
    """Return a verdict as outputs from which nbgrader reads a score: text is all, a number partial, an error 0."""
    hint = verdict.hint or ""
    if verdict.score >= verdict.max_score:
        return [{"output_type": "stream", "name": "stdout", "text": f"All {verdict.max_score:g} points.\n"}]
    if verdict.score <= 0:
        return [
            {
                "output_type": "error",
                "ename": "NoPoints",
                "evalue": hint.partition("\n")[0],
                "traceback": hint.split("\n"),
            }
        ]
    number = {"text/plain": repr(float(verdict.score))}
    return [
        {"output_type": "stream", "name": "stdout", "text": hint + "\n"},
        {"output_type": "execute_result", "data": number, "metadata": {}, "execution_count": None},
    ]
