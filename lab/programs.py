"""One sentence of advice where `python -m` runs a module of the course without the course's packages."""

import sys
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[1]


def guard(package: str) -> None:
    """Let a missing package be named where `python -m` is about to run a module of this package."""
    # argv is -m and what follows the module's name, until Python has found what to run.
    if sys.argv[:1] == ["-m"] and sys.orig_argv[-len(sys.argv)].partition(".")[0] == package:
        sys.excepthook = say_what_is_missing


def say_what_is_missing(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Name a package that is not installed in one sentence; show any other error as Python does."""
    name = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if not name or (ROOT / name).exists():
        sys.__excepthook__(kind, error, trace)
        return
    if (ROOT / "Makefile").exists():
        remedy = "`make setup` installs the course's packages, and `source .venv/bin/activate` chooses their Python"
    else:
        remedy = "`pip install -r kit/requirements.txt` installs the kit's packages"
    print(f"{sys.executable} has no package '{name}': {remedy}.", file=sys.stderr)
    sys.exit(2)
