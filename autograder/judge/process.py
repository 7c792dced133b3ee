"""A judging process, on this machine or another: one judge for its whole life, one submission after the other."""

import faulthandler
import hashlib
import os
import sys
import traceback
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.assignment import CHECK, Template, assignments, bonus, is_manual, stars, template
from autograder.definition import definition
from autograder.judge.assess import Outcome, Task, assess, without_points
from autograder.places import HOME, KIT, ROOT, released_notebook
from autograder.sandbox import sandbox
from autograder.settings import settings
from autograder.submissions import parser_client

if TYPE_CHECKING:
    from autograder.judge.judge import Judge

START_SECONDS = 120.0  # for the sandbox, on a loaded machine


@dataclass(frozen=True)
class JudgeSettings:
    """The settings of a judging process: the course's secret, the limits, and the digest of the right grader."""

    secret: bytes = field(repr=False)
    check_seconds: float = 10.0
    notebook_seconds: float = 60.0
    grader: str = ""
    sandbox: str = ""  # the address of this machine's sandbox; "": each process makes its own
    hard_seconds: float = 0.0  # after which a hanging process is ended; 0: as the notebook's seconds allow

    @property
    def longest(self) -> float:
        """Return the seconds after which a process that judges one submission hangs."""
        return self.hard_seconds or START_SECONDS + 3 * (self.notebook_seconds + 2 * self.check_seconds)


@cache
def grader_key(assignment: str) -> str:
    """Return a digest of everything behind a grade besides the submission: notebook, kit, solutions, grader."""
    digest = hashlib.sha256()
    trees = [HOME / "autograder", *(ROOT / tree for tree in definition().trees), KIT]
    files = [released_notebook(assignment)]
    files += [path for tree in trees for path in sorted([*tree.rglob("*.py"), *tree.rglob("mistakes/*.txt")])]
    for path in files:
        digest.update(_name(path).encode() + b"\0" + path.read_bytes() + b"\0")
    digest.update(repr(settings().points.get(assignment)).encode())
    return digest.hexdigest()


def _name(path: Path) -> str:
    """Return a file's path from the course's folder, or from the grader's: the same on every machine."""
    return str(path.relative_to(ROOT if path.is_relative_to(ROOT) else HOME))


def grader_digest() -> str:
    """Return a digest of this machine's grader, kit and released notebooks: two that differ may grade differently."""
    released = [name for name in assignments() if released_notebook(name).exists()]
    return " ".join(f"{name}:{grader_key(name)[:16]}" for name in released)


def settle_threads() -> None:
    """Set the variables that numerical libraries read at import: their threads do not survive a fork."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"


@cache
def judge_for(settings: JudgeSettings) -> "Judge":
    """Return this process's judge, made once."""
    import torch

    from autograder.judge.judge import Judge
    from autograder.judge.session import Limits

    torch.set_num_threads(1)  # checks are tiny: more threads only get into each other's way
    sandbox.require_current_kit(KIT)
    limits = Limits(settings.check_seconds, settings.check_seconds, settings.notebook_seconds)
    built = sandbox.Sandbox.join(settings.sandbox) if settings.sandbox else sandbox.Sandbox(KIT)
    return Judge(built, settings.secret, limits)


@cache
def template_of(assignment: str) -> Template:
    """Return the released notebook of an assignment, read once."""
    form = template(assignment)
    demand(form)
    return form


def demand(form: Template) -> None:
    """Raise an error if exercises or points have changed since the release, or cannot be read any more."""
    from autograder.checks import CheckFault, checks, questions  # it imports torch

    try:
        known, by_hand = checks(form.assignment), questions(form.assignment)
    except CheckFault as error:
        raise sandbox.NoSandbox(f"Not graded: {error}. Mend it there, then grade again.") from None
    ours = {CHECK + function: (check.stars, float(check.max_points)) for function, check in known.items()}
    ours |= {question: (0, float(written.points)) for question, written in by_hand.items()}
    cells = {
        name: cell for name, cell in form.graded.items() if name.startswith(CHECK) or is_manual(cell.metadata.nbgrader)
    }
    released = {
        name: (stars(cell), bonus(cell) or float(cell.metadata.nbgrader["points"])) for name, cell in cells.items()
    }
    if released == ours:
        return
    names = sorted(name for name in ours.keys() | released.keys() if ours.get(name) != released.get(name))
    changed = ", ".join(name.removeprefix(CHECK) for name in names)
    raise sandbox.NoSandbox(
        f"Not graded: the points of '{form.assignment}' have changed since its notebook was released "
        f"({changed}). Run `python -m autograder release {form.assignment}`, then grade again."
    )


def prepare(settings: JudgeSettings) -> None:
    """Make the judge; raise an error if this grader is not the one that handed out the work."""
    ours = grader_digest()
    if settings.grader and settings.grader != ours:
        raise RuntimeError(
            f"its grader, kit or notebooks differ: expected {settings.grader}, got {ours}. Copy the course's folder "
            "with build/release there, or run `make release` on the same commit, and start the worker again"
        )
    parser_client.client().start()
    judge_for(settings)


def judged(settings: JudgeSettings, task: Task) -> Outcome:
    """Judge one submission."""
    # A C thread does it, whatever holds the interpreter. The waiting process sees this one die.
    faulthandler.dump_traceback_later(settings.longest, exit=True, file=2)
    try:
        return judged_by(judge_for(settings), task)
    finally:
        faulthandler.cancel_dump_traceback_later()


def judged_by(judge: "Judge", task: Task) -> Outcome:
    """Judge one submission; a fault of the grader costs only this one its points, and is reported."""
    form = template_of(task.assignment)
    try:
        return assess(task, form, judge)
    except sandbox.NoSandbox:
        raise
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        return given_up(task, f"the grader failed on it ({type(error).__name__})")


def given_up(task: Task, reason: str) -> Outcome:
    """Return the outcome of a submission that the grader could not judge: no points, the reason, and a mark."""
    outcome = without_points(template_of(task.assignment), f"{reason}, please tell its maintainers")
    return replace(outcome, line=outcome.line | {"failed": True})
