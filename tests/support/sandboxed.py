"""A sandbox for the tests, with a kit of the public modules only; skips where nothing can be sandboxed."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from autograder.judge.caller import Student
from autograder.judge.judge import Judge
from autograder.judge.session import Limits, Session
from autograder.places import KIT, ROOT
from autograder.sandbox import sandbox

DOUBLE = "def double(x):\n    return 2 * x"
QUICK = Limits(cell=2.0, check=2.0, notebook=30.0, grace=0.5, patience=2.25)


def demand_sandbox() -> None:
    if reason := sandbox.unavailable_reason():
        pytest.skip(f"no sandbox here: {reason}")


def small_kit(folder: Path) -> Path:
    """Return a kit of lab and the public side of the grader; the real one is made by `release`."""
    shutil.copytree(ROOT / "lab", folder / "lab")
    shutil.copytree(ROOT / "autograder" / "kit", folder / "autograder" / "kit")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sandbox.Sandbox]:
    demand_sandbox()
    folder = tmp_path_factory.mktemp("kit")
    for parent in (folder.parent, folder.parent.parent):
        parent.chmod(0o755)  # pytest's own folders are for their owner only
    with sandbox.Sandbox(small_kit(folder)) as made:
        yield made


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory, testrun_uid: str) -> Path:
    """Return the folder of the released notebooks, with their kit, as the sources of this moment make them."""
    from autograder.release.build import release

    mark = tmp_path_factory.getbasetemp().parent / "released"  # where all workers of a run look
    with FileLock(f"{mark}.lock"):
        if not mark.exists() or mark.read_text() != testrun_uid:
            release()
            mark.write_text(testrun_uid)
    return KIT.parent


@pytest.fixture(scope="session")
def course_judge(released: Path) -> Iterator[Judge]:
    """Return a judge over the real kit."""
    demand_sandbox()
    with sandbox.Sandbox(released / "kit") as made:
        yield Judge(made, b"the secret of this test's course", Limits(cell=6, check=6, notebook=40, grace=0.5))


@pytest.fixture
def session(built: sandbox.Sandbox) -> Iterator[Session]:
    with Session(built, QUICK) as opened:
        yield opened


def text(outputs: list[dict]) -> str:
    """Return what a cell's outputs say, tracebacks included."""
    parts = [item.get("text") or "\n".join(item.get("traceback", [])) or str(item.get("data")) for item in outputs]
    return "".join(parts)


def ask(session: Session, function: str, *arguments):
    """Call the student's function within one check."""
    session.begin_check()
    return Student(session)(function, list(arguments))


def still_answers(session: Session) -> bool:
    """Return whether DOUBLE, run before, still gives the right answer, in a fresh worker if need be."""
    answer = ask(session, "double", np.ones(3, np.float32))
    return answer.error is None and np.array_equal(answer.outputs[0], np.full(3, 2))


def says(session: Session, source: str) -> str:
    """Run a cell and return what its outputs say."""
    return text(session.run(source))
