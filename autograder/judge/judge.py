"""One notebook's way through the judge: its cells run in the sandbox, its checks are decided here."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
from nbformat import NotebookNode

from autograder import checks
from autograder.assignment import CHECK, Template, grade_id
from autograder.judge import seed
from autograder.judge.caller import CHANCE, DIFFERS, Events, StepServer, Student, differing
from autograder.judge.carried import Forward, Lost
from autograder.judge.comparison import comparison
from autograder.judge.reference_server import Bounded
from autograder.judge.session import Limits, Session
from autograder.kit.verdict import grading
from autograder.kit.verdict.answer import Caller, Failure
from autograder.kit.verdict.bonus import all_points, with_stars
from autograder.kit.verdict.cases import Case
from autograder.kit.verdict.grading import Verdict
from autograder.kit.verdict.hunts import refusing
from autograder.kit.verdict.repair import Repair
from autograder.kit.whole_file.dry_run_steps import has_definition
from autograder.sandbox.sandbox import Sandbox
from autograder.submissions import parser_client
from autograder.submissions.normalise import is_own
from autograder.submissions.parse_untrusted import MOST_PASTED, written_size

# Bytes of the outputs of all cells and of pasted pictures: the page holds them, and the class's folder.
MOST_OUTPUT = 6 << 20
MOST_SHARED = 512  # sets of cases in a judging process: two notebooks' in all variants


@dataclass
class Judged:
    """The result of one notebook: verdicts by function, outputs by cell id, remarks, and the error if not graded."""

    verdicts: dict[str, Verdict]
    outputs: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # on cells that an error ended, which are no reason to look twice
    error: str | None = None
    starved: bool = False  # something was stopped because a busy machine made it wait
    stars: dict[str, int] = field(default_factory=dict)  # of the functions whose points are a bonus

    @property
    def score(self) -> float:
        return sum(verdict.score for verdict in self.verdicts.values())

    @property
    def max_score(self) -> float:
        """Return the points of the core tasks; with a bonus a score may be higher."""
        return sum(verdict.max_score for function, verdict in self.verdicts.items() if function not in self.stars)

    @property
    def bonus(self) -> float:
        """Return the points of starred tasks in the score."""
        return sum(verdict.score for function, verdict in self.verdicts.items() if function in self.stars)


def refused(form: Template, reason: str) -> Judged:
    """Return the result of a submission that cannot be read: no points, and the reason."""
    verdicts = {}
    for function in form.functions:
        points = checks.find(f"{form.assignment}.{function}").max_points
        verdicts[function] = Verdict(0, points, f"This submission could not be graded: {reason}.", [], [])
    return Judged(verdicts, error=reason, stars=form.stars)


@dataclass
class Judge:
    """Judges the notebooks of a class with one sandbox, one secret and one set of limits."""

    sandbox: Sandbox
    secret: bytes
    limits: Limits = field(default_factory=Limits)

    def notebook(
        self, notebook: NotebookNode, form: Template, content: bytes, student: str = "", is_first: bool = False
    ) -> Judged:
        """Run a normalised notebook from top to bottom and judge its checks where they stand.

        `content` is the file as it was handed in; the hidden inputs depend on it, on the student, and on whether this
        is their first hand-in.
        """
        draw = partial(hidden_cases, self.secret, student, "" if is_first else hashlib.sha256(content).hexdigest())
        judged = Judged({function: Verdict(0, 0, None, [], []) for function in form.functions}, stars=form.stars)
        analysis = parser_client.analysis(notebook, form, _broken(form))
        judged.flags = analysis.flags
        pasted = sum(written_size(cell.get("attachments", {})) for cell in notebook.cells)
        with Session(self.sandbox, self.limits, checks=len(form.functions)) as session:
            first = _Run(form, session, draw, judged, MOST_OUTPUT - min(MOST_PASTED, pasted), analysis.repairs)
            first.ahead = {cell.id: cell.source for cell in notebook.cells if cell.id in analysis.defines}
            for cell in notebook.cells:
                if grade_id(cell).startswith(CHECK):
                    first.check(grade_id(cell).removeprefix(CHECK))
                elif cell.id in analysis.defines:
                    first.cell(cell, analysis.defines[cell.id])
        judged.starved = session.starved
        if any(map(CHANCE.search, first.written)) and not judged.starved:
            other = differing(self.sandbox, self.limits, first.events, session.until)
            judged.flags += [f"{function}: {DIFFERS}" for function in other]
        Forward(form, self.sandbox, self.limits, session.until).carry(judged.verdicts, first.lost)
        return judged


@dataclass
class _Run:
    """A notebook's first run, from top to bottom, with the records that later runs need."""

    form: Template
    session: Session
    draw: Callable[[str], list[Case]]  # the hidden cases of a check
    judged: Judged
    left: int  # bytes of outputs that may still be shown
    repairs: dict[str, Repair]
    stopped: dict[str, Failure | None] = field(default_factory=dict)  # the error that ended the cell of a function
    lost: list[Lost] = field(default_factory=list)
    events: Events = field(default_factory=list)
    written: list[str] = field(default_factory=list)  # the cells that are not as they were released
    ahead: dict[str, str] = field(default_factory=dict)  # the sources of the cells still to run
    failed: list[tuple[str, str]] = field(default_factory=list)  # the sources of cells that ended with these errors
    blank: set[str] = field(default_factory=set)  # functions whose cell is as it was released

    def cell(self, cell: NotebookNode, defines: list[str]) -> None:
        """Run one cell, which would define these functions, and keep its outputs."""
        own = is_own(cell)
        self.written += [cell.source] if own or grade_id(cell) else []
        released = not own and self.form.graded.get(grade_id(cell), cell).source == cell.source
        self.blank = self.blank | set(defines) if released else self.blank - set(defines)
        before = len(self.session.ran)
        outputs = self.session.run(cell.source, own=own and not defines)
        self.events += self.session.ran[before:]
        failure = ended(outputs, self.session.stopped)
        self.stopped |= dict.fromkeys(defines, failure)
        self.ahead.pop(cell.id, None)
        self.failed += [(cell.source, failure.text)] if failure else []
        self.left -= written_size(outputs)
        self.judged.outputs[cell.id] = outputs if self.left > 0 else too_long(outputs)

    def check(self, function: str) -> None:
        """Judge one function where its check is."""
        check_id, stopped = f"{self.form.assignment}.{function}", self.stopped.get(function)
        check = checks.find(check_id)
        student = Student(self.session, stopped, check.portable_adapter, self._why_missing)
        self.session.begin_check()
        if function in self.blank and not check.hunt:  # its cases make no difference, and drawing costs the most
            answer = student(function, arguments_once(check_id))
            if answer.error and answer.error.kind == "unwritten":
                self.judged.verdicts[function] = grading.unwritten(function, check.criteria, [answer.error])
                return
        cases = self.draw(check_id)
        student.cases = len(cases)
        caller = check.hunt.caller(function, student, Bounded) if check.hunt else student
        if check.steps:
            caller = StepServer(self.session, student, check.steps)
        if repair := self.repairs.get(function):
            caller = self._repaired(repair, student)
        verdict = grading.grade(check_id, cases, check.criteria, caller, check.worked_examples)
        self.judged.verdicts[function] = verdict
        self.events += [] if self.session.trouble else [(function, student)]
        if verdict.score < verdict.max_score:
            if any(failure.kind != "unwritten" for failure in verdict.failures):  # else it calls nothing
                self.lost.append(Lost(function, cases, list(self.session.ran)))
            if failure := self.session.trouble or stopped:
                is_common = failure is stopped and failure.kind == "raised"
                remarks = self.judged.notes if is_common else self.judged.flags
                remarks.append(f"{function}: {failure.text}")

    def _why_missing(self, name: str) -> str:
        """Return the reason why a name in the notebook is missing, "" if it is unknown."""
        if any(has_definition(source, name) for source in self.ahead.values()):
            return "it is defined in a cell further down, and grading runs the cells from the top"
        imports = re.compile(rf"^[ \t]*(?:from|import)\b.*\b{name}\b", re.MULTILINE)
        errors = [error for source, error in self.failed if imports.search(source)]
        return f"the cell that imports it stopped with {errors[-1]}" if errors else ""

    def _repaired(self, repair: Repair, caller: Caller) -> Caller:
        """Return a caller of a repair: its one changed statement, and nothing that other cells put in its place."""
        if repair.complaint:
            return refusing(repair.complaint, caller)
        self.session.run(repair.source, own=False)
        return caller


