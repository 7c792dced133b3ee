"""What `python -m` can run in a package; where it cannot, one sentence says why."""

import difflib
import sys
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[1]


def guard(package: str) -> None:
    """Where `python -m` is about to run a module of this package: refuse what is no program, name a missing package."""
    if sys.argv[:1] != ["-m"]:  # Python's own sign, until it has found what to run
        return
    asked = sys.orig_argv[-len(sys.argv)]  # the word after -m: argv is -m and what follows that word
    if asked.partition(".")[0] != package:
        return
    sys.excepthook = say_what_is_missing
    known = programs(package)
    if asked.removesuffix(".__main__") not in known:
        close = difflib.get_close_matches(asked, known, 1)
        hint = f" Did you mean {close[0]}?" if close else ""
        end(f"python -m {asked}: no such program; expected one of {', '.join(known)}.{hint}")


def programs(package: str) -> list[str]:
    """Return the modules of a package that say how `python -m` runs them."""
    names = []
    for path in sorted((ROOT / package).rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")
        text = path.read_text(encoding="utf-8")
        if 'if __name__ == "__main__":' in text and f"python -m {name}" in text:
            names.append(name)
    return names


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
    end(f"{sys.executable} has no package '{name}': {remedy}.")


def end(sentence: str) -> None:
    """Print a sentence and end with the exit status of a wrong command."""
    print(sentence, file=sys.stderr)
    sys.exit(2)
