"""`python -m autograder score FILE…`: one line of JSON per notebook, no gradebook, no student."""

import json
import sys
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder import checks
from autograder.assignment import Template, template
from autograder.judge.assess import summary
from autograder.judge.judge import Judge, Judged, refused
from autograder.judge.process import demand
from autograder.sandbox import sandbox
from autograder.submissions import parser_client
from autograder.submissions.notebook import Unreadable, read_bytes

BUSY = "other programs kept the machine busy: score it again"


@dataclass
class Scorer:
    """Scores notebook files with one judge."""

    judge: Judge
    assignment: str | None = None  # for notebooks that do not name their own
    known: list[str] = field(default_factory=checks.assignments)
    forms: dict[str, Template] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.assignment is not None and self.assignment not in self.known:
            raise ValueError(f"no assignment '{self.assignment}': expected one of {', '.join(self.known)}")

    def line(self, name: str) -> dict[str, Any]:
        """Return the line of one file as a JSON object; an unreadable file has its reason in `error`."""
        assignment, template = self.assignment, None
        try:
            content = read_bytes(Path(name))
            assignment = parser_client.assignment(content, self.known) or assignment
            if assignment is None:
                raise Unreadable(
                    f"it does not say which assignment it is; expected one of {', '.join(self.known)} in its metadata "
                    "or its check cells. Give --assignment NAME"
                )
            template = self.template(assignment)
            submission = parser_client.submission(content, template, self.known)
            judged = self.judge.notebook(submission.notebook, template, submission.content)
            if judged.starved:  # other programs kept the machine busy: judge it once more
                judged = self.judge.notebook(submission.notebook, template, submission.content)
            if any(failure.kind == "no_worker" for each in judged.verdicts.values() for failure in each.failures):
                raise RuntimeError("student code could not be started")  # nobody's 0 points
            if judged.starved:
                judged.flags.append(BUSY)
            if self.assignment not in (None, assignment):
                judged.flags.append(f"graded as '{assignment}', which it names, and not as '{self.assignment}'")
        except Unreadable as error:
            template = self.template(assignment) if assignment else None
            judged = refused(template, str(error)) if template else Judged({}, error=str(error))
        return {"file": name, **summary(judged, template)}

    def template(self, name: str) -> Template:
        if name not in self.forms:
            self.forms[name] = template(name)
            demand(self.forms[name])
        return self.forms[name]


def score(files: Iterable[str], judge: Judge, assignment: str | None = None) -> int:
    """Print one line per file, in order; return the exit status: 0 unless the grader itself failed."""
    scorer = Scorer(judge, assignment)
    status = 0
    for name in files:
        try:
            line = scorer.line(name)
        except (FileNotFoundError, sandbox.NoSandbox):
            raise
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            status = 3
            line = {"file": name, **summary(Judged({}, error=f"the grader failed: {type(error).__name__}"), None)}
        print(json.dumps(line), flush=True)
    return status
