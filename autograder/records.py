"""What is known of each graded submission: with it a run goes on where another one ended, and grades nothing twice."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from autograder.files import PRIVATE, folder, write
from autograder.inbox import Handed
from autograder.places import KIT, ROOT, released_notebook
from autograder.reading import Unreadable


class Busy(ValueError):
    """Another run writes into the same folder."""


@cache
def grader_key(assignment: str) -> str:
    """Return a digest of all that a grade depends on besides the submission: notebook, kit, solutions, grader."""
    digest = hashlib.sha256()
    trees = [ROOT / "autograder", ROOT / "solutions", KIT]
    files = [released_notebook(assignment), *(path for tree in trees for path in sorted(tree.rglob("*.py")))]
    for path in files:
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def submission_key(handed: Handed) -> str:
    """Return a digest of a submission, of when it was handed in, and of the grader."""
    try:
        return key_of(handed, handed.content(), "")
    except Unreadable as error:
        return key_of(handed, None, str(error))


def key_of(handed: Handed, content: bytes | None, reason: str) -> str:
    """Return the key of a submission whose bytes were just read."""
    digest = hashlib.sha256(grader_key(handed.assignment).encode())
    digest.update(b"none" + reason.encode() if content is None else b"file" + content)
    digest.update(b"timestamp" + (handed.timestamp() or b"") + json.dumps(handed.notes).encode())
    return digest.hexdigest()


class Records:
    """One small file for each submission, there whole or not at all."""

    def __init__(self, out: Path, mode: int = PRIVATE) -> None:
        self.out = out
        self.mode = mode
        self.folder = out / "records"

    def _path(self, student: str, assignment: str) -> Path:
        return self.folder / student / f"{assignment}.json"

    def find(self, handed: Handed) -> dict[str, Any] | None:
        """Return what is known of just this submission, graded by just this grader, with all that was made of it."""
        place = f"{handed.student}/{handed.assignment}/{handed.assignment}"
        if not all((self.out / page).exists() for page in (f"autograded/{place}.ipynb", f"feedback/{place}.html")):
            return None
        record = self._read(self._path(handed.student, handed.assignment))
        return record["line"] if record and record["key"] == submission_key(handed) else None

    def keep(self, handed: Handed, key: str, line: dict[str, Any]) -> None:
        """Write what is known of a submission once everything else of it is written."""
        path = self._path(handed.student, handed.assignment)
        write(path, json.dumps({"key": key, "line": line}).encode(), self.mode)

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
