"""Records of graded submissions: with them a run goes on where another one ended, and grades nothing twice."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder.files import PRIVATE, atomic_write
from autograder.gradebook.view import Class, Entry, Line
from autograder.judge.process import grader_key
from autograder.submissions.files import Submission
from autograder.submissions.notebook import Unreadable
from autograder.submissions.zip_files import Damaged


def submission_key(submission: Submission) -> str:
    """Return a digest of a submission's bytes, of its timestamp, notes and notice, and of the grader."""
    try:
        return digest_of(submission, submission.content(), "")
    except Unreadable as error:
        return digest_of(submission, None, str(error))


def digest_of(submission: Submission, content: bytes | None, reason: str) -> str:
    """Return the `submission_key` of a submission with this content; None with the reason: it cannot be read."""
    digest = hashlib.sha256(grader_key(submission.assignment).encode())
    digest.update(b"none" + reason.encode() if content is None else b"file" + content)
    digest.update(
        b"timestamp" + (submission.timestamp() or b"") + json.dumps([*submission.notes, submission.notice]).encode()
    )
    return digest.hexdigest()


class Records:
    """One JSON file for each graded submission, below DIR/records; `known` has read all, and knows what is added.

    `shrink` returns what is kept of a record's line in memory.
    """

    def __init__(self, out: Path, mode: int = PRIVATE, shrink: Callable[[Line], Line] = lambda line: line) -> None:
        self.known = Class(out, shrink)
        self.mode = mode
        self._shrink = shrink

    def _of(self, submission: Submission) -> Entry | None:
        return self.known.records.get(submission.student, {}).get(submission.assignment)

    def find(self, submission: Submission) -> Line | None:
        """Return the record's line of exactly this submission by exactly this grader; None where one is missing."""
        record = self._of(submission)
        path_stem = f"{submission.student}/{submission.assignment}/{submission.assignment}"
        pages = (f"autograded/{path_stem}.ipynb", f"feedback/{path_stem}.html")
        if record is None or not all(_is_written(self.known.out / page) for page in pages):
            return None
        return record.line if record.key == submission_key(submission) else None

    def line(self, submission: Submission) -> Line | None:
        """Return the line of this student's earlier submission, None where there is none."""
        record = self._of(submission)
        return record.line if record else None

    def conflict(self, submission: Submission) -> str:
        """Return the reason why a submission must not replace this student's earlier one, or "".

        The name has to be spelled in the same characters as before, and within an assignment the LMS's number has to
        be the same; across assignments Moodle's numbers differ. Folders that the teacher made need no number.
        """
        folder = self.known.out / "records" / submission.student
        advice = f"If it is the same person, delete {folder} and grade again; the earlier grade is kept"
        for record in self.known.records.get(submission.student, {}).values():
            name = record.origin.get("name", "")
            if name not in ("", submission.name):
                forms = f"{submission.name!a}, before it was {name!a}"
                return f"the student's name is written in another form of Unicode: {forms}. {advice}"
        record = self._of(submission)
        account = record.origin.get("account", "") if record else ""
        if record and record.origin.get("name") and submission.account not in ("", account):
            number = f"the LMS's number {account}" if account else "no number of an LMS's"
            return f"'{submission.student}' was graded with {number}, this has number {submission.account}. {advice}"
        return ""

    def stays(self, submission: Submission) -> str:
        """Return the reason why a hand-in without a notebook leaves an earlier grade in place, "" where it counts."""
        record = None if submission.has_notebook else self._of(submission)
        if record is None or record.line.get("error"):
            return ""
        return f"{submission.source.problem}. The grade of an earlier notebook stays"

    def damaged(self, submission: Submission) -> str:
        """Return the reason why an earlier grade stays where the class's zip was damaged on its way, or ""."""
        record = self._of(submission)
        if record and not record.line.get("error"):
            try:
                submission.content()
            except Damaged as error:
                return f"{error}. The earlier grade stays"
            except Unreadable:
                pass  # as it was handed in
        return ""

    def first(self, submission: Submission, content: bytes) -> str:
        """Return the digest of the first content of this student and assignment that was graded, "" if unknown."""
        record = self._of(submission)
        return content_digest(content) if record is None else record.first

    def keep(self, submission: Submission, key: str, line: Line, first: str = "") -> None:
        """Write a submission's record; called last, so that a record proves that grade and page are written."""
        entry = Entry(submission.student, submission.assignment, self._shrink(line), _origin(submission), key, first)
        self._write(submission, {"key": key, "line": line, "from": entry.origin, "first": first})
        self.known.add(entry)

    def keep_lms_name(self, submission: Submission) -> None:
        """Enter the LMS's name of a submission that needs no grading: the same file may have been handed in again."""
        record, origin = self._of(submission), _origin(submission)
        if submission.lms_name and record and record.origin != origin:
            whole = json.loads(self._path(submission).read_bytes())
            self._write(submission, whole | {"from": origin})
            self.known.add(replace(record, origin=origin))

    def _path(self, submission: Submission) -> Path:
        return self.known.out / "records" / submission.student / f"{submission.assignment}.json"

    def _write(self, submission: Submission, record: dict[str, Any]) -> None:
        atomic_write(self._path(submission), json.dumps(record).encode(), self.mode)


def content_digest(content: bytes) -> str:
    """Return the digest by which a first hand-in is known again."""
    return hashlib.sha256(content).hexdigest()


def _is_written(path: Path) -> bool:
    """Return whether a file has content: a machine that loses its power may leave an empty one."""
    return path.exists() and path.stat().st_size > 0


def _origin(submission: Submission) -> dict[str, str]:
    """Return a submission's origin for its record."""
    return {"name": submission.name, "account": submission.account, "lms_name": submission.lms_name}
