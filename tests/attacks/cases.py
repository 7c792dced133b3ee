"""The submissions of this folder: a family is a text (NAME.md) or a table of notebooks and files (NAME.py).

In a text, `## A name` begins a submission, made from the solved notebook of `bahdanau`:

    Right: additive_attention nothing, others all      what it gets: all, some, nothing, less, anything, 7; refused
    From: blank                                        begins with the notebook as released (default: solved)
    Fails: timeout                                     is the kind of a failure of some check
    Says: SystemExit                                   is in a hint or in the error
    Shows: still here                                  is in some output
    Hides: secret                                      is in no output (the canary never is)
    Flag: exec                                         is in one of the flags

and code: ```python NAME takes the place of the cell called NAME. `first` goes to the top, `setup` below the setup cell,
`last` to the end, `before` is handed in on its own just before. @COURSE@, @HOME@, @ROOT@, @CANARY@ are filled in.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import nbformat

from autograder.assignment import grade_id
from autograder.checks import checks
from autograder.places import released_notebook, source_notebook

NAME = "bahdanau"
FUNCTIONS = tuple(checks(NAME))
HERE = Path(__file__).parent
TEXTS = ("availability", "death", "reading", "writing", "forging", "luck", "pages")
TABLES = ("structure", "files")
BLOCK = re.compile(r"^```(python|markdown) (\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FIELD = re.compile(r"^(Right|From|Fails|Says|Shows|Hides|Flag): (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """One submission: how its file is made, and what is right to say of it."""

    family: str
    name: str
    right: str
    make: Callable[[Path, dict[str, str]], Path]  # in a folder, with the places that code names; returns the file
    before: list[bytes] = field(default_factory=list)
    says: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    @property
    def expected(self) -> dict[str, str]:
        """Return what is right for each function."""
        if " " not in self.right:
            return dict.fromkeys(FUNCTIONS, self.right)
        points = dict(part.rsplit(" ", 1) for part in self.right.split(", "))
        others = points.pop("others", "nothing")
        assert set(points) <= set(FUNCTIONS), self.right
        return dict.fromkeys(FUNCTIONS, others) | points


def notebook(start: str = "solved") -> nbformat.NotebookNode:
    """Return the released notebook, or the solved one."""
    return nbformat.read(released_notebook(NAME) if start == "blank" else source_notebook(NAME), as_version=4)


def cell(kind: str, source: str) -> nbformat.NotebookNode:
    made = nbformat.v4.new_code_cell(source) if kind == "python" else nbformat.v4.new_markdown_cell(source)
    made["id"] = f"cell-{abs(hash(source)) % 10**9}"
    return made


def written(blocks: list[tuple[str, str, str]], start: str) -> bytes:
    """Return a notebook with these blocks (kind, place, source) in their places."""
    made = notebook(start)
    for kind, place, source in blocks:
        named = [each for each in made.cells if grade_id(each) == place]
        if named:
            named[0].source = source.rstrip()
        elif place == "setup":
            at = next(n for n, each in enumerate(made.cells) if each.cell_type == "code") + 1
            made.cells.insert(at, cell(kind, source))
        else:
            assert place in ("first", "last"), place
            made.cells.insert(0 if place == "first" else len(made.cells), cell(kind, source))
    return nbformat.writes(made).encode()


def filled(text: str, places: dict[str, str]) -> str:
    for name, value in places.items():
        text = text.replace(f"@{name}@", value)
    return text


def _from_text(family: str, name: str, text: str) -> Case:
    fields: dict[str, list[str]] = {}
    for key, value in FIELD.findall(BLOCK.sub("", text)):
        fields.setdefault(key, []).append(value.strip())
    start = fields.get("From", ["solved"])[0]
    blocks = BLOCK.findall(text)
    own = [block for block in blocks if block[1] != "before"]

    def make(folder: Path, places: dict[str, str]) -> Path:
        path = folder / f"{NAME}.ipynb"
        path.write_bytes(written([(kind, place, filled(source, places)) for kind, place, source in own], start))
        return path

    return Case(
        family,
        name,
        fields["Right"][0],
        make,
        [written([("python", "first", source)], "blank") for _, place, source in blocks if place == "before"],
        *(tuple(fields.get(key, ())) for key in ("Says", "Shows", "Hides", "Flag", "Fails")),
    )


def of_change(change: Callable, start: str, **fields: Any) -> Case:
    """Return the case of a function (None, cells, notebook) that changes a notebook, and is called as the case."""

    def make(folder: Path, _: dict[str, str]) -> Path:
        made = notebook(start)
        change(None, made.cells, made)
        path = folder / f"{NAME}.ipynb"
        path.write_text(json.dumps(made), "utf-8")
        return path

    return Case("structure", change.__name__.replace("_", " "), make=make, **fields)


def at(cells: list[Any], name: str) -> int:
    return next(n for n, each in enumerate(cells) if grade_id(each) == name)


def setup(cells: list[Any]) -> int:
    return next(n for n, each in enumerate(cells) if each.cell_type == "code")


def of_family(family: str) -> list[Case]:
    """Return the cases of one family, in the order of its file."""
    if family in TABLES:
        return import_module(f"tests.attacks.{family}").cases()
    parts = re.split(r"^## (.+)\n", (HERE / f"{family}.md").read_text("utf-8"), flags=re.MULTILINE)
    return [_from_text(family, name, text) for name, text in zip(parts[1::2], parts[2::2], strict=True)]
