"""The paths of the grader, of the course that it grades, and of the files made from that course."""

import os
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]  # holds this package
COURSE = "AUTOGRADER_COURSE"  # in the environment: the folder of another course than the one around this package
ROOT = Path(os.environ.get(COURSE) or HOME).resolve()
BUILD = ROOT / os.environ.get("ATTENTION_BUILD", "build")  # `make test` in a class's clone has one of its own
RECORDED = ROOT / "build" / "recordings"  # what `release` computes and keeps: the same for all
KIT = BUILD / "release" / "kit"
SOURCE = BUILD / "source"
CLASS = BUILD / "class"
INSIDE = HOME / "autograder" / "sandbox" / "inside"
PUBLIC = HOME / "autograder" / "kit"

if str(ROOT) not in sys.path:  # its checks are imported by name
    sys.path.insert(0, str(ROOT))


def source_notebook(name: str) -> Path:
    """Return the path at which `release` puts the solved notebook of an assignment."""
    return SOURCE / name / f"{name}.ipynb"


def released_notebook(name: str) -> Path:
    """Return the path at which `release` puts the student's notebook of an assignment."""
    return BUILD / "release" / name / f"{name}.ipynb"
