"""nbgrader's exchange, where students could mislead the instructor: collecting work, and releasing feedback."""

import pwd
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default import ExchangeCollect, ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash

from autograder.course import content
from autograder.submissions.notebook import Unreadable, read_below
from lab.files import aside

SECRET = "submission_secret.txt"  # nbgrader's: it names the file of a student's released feedback


class Collect(ExchangeCollect):
    """Collects notebook, time and secret of each submission: only regular files of the student's own."""

    coursedir: Any

    def init_src(self) -> None:
        """Find each student's submission: the latest, or the latest in time."""
        super().init_src()
        self.src_records = [record for record in self.src_records if record["username"]]

    def _path_to_record(self, path: str) -> dict[str, Any]:
        """Return a submission's record; its student is "" if its name cannot be read, or its owner is somebody else."""
        nobody = {"username": "", "filename": Path(path).name, "timestamp": datetime.min}
        try:
            record = super()._path_to_record(path)
        except (ValueError, OverflowError, ExchangeError):
            self.log.error("Not collected: %s, its name does not say who handed it in and when.", path)
            return nobody
        owner = _owner(Path(path))
        if self.check_owner and owner != record["username"]:
            self.log.error("Not collected: %s belongs to %s, not to the student in its name.", path, owner)
            return nobody
        return record

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy notebook, time and secret; a submission without a readable notebook is collected without one."""
        Path(dest).mkdir(parents=True)
        notebook = f"{self.coursedir.assignment_id}.ipynb"
        for name in (notebook, "timestamp.txt", SECRET):
            try:
                (Path(dest) / name).write_bytes(read_below(Path(src).parent, (Path(src).name, name)))
            except Unreadable as error:
                self.log.error("Not collected: %s/%s: %s.", src, name, error)


def _owner(folder: Path) -> str:
    try:
        return pwd.getpwuid(folder.lstat().st_uid).pw_name
    except KeyError:
        return "an unknown user"


class ReleaseFeedback(ExchangeReleaseFeedback):
    """Releases the feedback of all who handed in through the exchange; others have no secret to fetch it with."""

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
            try:
                self._release(student, page, content(handed / SECRET).decode("utf-8", "replace"))
            except Unreadable:
                self.log.warning("No feedback released to '%s', who did not hand in through the exchange.", student)

    def _release(self, student: str, page: Path, secret: str) -> None:
        path = Path(self.dest_path) / f"{notebook_hash(secret=secret, notebook_id=page.stem)}.html"
        with aside(path) as part:
            shutil.copy(page, part)
            part.chmod(0o644)  # the folder keeps its names to itself
        self.log.info("Feedback of '%s' released to %s", student, path)
