"""A course with canaries in it: hidden files that no submission may read or change, and a way to hand one in."""

import contextlib
import hashlib
import os
import shutil
import site
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from autograder.assignment import Template, template
from autograder.judge.assess import Outcome, Task, assess
from autograder.judge.judge import Judge
from autograder.judge.session import Limits
from autograder.places import KIT, ROOT
from autograder.sandbox.sandbox import Sandbox
from autograder.submissions.notebook import Unreadable, read_bytes
from tests.attacks.cases import NAME, Case, written
from tests.support.container import IN_CONTAINER
from tests.support.sandboxed import demand_sandbox

CANARY = "kanarie-7f3a91c4"
PLANTED = "planted-by-a-student"  # the name of whatever a hostile submission leaves
LIMITS = Limits(cell=3, check=3, notebook=20, grace=0.5, patience=2)
COURSE_FILES = (
    "gradebook.db",
    "secret",
    "solutions/bahdanau/attention.py",
    "exercises/bahdanau/checks.py",
    "submitted/ada/bahdanau/bahdanau.ipynb",
    "feedback/ada/bahdanau/bahdanau.html",
)
HOME_FILES = (
    ".ssh/id_ed25519",
    ".netrc",
    ".profile",
    ".config/git/credentials",
    ".ipython/profile_default/startup/a.py",
)
# An honest notebook that leaves marks wherever a careless sandbox would show them to the next one.
HONEST = f"""import os, sys
for place in ("/tmp", "/dev/shm"):
    open(f"{{place}}/mine", "w").write("{CANARY}")
os.write(1, b"{CANARY}")
os.write(2, b"{CANARY}")
os.environ["MINE"] = "{CANARY}"
"""


@dataclass
class Room:
    """One judge for all cases, with planted files around it."""

    folder: Path
    sandbox: Sandbox
    form: Template = field(default_factory=lambda: template(NAME))

    def __post_init__(self) -> None:
        self.sandbox.start()
        self.judge = Judge(self.sandbox, CANARY.encode() * 3, LIMITS)
        for name in COURSE_FILES:
            self._plant(self.folder / "course" / name)
        for name in HOME_FILES:
            self._plant(self.folder / "home" / name)
        os.environ["COURSE_TOKEN"] = CANARY
        self.places = {
            "COURSE": str(self.folder / "course"),
            "HOME": str(self.folder / "home"),
            "ROOT": str(ROOT),
            "CANARY": CANARY,
            "PLANTED": PLANTED,
            "LONG": "# " + "ä long comment " * 6000,
            "NUMBERS": ", ".join(map(str, range(20_000))),
            "BLANKS": " \n" * 30_000,
            "TAB": "\t",
            "HALF": CANARY[:8],
            "REST": str(zlib.crc32(CANARY[8:16].encode())),
        }
        self.honest_file = written([("python", "setup", HONEST)], "solved")
        self.honest_outcome = self.honest()
        self.tree = self.look()
        self.processes = descendants()
        self.descriptors = len(list(Path("/proc/self/fd").iterdir()))

    def _plant(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"the {path.name} of the course: {CANARY}\n")

    def honest(self) -> Outcome:
        """Return what comes of an honest submission now."""
        return assess(Task("zoe", NAME, self.honest_file), self.form, self.judge)

    def submit(self, case: Case) -> Outcome:
        """Return what comes of a case, after those that go before it."""
        for content in case.before:
            assess(Task("bo", NAME, content), self.form, self.judge)
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            path = case.make(folder, self.places)
            try:
                task = Task("mallory", NAME, read_bytes(path))
            except Unreadable as error:
                task = Task("mallory", NAME, None, str(error))
            return assess(task, self.form, self.judge)
        finally:
            shutil.rmtree(folder)

    def look(self) -> dict[str, str]:
        """Return what lies in the course, in the kit, and wherever something planted would be found."""
        seen = {}
        for top in (self.folder / "course", self.folder / "home", self.sandbox.kit):
            for path in sorted(top.rglob("*")):
                status = path.lstat()
                content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
                seen[str(path)] = f"{status.st_mode} {status.st_uid} {status.st_mtime_ns} {content}"
        for top in (Path("/tmp"), Path("/dev/shm"), Path.home(), Path.cwd(), *map(Path, site.getsitepackages())):
            seen |= {str(path): "" for path in top.glob(f"*{PLANTED}*")}
        return seen

    def processes_left(self) -> int:
        """Return how many more processes there are than before, once those that end have ended."""
        until = time.monotonic() + 5
        while (more := descendants() - self.processes) > 0 and time.monotonic() < until:
            time.sleep(0.05)
        return more


def descendants() -> int:
    """Return how many processes come from this one and are not zombies."""
    with contextlib.suppress(psutil.NoSuchProcess):  # it ended meanwhile
        return sum(each.status() != psutil.STATUS_ZOMBIE for each in psutil.Process().children(recursive=True))
    return descendants()


@pytest.fixture(scope="module")
def room(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """Return the room over a copy of the real kit; in Gradescope's container over the one that lies there."""
    folder = tmp_path_factory.mktemp("hostile")
    for parent in (folder, folder.parent, folder.parent.parent):
        parent.chmod(0o755)  # so that nothing but the sandbox keeps a student out
    if IN_CONTAINER in os.environ:
        for name in ("course", "home"):
            (folder / name).mkdir(0o700)  # as places.sh leaves them
        with Sandbox(KIT.resolve(), container=True) as made:
            yield Room(folder, made)
        return
    demand_sandbox()
    shutil.copytree(request.getfixturevalue("released") / "kit", folder / "kit")
    with Sandbox(folder / "kit") as made:
        yield Room(folder, made)
