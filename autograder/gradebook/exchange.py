"""nbgrader's exchange where students could mislead the instructor: what is collected, whose feedback is released."""

import os
import pwd
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.exchange.default import ExchangeCollect, ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash, parse_utc

from autograder.submissions.notebook import Unreadable, read_below
from lab.files import aside

SECRET = "submission_secret.txt"  # nbgrader's: it names the file in which a student's feedback is released


def regular_files(folder: Path, names: list[str], own: int = 1) -> Iterator[tuple[str, bytes | Unreadable]]:
    """Yield the content of each of these files, or why it has none; it and the last `own` folders may be no links."""
    root, parts = folder.absolute().parents[own - 1], folder.absolute().parts[-own:]
    for name in names:
        try:
            yield name, read_below(root, (*parts, name))
        except Unreadable as error:
            yield name, error


class Collect(ExchangeCollect):
    """Collects notebook, time and secret of each submission: regular files only, and of nobody but their owner."""

    coursedir: Any

    def init_src(self) -> None:
        """Find each student's submission, the latest or the latest in time."""
        if self.coursedir.course_id == "":
            self.fail("No course id specified. Re-run with --course flag.")
        self.course_path = str(Path(self.root) / self.coursedir.course_id)
        self.inbound_path = str(Path(self.course_path) / "inbound")
        if not os.access(self.inbound_path, os.R_OK | os.X_OK):
            self.fail(f"No folder that can be read at {self.inbound_path}. Run `nbgrader release_assignment` first.")
        wanted, due, latest = self.coursedir.student_id or "*", self._due(), {}
        for record in sorted(self._records(), key=lambda record: record["timestamp"]):
            student, before = record["username"], latest.get(record["username"])
            in_time = due is None or not self.before_duedate or record["timestamp"] <= due
            if wanted in ("*", student) and (in_time or before is None or before["timestamp"] > due):
                latest[student] = record
        self.src_records = list(latest.values())

    def _due(self) -> Any:
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook, suppress(MissingEntry):
            return gradebook.find_assignment(self.coursedir.assignment_id).duedate

    def _records(self) -> Iterator[dict[str, Any]]:
        """Yield the submissions whose names can be read and that belong to whom they name."""
        name = re.escape(self.coursedir.assignment_id)
        for folder in sorted(Path(self.inbound_path).iterdir()):
            match = re.fullmatch(rf"(?P<student>.+)\+{name}\+(?P<time>[^+]+)(\+[^+]*)?", folder.name)
            if not match or match["student"].startswith("."):
                continue
            try:
                handed_in_at = parse_utc(match["time"])
            except (ValueError, OverflowError):
                self.log.error("Not collected: %s, its name does not say when it was handed in.", folder)
                continue
            owner = _owner(folder)
            if self.check_owner and owner != match["student"]:
                self.log.error("Not collected: %s belongs to %s and not to whom it names.", folder, owner)
                continue
            yield {"username": match["student"], "filename": folder.name, "timestamp": handed_in_at}

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy notebook, time and secret; a submission without a readable notebook is collected without one."""
        Path(dest).mkdir(parents=True)
        notebook = f"{self.coursedir.assignment_id}.ipynb"
        for name, content in regular_files(Path(src), [notebook, "timestamp.txt", SECRET]):
            if isinstance(content, bytes):
                (Path(dest) / name).write_bytes(content)
            else:
                self.log.error("Not collected: %s/%s: %s.", src, name, content)


def _owner(folder: Path) -> str:
    try:
        return pwd.getpwuid(folder.lstat().st_uid).pw_name
    except KeyError:
        return "an unknown user"


class ReleaseFeedback(ExchangeReleaseFeedback):
    """Releases the feedback of all who handed in through the exchange; the others have no secret to fetch it with."""

    coursedir: Any

    def copy_files(self) -> None:
        name, excluded = self.coursedir.assignment_id, (self.coursedir.student_id_exclude or "").split(",")
        everybody = Path(self.coursedir.format_path(self.coursedir.feedback_directory, "*", name)).parents[1]
        for student in sorted(folder.name for folder in everybody.iterdir()):
            page = everybody / student / name / f"{name}.html"
            wanted = self.coursedir.student_id or "*"
            if wanted not in ("*", student) or student in excluded or not page.is_file():
                continue
            handed = Path(self.coursedir.format_path(self.coursedir.submitted_directory, student, name))
            [(_, secret)] = regular_files(handed, [SECRET], own=2)
            if isinstance(secret, bytes) and secret.strip():
                self._release(student, page, secret.decode("utf-8", "replace"))
            else:
                self.log.warning("No feedback released to '%s', who did not hand in through the exchange.", student)

    def _release(self, student: str, page: Path, secret: str) -> None:
        path = Path(self.dest_path) / f"{notebook_hash(secret=secret, notebook_id=page.stem)}.html"
        with aside(path) as part:
            shutil.copy(page, part)
            part.chmod(0o644)  # the folder keeps its names to itself
        self.log.info("Feedback of '%s' released to %s", student, path)
