"""`python -m autograder grade FOLDER`: a class into gradebook, feedback pages and a summary."""

import csv
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from autograder.places import KIT, ROOT, released_notebook
from autograder.reading import Unreadable, read_bytes

COLUMNS = ["student", "assignment", "score", "max_score", "manual_max_score", "mistakes", "flags", "error"]

LONGEST_TIMESTAMP = 1000


@dataclass(frozen=True)
class Handed:
    """One submission as it lies in the folder."""

    student: str
    assignment: str
    path: Path

    @property
    def linked(self) -> bool:
        """Tell whether a link leads to it: it could lead to somebody else's work."""
        try:
            return any(place.is_symlink() for place in (self.path, *list(self.path.parents)[:2]))
        except OSError:  # whoever reads it is told why
            return False

    def content(self) -> bytes:
        """Return the bytes that were handed in."""
        if self.linked:
            raise Unreadable("this is a symbolic link; hand in the file itself")
        return read_bytes(self.path)

    def timestamp(self) -> bytes:
        """Return what says when it was handed in, nothing when it cannot be read: nbgrader takes late penalties."""
        try:
            return b"" if self.linked else read_bytes(self.path.with_name("timestamp.txt"), LONGEST_TIMESTAMP)
        except Unreadable:
            return b""


def handed_in(folder: Path, known: list[str]) -> list[Handed]:
    """Return the submissions in FOLDER/STUDENT/NAME/NAME.ipynb, by student, in the order of the assignments."""
    if not folder.is_dir():
        raise NotADirectoryError(f"No folder {folder}: expected FOLDER/STUDENT/NAME/NAME.ipynb in it.")
    found = []
    for student in sorted(entry for entry in folder.iterdir() if not entry.name.startswith(".")):
        try:
            names = [name for name in known if (student / name).is_dir()]
        except OSError as error:
            print(f"Not graded: {student} cannot be read ({error.strerror}). Check its permissions.", file=sys.stderr)
            continue
        found += [Handed(student.name, name, student / name / f"{name}.ipynb") for name in names]
    if not found:
        names = ", ".join(known)
        raise ValueError(f"No submissions in {folder}: expected STUDENT/NAME/NAME.ipynb, NAME one of {names}.")
    return found


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
    digest = hashlib.sha256(grader_key(handed.assignment).encode())
    try:
        digest.update(b"file" + handed.content())
    except Unreadable as error:
        digest.update(b"none" + str(error).encode())
    digest.update(b"timestamp" + handed.timestamp())
    return digest.hexdigest()


class Records:
    """What is known of each graded submission, one small file each, there whole or not at all."""

    def __init__(self, out: Path) -> None:
        self.folder = out / "records"

    def _path(self, handed: Handed) -> Path:
        return self.folder / handed.student / f"{handed.assignment}.json"

    def find(self, handed: Handed) -> dict[str, Any] | None:
        """Return the record of just this submission, graded by just this grader."""
        try:
            record = json.loads(self._path(handed).read_text())
        except (OSError, ValueError):
            return None
        return record["line"] if record.get("key") == submission_key(handed) else None

    def keep(self, handed: Handed, line: dict[str, Any]) -> None:
        path = self._path(handed)
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".part")
        fresh.write_text(json.dumps({"key": submission_key(handed), "line": line}))
        fresh.replace(path)


def settled(out: Path, handed: Handed) -> dict[str, Any] | None:
    """Return the line of a submission that needs no grading: same content, same grader, everything written."""
    pages = (f"autograded/{{}}/{handed.assignment}.ipynb", f"feedback/{{}}/{handed.assignment}.html", "gradebook.db")
    place = f"{handed.student}/{handed.assignment}"
    there = all((out / page.format(place)).exists() for page in pages)
    return Records(out).find(handed) if there else None


def summarise(out: Path, lines: list[dict[str, Any]]) -> None:
    """Write summary.csv and print the same as a table."""
    rows = [
        line | {"mistakes": " ".join(dict.fromkeys(m for check in line["checks"] for m in check["mistake"]))}
        for line in lines
    ]
    fresh = out / ".summary.csv.part"
    with fresh.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
        writer.writeheader()
        for row in rows:
            writer.writerow(row | {"flags": "; ".join(row["flags"]), "error": row["error"] or ""})
    fresh.replace(out / "summary.csv")
    print("\n".join(_table(rows)))


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    who = max(len("student"), *(len(row["student"]) for row in rows))
    what = max(len("assignment"), *(len(row["assignment"]) for row in rows))
    yield f"{'student':<{who}}  {'assignment':<{what}}  {'score':>11}  remarks"
    for row in rows:
        points = f"{row['score']:g} / {row['max_score']:g}"
        remarks = [row["error"] or "", row["mistakes"], *row["flags"]]
        said = "; ".join(remark for remark in remarks if remark)
        yield f"{row['student']:<{who}}  {row['assignment']:<{what}}  {points:>11}  {said}".rstrip()


def grade(folder: Path, out: Path, opened: Callable[[], AbstractContextManager[Any]]) -> int:
    """Grade what is new or has changed; return the exit status: 0 unless the grader itself failed."""
    from autograder.checks import assignments

    started = time.monotonic()
    handed = handed_in(folder, assignments())
    out.mkdir(parents=True, exist_ok=True)
    lines = {submission: settled(out, submission) for submission in handed}
    todo = [submission for submission, line in lines.items() if line is None]
    status = 0
    if todo:
        from autograder.marking import mark

        lines |= mark(todo, out, opened)
        status = 3 if any((lines[submission] or {}).get("failed") for submission in todo) else 0
    summarise(out, [line for line in lines.values() if line])
    seconds = time.monotonic() - started
    print(f"{len(handed)} submissions, {len(todo)} graded now, {seconds:.1f} s. Feedback: {out / 'feedback'}")
    if status:
        print("The grader itself failed on some: see above.", file=sys.stderr)
    return status
