"""Where things lie, from the root of the course."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
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
