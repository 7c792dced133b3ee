"""The same attacks where a container forbids namespaces, as Gradescope's does: each worker is another user there."""

import shutil
from pathlib import Path

import pytest

from autograder.gradescope.pack import pack
from autograder.places import ROOT, SOURCE
from tests.attacks.cases import NAME
from tests.support.container import IN_CONTAINER, PACKAGES, Container, demand_container

# What needs a namespace of its own, and why its loss is borne: each student has a container there.
NOT_HELD = ()
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
    words += [f"--deselect=tests/attacks/test_attacks.py::{name}" for name in NOT_HELD]
    settings = {IN_CONTAINER: "1", "PYTHONPATH": COURSE, "HOME": "/root", "LANG": "C.UTF-8"}
    words = ["cd", COURSE, "&&", "exec", f"{PACKAGES}/bin/python", *words, "tests/attacks/test_attacks.py"]
    ran = container.run("sh", "-c", " ".join(words).replace("not slow", "'not slow'"), seconds=3000, **settings)
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-2000:]
