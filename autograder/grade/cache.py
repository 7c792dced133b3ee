"""What is known of each graded submission: with it a run goes on where another one ended, and grades nothing twice."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from autograder.files import PRIVATE, folder, write
from autograder.judge.process import grader_key
from autograder.submissions.hand_in import HandIn
from autograder.submissions.notebook import Unreadable


class Busy(ValueError):
    """Another run writes into the same folder."""


def submission_key(hand_in: HandIn) -> str:
    """Return a digest of a submission, of when it was handed in, and of the grader."""
    try:
        return key_of(hand_in, hand_in.content(), "")
    except Unreadable as error:
        return key_of(hand_in, None, str(error))


def key_of(hand_in: HandIn, content: bytes | None, reason: str) -> str:
    """Return the key of a submission whose bytes were just read."""
    digest = hashlib.sha256(grader_key(hand_in.assignment).encode())
    digest.update(b"none" + reason.encode() if content is None else b"file" + content)
    digest.update(b"timestamp" + (hand_in.timestamp() or b"") + json.dumps(hand_in.notes).encode())
    return digest.hexdigest()


def work_of(hand_in: HandIn, content: bytes | None) -> str:
    """Return a digest of a file and of its grader: two of a class that have the same are worth the same."""
    own = "" if content is None else hashlib.sha256(content).hexdigest()
    return hashlib.sha256(f"{grader_key(hand_in.assignment)} {own}".encode()).hexdigest() if own else ""


class Records:
    """One small file for each submission, there whole or not at all."""

    def __init__(self, out: Path, mode: int = PRIVATE) -> None:
        self.out = out
        self.mode = mode
        self.folder = out / "records"

    def _path(self, student: str, assignment: str) -> Path:
        return self.folder / student / f"{assignment}.json"

    def find(self, hand_in: HandIn) -> dict[str, Any] | None:
        """Return what is known of just this submission, graded by just this grader, with all that was made of it."""
        place = f"{hand_in.student}/{hand_in.assignment}/{hand_in.assignment}"
        if not all((self.out / page).exists() for page in (f"autograded/{place}.ipynb", f"feedback/{place}.html")):
            return None
        record = self._read(self._path(hand_in.student, hand_in.assignment))
        return record["line"] if record and record["key"] == submission_key(hand_in) else None

    def conflict(self, hand_in: HandIn) -> str:
        """Return why a submission must not take the place of what this student has here, "" where it may.

        Of one who handed in before, the name is written in the same characters, and for one assignment the LMS's number
        is the same: from assignment to assignment Moodle's differ. A folder of the teacher's own needs no number.
        """
        folder = self._path(hand_in.student, hand_in.assignment).parent
        before = {path.stem: self._from(path) for path in sorted(folder.glob("*.json"))}
        again = f"If it is the same person, delete {folder} and grade again; what was graded before is kept"
        for name, _ in before.values():
            if name not in ("", hand_in.name):
                forms = f"{hand_in.name!a}, before it was {name!a}"
                return f"the student's name is written in another form of Unicode: {forms}. {again}"
        name, account = before.get(hand_in.assignment, ("", ""))
        if name and hand_in.account not in ("", account):
            number = f"the LMS's number {account}" if account else "no number of an LMS's"
            return f"'{hand_in.student}' was graded with {number}, this has number {hand_in.account}. {again}"
        return ""

    def _from(self, path: Path) -> tuple[str, str]:
        """Return the name and the number under which a graded submission came; ("", "") where that is not known."""
        said = (self._read(path) or {}).get("from")
        name, account = (said.get("name"), said.get("account")) if isinstance(said, dict) else ("", "")
        return (name, account) if isinstance(name, str) and isinstance(account, str) else ("", "")

    def otherwise(self, hand_in: HandIn, line: dict[str, Any]) -> list[str]:
        """Return what is to be said where an earlier run gave the same file another score."""
        before = (self._read(self._path(hand_in.student, hand_in.assignment)) or {"line": {}})["line"]
        if not line["work"] or before.get("work") != line["work"] or before["score"] == line["score"]:
            return []
        return [f"graded before with {before['score']:g} points: two runs of the same file differ"]

    def keep(self, hand_in: HandIn, key: str, line: dict[str, Any]) -> None:
        """Write what is known of a submission once everything else of it is written."""
        path = self._path(hand_in.student, hand_in.assignment)
        come = {"name": hand_in.name, "account": hand_in.account}
        write(path, json.dumps({"key": key, "line": line, "from": come}).encode(), self.mode)

    def others(self, seen: set[tuple[str, str]]) -> Iterator[dict[str, Any]]:
        """Return the lines of those that earlier runs graded and this one has not seen."""
        for path in sorted(self.folder.glob("*/*.json")):
            record = self._read(path) if (path.parent.name, path.stem) not in seen else None
            if record:
                yield record["line"]

    @staticmethod
    def _read(path: Path) -> dict[str, Any] | None:
        try:
            record = json.loads(path.read_text())
        except (OSError, ValueError):
            return None
        return record if isinstance(record, dict) and {"key", "line"} <= record.keys() else None


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """Hold the folder against other runs; the lock goes with the process, however it ends."""
    folder(out)
    with (out / ".grade.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise Busy(
                f"Another run (process {holder}) grades into {out}. Wait for its end, or give another --out DIR."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
