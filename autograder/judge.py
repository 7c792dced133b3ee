"""One notebook's way through the judge: its cells run behind the wall, its checks are decided here."""

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from autograder import checks, secret
from autograder.caller import Student
from autograder.carried import Forward, Lost
from autograder.flags import flags
from autograder.kit import grading
from autograder.kit.grading import Verdict
from autograder.normal import CHECK, Template, grade_id
from autograder.reading import TRAIN, checked
from autograder.wall import Wall
from autograder.worker import Limits, Session

MOST_OUTPUT = 8 << 20  # bytes of the outputs of all cells: the page holds them, and the class's folder


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
        stopped: dict[str, str | None] = {}
        lost: list[Lost] = []
        left = MOST_OUTPUT
        with Session(self.wall, self.limits) as session:
            for cell in notebook.cells:
                if grade_id(cell).startswith(CHECK):
                    function = grade_id(cell).removeprefix(CHECK)
                    check_id = f"{form.assignment}.{function}"
                    rng = secret.generator(self.secret, form.assignment, student, digest, check_id)
                    check, why = checks.find(check_id), stopped.get(function)
                    cases = check.draw(rng)
                    session.begin_check()
                    verdict = grading.grade(check_id, cases, check.criteria, Student(session, why), check.examples)
                    judged.verdicts[function] = verdict
                    if verdict.score < verdict.max_score:
                        lost.append(Lost(function, cases, list(session.ran)))
                        if trouble := session.trouble or why:
                            judged.flags.append(f"{function}: {trouble}")
                elif runs(cell):
                    outputs = session.run(cell.source)
                    stopped |= dict.fromkeys(wanted(cell, form), stop(outputs))
                    left -= len(json.dumps(outputs))
                    judged.outputs[cell.id] = outputs if left > 0 else too_long(outputs)
        Forward(form, self.wall, self.limits).carry(judged.verdicts, lost)
        return judged


def wanted(cell: NotebookNode, form: Template) -> list[str]:
    """Return the functions that a cell would define if it ran to its end; it may be no Python."""
    written = set(re.findall(r"^[ \t]*(?:def|class)\s+(\w+)|^(\w+)\s*=", cell.source, re.MULTILINE))
    names = {name for pair in written for name in pair} | {grade_id(cell)}
    return [function for function in form.functions if function in names]


def stop(outputs: list[dict[str, Any]]) -> str | None:
    """Return the error that ended a cell, in one line, or None."""
    error = next((output for output in outputs if output["output_type"] == "error"), None)
    if error is None:
        return None
    value = re.sub(r" \([^()]*, (line \d+)\)$", r" (\1)", " ".join(error["evalue"].split()))
    return f"{error['ename']}: {value}"[:300]


def too_long(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what is shown instead of outputs when those of all cells together are too long."""
    said = f"… not shown: the outputs of all cells hold more than {MOST_OUTPUT >> 20} MB\n"
    error = stop(outputs)
    text = f"{said}{error}\n" if error else said
    return [{"output_type": "stream", "name": "stdout", "text": text}] if outputs else []


def runs(cell: NotebookNode) -> bool:
    """Tell whether a cell is run in grading: code, but no check, no lone call of one, and nothing that trains."""
    if cell.cell_type != "code" or grade_id(cell).startswith(CHECK) or not cell.source.strip():
        return False
    return TRAIN not in cell.metadata.get("tags", []) and checked(cell.source) is None


def shown(verdict: Verdict) -> list[dict[str, Any]]:
    """Return a verdict as outputs from which nbgrader reads a score: text is all, a number partial, an error 0."""
    hint = verdict.hint or ""
    if verdict.score >= verdict.max_score:
        text = hint or f"All {verdict.max_score:g} points."
        return [{"output_type": "stream", "name": "stdout", "text": f"{text}\n"}]
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