def _broken(form: Template) -> dict[str, str]:
    """Return the source of each broken function that a notebook repairs, by the repair's name."""
    each = {function: checks.find(f"{form.assignment}.{function}") for function in form.functions}
    return {name: check.hunt.source for name, check in each.items() if check.hunt and check.is_bug_hunt}


def error_line(outputs: list[dict[str, Any]]) -> str | None:
    """Return the error that ended a cell, in one line, or None."""
    error = next((output for output in outputs if output["output_type"] == "error"), None)
    if error is None:
        return None
    value = re.sub(r" \([^()]*, (line \d+)\)$", r" (\1)", " ".join(error["evalue"].split()))
    return f"{error['ename']}: {value}"[:300]


def ended(outputs: list[dict[str, Any]], stopped: Failure | None) -> Failure | None:
    """Return the failure that ended a cell early, by its outputs, None for none; `stopped` is the session's word."""
    text = error_line(outputs)
    return Failure(stopped.kind if stopped else "raised", text) if text else None


def too_long(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the note in place of a cell's outputs when those of all cells together are too long."""
    text = f"… not shown: the outputs of all cells hold more than {MOST_OUTPUT >> 20} MB\n"
    if error := error_line(outputs):
        text += f"{error}\n"
    return [{"output_type": "stream", "name": "stdout", "text": text}] if outputs else []


def shown(verdict: Verdict, stars: int = 0) -> list[dict[str, Any]]:
    """Return a verdict as outputs for nbgrader: text for all points, a number for some of them, an error for 0.

    A starred task gives no error: nobody has to do it.
    """
    hint = with_stars(verdict.hint or all_points(verdict.max_score), stars)
    if verdict.score >= verdict.max_score:
        return [{"output_type": "stream", "name": "stdout", "text": f"{hint}\n"}]
    drawn = comparison(verdict.outputs)
    if verdict.score <= 0 and not stars:
        first, *_ = lines = hint.split("\n")
        return [{"output_type": "error", "ename": "NoPoints", "evalue": first, "traceback": lines}, *drawn]
    number = {"text/plain": repr(float(verdict.score))}
    return [
        {"output_type": "stream", "name": "stdout", "text": hint + "\n"},
        *drawn,
        {"output_type": "execute_result", "data": number, "metadata": {}, "execution_count": None},
    ]


def hidden_cases(secret: bytes, student: str, digest: str, check_id: str) -> list[Case]:
    """Return the cases of a check for a submission: its own with a digest, without one those of a variant."""
    assignment = check_id.partition(".")[0]
    if not digest:
        return _shared_cases(secret, check_id, seed.variant(secret, assignment, student, check_id))
    return checks.find(check_id).draw(seed.generator(secret, assignment, student, digest, check_id))


@lru_cache(MOST_SHARED)
def _shared_cases(secret: bytes, check_id: str, variant: int) -> list[Case]:
    """Return one of the sets of cases that first hand-ins share, drawn once, with the outputs of known mistakes."""
    rng = seed.generator(secret, check_id.partition(".")[0], "", f"variant {variant}", check_id)
    return checks.find(check_id).draw(rng)


@cache
def arguments_once(check_id: str) -> list[Any]:
    """Return arguments for a trial call of a function that the student left blank."""
    return list(checks.find(check_id).draw(np.random.default_rng(0))[0].arguments.values())
