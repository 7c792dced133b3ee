"""One submission as plain values: the task for a judging process, here or on another machine, and its outcome.

This module needs no torch, for programs that only hand out tasks: the judge is imported where it judges.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4.rwbase import strip_transient

from autograder.assignment import CHECK, OWN, Template, assignments, grade_id
from autograder.judge.pictures import as_markdown, keep_pasted
from autograder.submissions import normalise, parser_client
from autograder.submissions.normalise import is_by_student, is_own
from autograder.submissions.notebook import Unreadable

if TYPE_CHECKING:
    from autograder.judge.judge import Judge, Judged

LONGEST_MARKDOWN = 20_000  # characters of one cell rendered as Markdown: odd ones take quadratic time
MOST_MARKDOWN = 100_000  # and of all of a student's cells together
# A text cell of the student's own that begins with "Regrade: PART" or "Regrade: NAME.PART".
REQUEST = re.compile(
    r"[#*_>\s]*regrade[*_\s]*:[*_\s`]*(?P<part>[\w.-]{1,100})[`*_]*(?P<note>.*)", re.IGNORECASE | re.DOTALL
)
LONGEST_NOTE, MOST_REQUESTS = 2000, 20  # characters of one, and requests of one notebook


@dataclass(frozen=True)
class Task:
    """One submission to judge. Without content it could not be read, and `reason` says why.

    `notice` tells the student which of several files this is. A first hand-in may share its inputs; see `seed`.
    """

    student: str
    assignment: str
    content: bytes | None
    reason: str = ""
    notice: str = ""
    is_first: bool = False


@dataclass(frozen=True)
class Outcome:
    """The outcome of a task: the line of `record`, and the notebook with all outputs and verdicts, as JSON.

    Starved: other work on the machine kept it from ending in time, so that it is judged once more, alone.
    """

    line: dict[str, Any]
    notebook: bytes
    starved: bool = False
    kept: bytes | None = None  # of a hand-in that is too large to be kept as it is: the notebook without its outputs


def summary(judged: "Judged", form: Template | None) -> dict[str, Any]:
    """Return a judged notebook as plain values, in the order of the contract.

    `score` is the sum of all checks, `max_score` that of the core tasks; a starred task's check has `bonus`: true.
    """
    return {
        "assignment": form.assignment if form else None,
        "score": judged.score,
        "max_score": judged.max_score if form else None,
        "manual_max_score": form.manual_points if form else None,
        "checks": [
            {
                "id": f"{form.assignment}.{function}",
                "score": verdict.score,
                "max_score": verdict.max_score,
                "hint": verdict.hint,
                "mistake": verdict.mistakes,
            }
            | ({"bonus": True} if function in judged.stars else {})
            for function, verdict in judged.verdicts.items()
            if form
        ],
        "flags": judged.flags,
        "error": judged.error,
    }


def record(judged: "Judged", form: Template) -> dict[str, Any]:
    """Return the line of `score` with bonus, notes and, for each check, titles of mistakes and kinds of failures."""
    line = summary(judged, form)
    more = [
        {"titles": verdict.titles, "failures": list(dict.fromkeys(failure.kind for failure in verdict.failures))}
        for verdict in judged.verdicts.values()
    ]
    checks = [check | about for check, about in zip(line["checks"], more, strict=True)]
    return line | {"bonus": judged.bonus, "checks": checks, "notes": judged.notes}


def assess(task: Task, form: Template, judge: "Judge") -> Outcome:
    """Judge one submission: nothing in it can raise an error here, and none of its own outputs is believed."""
    try:
        if task.content is None:
            raise Unreadable(task.reason)
        read = parser_client.submission(task.content, form, assignments())
        judged = judge.notebook(read.notebook, form, read.content, task.student, task.is_first)
    except Unreadable as error:
        return without_points(form, str(error))
    kept = None if read.content is task.content else read.content
    if task.notice:
        tell(read.notebook, notice=task.notice)
    requested = requests(read.notebook.cells, form.assignment)
    line = record(judged, form) | ({"requests": requested} if requested else {})
    return Outcome(line, _written(read.notebook, judged), judged.starved, kept=kept)


def tell(notebook: NotebookNode, **words: str) -> None:
    """Set the words at the top of a feedback page: `refused`, the reason for no grade, or a `notice`."""
    notebook.metadata[OWN] = notebook.metadata.get(OWN, {}) | words


def without_points(form: Template, reason: str) -> Outcome:
    """Return the outcome of a submission that cannot be graded: the released notebook with the reason, no points."""
    from autograder.judge.judge import refused

    judged = refused(form, reason)
    notebook = normalise.placeholder(form, reason)
    tell(notebook, refused=reason)
    return Outcome(record(judged, form), _written(notebook, judged))


def _written(notebook: NotebookNode, judged: "Judged") -> bytes:
    """Return the notebook with outputs from the sandbox and verdicts, and no text that takes long to render."""
    from autograder.judge.judge import shown

    for count, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), start=1):
        name = grade_id(cell)
        outputs = judged.outputs.get(cell.id, [])
        if name.startswith(CHECK):
            function = name.removeprefix(CHECK)
            outputs = shown(judged.verdicts[function], judged.stars.get(function, 0))
        cell.outputs = [nbformat.from_dict(output) for output in outputs]
        cell.execution_count = count if outputs else None
    left = MOST_MARKDOWN
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and is_by_student(cell):
            left -= len(cell.source)
            cell.source = _bounded(cell.source, left)
    keep_pasted(notebook.cells, lambda cell: bool(grade_id(cell)), LONGEST_MARKDOWN)
    # Not validated, as it was read with care. On one line, and not copied first: a tenth of nbformat's time.
    return json.dumps(strip_transient(notebook), ensure_ascii=False).encode("utf-8")


def _bounded(source: str, left: int) -> str:
    """Return a student's text; one that would take long to render as Markdown is cut, and shown as typed."""
    if len(source) <= LONGEST_MARKDOWN and left >= 0:
        return as_markdown(source)
    text = source[: LONGEST_MARKDOWN if left >= 0 else LONGEST_MARKDOWN // 20]
    if len(text) < len(source):
        text += f"\n… and {len(source) - len(text)} characters more in the file that was handed in"
    fence = "`" * (1 + max(map(len, re.findall("`{3,}", text)), default=2))
    return f"{fence}\n{text}\n{fence}"


def requests(cells: Iterable[NotebookNode], assignment: str) -> list[dict[str, str]]:
    """Return {"assignment", "part", "note"} for each request in a notebook; those without a NAME are about itself."""
    texts = [cell.source for cell in cells if cell.cell_type == "markdown" and is_own(cell)]
    matches = [match for text in texts if (match := REQUEST.match(text[: 2 * LONGEST_NOTE]))]
    return [_request(match, assignment) for match in matches[:MOST_REQUESTS]]


def _request(match: re.Match[str], assignment: str) -> dict[str, str]:
    name, dot, part = match["part"].strip(".").partition(".")
    note = match["note"].lstrip(" \t\r\n.:,;-–—")[:LONGEST_NOTE].rstrip()
    return {"assignment": name if dot else assignment, "part": (part or name).removeprefix(CHECK), "note": note}
