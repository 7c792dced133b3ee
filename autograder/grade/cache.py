"""Records of graded submissions: with them a run goes on where another one ended, and grades nothing twice."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from autograder.files import PRIVATE, atomic_write, folder
from autograder.judge.process import grader_key
from autograder.submissions.files import Submission
from autograder.submissions.notebook import Unreadable


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
    """One JSON file for each graded submission, below DIR/records."""

    def __init__(self, out: Path, mode: int = PRIVATE) -> None:
        self.out = out
        self.mode = mode
        self.folder = out / "records"

    def _path(self, student: str, assignment: str) -> Path:
        return self.folder / student / f"{assignment}.json"

    def find(self, submission: Submission) -> dict[str, Any] | None:
        """Return the record's line of exactly this submission by exactly this grader; None where one is missing."""
        path_stem = f"{submission.student}/{submission.assignment}/{submission.assignment}"
        if not all(
            _is_written(self.out / page) for page in (f"autograded/{path_stem}.ipynb", f"feedback/{path_stem}.html")
        ):
            return None
        record = self._read(self._path(submission.student, submission.assignment))
        return record["line"] if record and record["key"] == submission_key(submission) else None

    def conflict(self, submission: Submission) -> str:
        """Return the reason why a submission must not replace this student's earlier one, or "".

        The name has to be spelled in the same characters as before, and within an assignment the LMS's number has to
        be the same; across assignments Moodle's numbers differ. Folders that the teacher made need no number.
        """
        folder = self._path(submission.student, submission.assignment).parent
        earlier = {path.stem: self._identity(path) for path in sorted(folder.glob("*.json"))}
        advice = f"If it is the same person, delete {folder} and grade again; what was graded before is kept"
        for name, _ in earlier.values():
            if name not in ("", submission.name):
                forms = f"{submission.name!a}, before it was {name!a}"
                return f"the student's name is written in another form of Unicode: {forms}. {advice}"
        name, account = earlier.get(submission.assignment, ("", ""))
        if name and submission.account not in ("", account):
            number = f"the LMS's number {account}" if account else "no number of an LMS's"
            return f"'{submission.student}' was graded with {number}, this has number {submission.account}. {advice}"
        return ""

    def stays(self, submission: Submission) -> str:
        """Return the reason why a hand-in without a notebook leaves an earlier grade in place, "" where it counts."""
        record = None if submission.has_notebook else self._read(self._path(submission.student, submission.assignment))
        if record is None or record["line"].get("error"):
            return ""
        return f"{submission.source.problem}. The grade of an earlier notebook stays"

    def _identity(self, path: Path) -> tuple[str, str]:
        """Return the name and the LMS's number of a graded submission; ("", "") where there is no record."""
        origin = (self._read(path) or {"from": {}})["from"]
        return origin.get("name", ""), origin.get("account", "")

    def first(self, submission: Submission, content: bytes) -> str:
        """Return the digest of the first content of this student and assignment that was graded, "" if unknown."""
        record = self._read(self._path(submission.student, submission.assignment))
        return content_digest(content) if record is None else record.get("first", "")

    def keep(self, submission: Submission, key: str, line: dict[str, Any], first: str = "") -> None:
        """Write a submission's record; called last, so that a record proves that grade and page are written."""
        path = self._path(submission.student, submission.assignment)
        record = {"key": key, "line": line, "from": _origin(submission), "first": first}
        atomic_write(path, json.dumps(record).encode(), self.mode)

    def keep_lms_name(self, submission: Submission) -> None:
        """Enter the LMS's name of a submission that needs no grading: the same file may have been handed in again."""
        path = self._path(submission.student, submission.assignment)
        record = self._read(path)
        if submission.lms_name and record and record["from"] != _origin(submission):
            atomic_write(path, json.dumps(record | {"from": _origin(submission)}).encode(), self.mode)

    def submitted(self) -> list[tuple[str, str, str]]:
        """Return student, assignment and the LMS's number, or "", of each graded submission."""
        return [(*who, record["from"].get("account", "")) for who, record in self._all()]

    def earlier_lines(self, graded_now: set[tuple[str, str]]) -> Iterator[dict[str, Any]]:
        """Return the lines of submissions that earlier runs graded and that are not in `graded_now`."""
        return (record["line"] for who, record in self._all() if who not in graded_now)

    def _all(self) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
        for path in sorted(self.folder.glob("*/*.json")):
            if record := self._read(path):
                yield (path.parent.name, path.stem), record

    @staticmethod
    def _read(path: Path) -> dict[str, Any] | None:
        try:
            record = json.loads(path.read_text())
        except (OSError, ValueError):
            return None
        return record if isinstance(record, dict) and {"key", "line", "from"} <= record.keys() else None


def content_digest(content: bytes) -> str:
    """Return the digest by which a first hand-in is known again."""
    return hashlib.sha256(content).hexdigest()


def _is_written(path: Path) -> bool:
    """Return whether a file has content: a machine that loses its power may leave an empty one."""
    return path.exists() and path.stat().st_size > 0


def _origin(submission: Submission) -> dict[str, str]:
    """Return a submission's origin for its record."""
    return {"name": submission.name, "account": submission.account, "lms_name": submission.lms_name}


@contextmanager
def exclusive(out: Path) -> Iterator[None]:
    """Lock the folder against other runs, as long as the process lives; raise ValueError where another run holds it."""
    folder(out)
    with (out / ".grade.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise ValueError(
                f"Another run (process {holder}) grades into {out}. Wait for its end, or give another --out DIR."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
