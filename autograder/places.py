"""Where things lie, from the root of the course."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / os.environ.get("ATTENTION_BUILD", "build")  # `make test` in a class's clone has one of its own
RECORDED = ROOT / "build" / "recordings"  # what `release` computes and keeps: the same for all
KIT = BUILD / "release" / "kit"
SOURCE = BUILD / "source"
CLASS = BUILD / "class"
INSIDE = ROOT / "autograder" / "sandbox" / "inside"
PUBLIC = ROOT / "autograder" / "kit"


def source_notebook(name: str) -> Path:
    """Return where `release` puts the solved notebook of an assignment."""
    return SOURCE / name / f"{name}.ipynb"


def released_notebook(name: str) -> Path:
    """Return where `release` puts the student's notebook of an assignment."""
    return BUILD / "release" / name / f"{name}.ipynb"
