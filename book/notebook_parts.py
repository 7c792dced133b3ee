"""The parts of a notebook, from the table at its head: number, minutes, difficulty, and the functions they ask for."""

import re
from dataclasses import dataclass
from pathlib import Path

from autograder.places import ROOT

STAR = "★"
ROW = re.compile(
    r"^\| *(?P<number>\d+)[^|]*\| *(?P<minutes>\d+) *\| *(?P<difficulty>[^|]*?) *\|[^|]*\{points (?P<names>[^}]*)\}",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Part:
    """A graded part of a notebook; one with a star is a bonus."""

    number: int
    minutes: int
    difficulty: str
    functions: tuple[str, ...]

    @property
    def is_bonus(self) -> bool:
        return STAR in self.difficulty


def notebook(name: str, root: Path = ROOT) -> Path:
    """Return the source of a chapter's notebook."""
    return root / "exercises" / name / "notebook.md"


def parts(name: str, root: Path = ROOT) -> list[Part]:
    """Return the graded parts of a chapter's notebook, in order."""
    return [
        Part(int(row["number"]), int(row["minutes"]), row["difficulty"], tuple(re.findall(r"\w+", row["names"])))
        for row in ROW.finditer(notebook(name, root).read_text("utf-8"))
    ]


def helpers_of(name: str, function: str, root: Path = ROOT) -> list[str]:
    """Return the helpers that the solution of a function has of its own module, and that no part asks for."""
    mark = rf"^#\| exercise {function} (?:of=\S+ )?with=(\S+)"
    match = re.search(mark, notebook(name, root).read_text("utf-8"), re.MULTILINE)
    functions = {each for part in parts(name, root) for each in part.functions}
    return [each for each in (match[1].split(",") if match else ()) if "." not in each and each not in functions]


def part_of(name: str, function: str, root: Path = ROOT) -> Part:
    """Return the part that asks for a function; raise LookupError where none does."""
    every = parts(name, root)
    for part in every:
        if function in part.functions:
            return part
    known = ", ".join(each for part in every for each in part.functions)
    raise LookupError(f"no part of the notebook {name} asks for '{function}': they ask for {known}")
