"""What student code can see of the machine, wherever the course, the class or a home lies: a list, and nothing else."""

import getpass
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from autograder.assignment import grade_id
from autograder.places import ROOT, released_notebook
from tests.support.copied_course import elsewhere
from tests.support.forked import python
from tests.support.sandboxed import demand_sandbox

BASE = Path(sys.base_prefix).resolve()
PEER, HOME = "zacharias-the-peer", "ada-lovelaces-home"
PLACES = {  # where a course may lie, as its parent folder
    "/usr/src": Path("/usr/src"),
    "the base installation": BASE,
    "a home": Path("/home") / HOME,
    "the base installation's libraries": BASE / "lib",
    "the standard library": BASE / "lib" / f"python3.{sys.version_info.minor}",
    "the system's libraries": Path("/usr/lib"),
}
LOOKS = """
import os, sys

secret = ("course-secret", "gradebook.db", "submitted", "@PEER@", "@HOME@", "@COURSE@")
for folder, folders, names in os.walk("/"):
    for name in folders + names:
        place = os.path.join(folder, name)
        # A course among what is shown is covered up: an empty folder is left.
        if name in secret and not (os.path.isdir(place) and os.listdir(place) == []):
            print("seen", place)
for place in ("@ROOT@", "/proc/1/root@ROOT@", "/proc/self/cwd@ROOT@"):
    try:
        exec(open(place + "/solutions/bahdanau/attention.py").read())
        print("seen", place)
    except OSError:
        pass
for name in ("mountinfo", "mounts", "mountstats", "maps", "smaps", "environ", "cmdline", "cgroup", "auxv"):
    for whose in ("self", "1", "thread-self"):
        try:
            text = open(f"/proc/{whose}/{name}", "rb").read().decode("utf-8", "replace")
        except OSError:
            continue
        if any(word in text for word in (*secret[2:], "@USER@")):
            print("seen", name, text)
about = str([sys.path, sys.prefix, sys.base_prefix, sys.executable, torch.__file__, dict(os.environ), os.getcwd()])
if any(word in about for word in (*secret[2:], "@USER@")):
    print("seen", about)
"""


@pytest.fixture
def course(request: pytest.FixtureRequest, released: Path) -> Iterator[Path]:
    """Return a copy of the course, with a graded class in it, below the folder that the test names."""
    demand_sandbox()
    parent = PLACES[request.param]
    made = [place for place in (parent,) if not place.exists()]
    try:
        parent.mkdir(exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="course-", dir=parent))
    except OSError as error:
        pytest.skip(f"nothing can be put there: {error}")
    folder.chmod(0o755)
    try:
        for name in ("autograder", "lab", "solutions", "exercises"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "results"))
        shutil.copytree(ROOT / "book", folder / "book", ignore=shutil.ignore_patterns("figures"))
        for name in ("requirements.txt", "pyproject.toml"):
            shutil.copy(ROOT / name, folder)
        shutil.copytree(released, folder / "build" / "release")
        peer = folder / "build" / "class" / "submitted" / PEER / "bahdanau" / "bahdanau.ipynb"
        peer.parent.mkdir(parents=True)
        peer.write_text("{}")
        (folder / "build" / "course-secret").write_text("0" * 64)
        (folder / "build" / "course-secret").chmod(0o600)
        yield folder
    finally:
        shutil.rmtree(folder)
        for place in made:
            place.rmdir()


def reader(course: Path) -> bytes:
    """Return the released notebook with a cell that looks for all that is nobody's business, and uses it."""
    notebook = nbformat.read(released_notebook("bahdanau"), as_version=4)
    source = LOOKS
    words = {"ROOT": str(course), "COURSE": course.name, "PEER": PEER, "HOME": HOME, "USER": f"/{getpass.getuser()}/"}
    for word, value in words.items():
        source = source.replace(f"@{word}@", value)
    for cell in notebook.cells:
        if grade_id(cell) == "masked_softmax":
            cell.source = source
    return nbformat.writes(notebook).encode()


def graded(course: Path, tmp_path: Path) -> tuple[dict, str]:
    """Grade the reader's notebook from the course; return its record and what it printed."""
    submitted = tmp_path / "submitted" / "mallory" / "bahdanau"
    submitted.mkdir(parents=True)
    (submitted / "bahdanau.ipynb").write_bytes(reader(course))
    environment = elsewhere(PYTHONPATH=str(course), HOME=str(course.parent))
    words = f"-m autograder grade {submitted.parents[1]} --out {course}/build/class --jobs 1"
    ran = python(*words.split(), env=environment, cwd=course)
    assert ran.returncode == 0, ran.stderr
    record = json.loads((course / "build/class/records/mallory/bahdanau.json").read_text())["line"]
    written = json.loads((course / "build/class/autograded/mallory/bahdanau/bahdanau.ipynb").read_text())
    outputs = {cell["metadata"].get("nbgrader", {}).get("grade_id"): cell.get("outputs") for cell in written["cells"]}
    return record, json.dumps(outputs["masked_softmax"])


PARAMETERS = [pytest.param(name, marks=[pytest.mark.slow] if number else []) for number, name in enumerate(PLACES)]


@pytest.mark.parametrize("course", PARAMETERS, indirect=True)
def test_a_notebook_that_reads_the_solution_where_the_course_lies(course: Path, tmp_path: Path) -> None:
    record, printed = graded(course, tmp_path)
    assert "seen" not in printed
    assert "Error" not in printed
    assert (record["score"], record["error"]) == (0, None)
