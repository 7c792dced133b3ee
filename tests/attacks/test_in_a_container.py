"""The same attacks where a container forbids namespaces, as Gradescope's does: each worker is another user there."""

import shlex
import shutil
from pathlib import Path

import pytest

from autograder.gradescope.pack import pack
from autograder.places import ROOT, SOURCE
from tests.attacks.cases import NAME
from tests.support.container import IN_CONTAINER, PACKAGES, Container, demand_container

# What needs a namespace of its own; book/teachers/gradescope.md says what is lost. Each student has a container there.
NOT_HELD = (
    "availability-A full disk",  # the disk is the container's: there is more room than the attack takes
    "reading-The system's files by their path",  # those of the image, such as /etc/passwd
    "reading-A library of the grader's by its import",  # a public one, such as nbgrader
    "reading-Other processes",  # by their command lines
)
COURSE = "/autograder/source/course"


@pytest.fixture(scope="module")
def container(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Container:
    demand_container()
    folder = tmp_path_factory.mktemp("gradescope")
    list(pack(NAME, "visible", 10, folder / "zip"))
    made = Container(folder, folder / "zip")
    course = made.source / "course"
    shutil.copytree(ROOT / "tests", course / "tests", ignore=shutil.ignore_patterns("__pycache__", "golden"))
    shutil.copytree(SOURCE, course / "build" / "source")
    assert made.run("bash", "/autograder/source/places.sh").returncode == 0
    return made


@pytest.mark.parametrize("which", ["not slow", pytest.param("slow", marks=pytest.mark.slow)])
def test_attacks_that_need_no_namespace_hold(container: Container, which: str) -> None:
    words = ["-m", "pytest", "--noconftest", "-p", "no:cacheprovider", "-q", "-m", which, "--tb=short"]
    test = "tests/attacks/test_attacks.py::test_the_score_is_right_and_nobody_else_is_touched"
    words += [f"--deselect={test}[{name}]" for name in NOT_HELD]
    settings = {IN_CONTAINER: "1", "PYTHONPATH": COURSE, "HOME": "/root", "LANG": "C.UTF-8"}
    words = [f"{PACKAGES}/bin/python", *words, "tests/attacks/test_attacks.py"]
    ran = container.run("sh", "-c", f"cd {COURSE} && exec {shlex.join(words)}", seconds=3000, **settings)
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-2000:]
