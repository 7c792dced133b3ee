"""A course folder for the tests of nbgrader's own road: real commands, and a real server for formgrader."""

import contextlib
import csv
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.places import ROOT
from examples import make_class

# What autograder/docs/reference.md tells an instructor to write for a course folder of their own.
SETTINGS = """\
from autograder.course import configure; from pathlib import Path
configure(get_config(), Path(__file__).parent)
"""


@dataclass
class Course:
    """One course folder, and the home of the person who works in it."""

    folder: Path
    settings: str | None = ""  # None: the folder as it is, with its own settings

    def __post_init__(self) -> None:
        if self.settings is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "nbgrader_config.py").write_text(SETTINGS + "c = get_config()\n" + self.settings)

    @property
    def environment(self) -> dict[str, str]:
        home = self.folder.with_name(self.folder.name + "-home")
        home.mkdir(exist_ok=True)
        path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
        return {"HOME": str(home), "PATH": path, "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1"}

    def run(self, *words: str, status: int = 0, cwd: Path | None = None) -> str:
        """Run a command of the course's own environment in its folder; return all that it says."""
        options = {"cwd": cwd or self.folder, "env": self.environment, "capture_output": True, "text": True}
        done = subprocess.run(words, **options, timeout=300)
        output = done.stdout + done.stderr
        assert done.returncode == status, output
        return output

    def nbgrader(self, *words: str, status: int = 0, cwd: Path | None = None) -> str:
        return self.run("nbgrader", *words, status=status, cwd=cwd)

    def grades(self, assignment: str = "bahdanau") -> dict[str, dict[str, str]]:
        """Return the rows that `nbgrader export` writes, by student, without the time of the export."""
        self.nbgrader("export")
        with (self.folder / "grades.csv").open(newline="") as file:
            return {row["student_id"]: row for row in csv.DictReader(file) if row["assignment"] == assignment}

    def scores(self, assignment: str = "bahdanau") -> dict[str, float]:
        return {student: float(row["score"]) for student, row in self.grades(assignment).items()}

    def submit(self, student: str, content: bytes, assignment: str = "bahdanau") -> Path:
        path = self.folder / "submitted" / student / assignment / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        return path

    @contextlib.contextmanager
    def server(self) -> Iterator[tuple[str, str]]:
        """Serve the folder as `jupyter server` does on an instructor's machine; yield its address and its token."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        address, token = f"http://127.0.0.1:{port}", secrets.token_hex(16)
        words = [f"--port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}"]
        if os.geteuid() == 0:
            words.append("--allow-root")
        log = self.folder.with_name(self.folder.name + "-server.log")
        with log.open("w") as file:
            command = ["jupyter", "server", "--no-browser", "--ip=127.0.0.1", *words]
            process = subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=file, stderr=file)
            try:
                _wait(f"{address}/api", process, log)
                yield address, token
            finally:
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def _wait(address: str, process: subprocess.Popen, log: Path) -> None:
    until = time.monotonic() + 90
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        time.sleep(0.2)
    raise AssertionError(f"the server did not start: {log.read_text()[-3000:]}")


def submission(student: str, assignment: str = "bahdanau") -> bytes:
    """Return what a student of the example class hands in."""
    [student_of_class] = [each for each in make_class.students() if each.name == student]
    return student_of_class.submission(assignment)
