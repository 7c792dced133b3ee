"""A course's description of itself: the table [tool.autograder] in its pyproject.toml.

[tool.autograder]
title = "Sorting"                     # on the students' START HERE
slug = "sorting"                      # the folder in kit.zip
exercises = "problems"                # a folder and package: NAME/notebook.md, NAME/checks.py and what lies beside them
taught = "answers/NAME.py"            # the functions that students write, solved
order = "problems/order.toml"         # its tables are the assignments, in order; by default the alphabet's
kit = ["tools/*.py"]                  # files that students get as they are; "!tools/secret.py" leaves some out
answers = ["answers"]                 # modules that hold answers: importing one is flagged
flags = "problems/flags.toml"         # what else stands out in students' code: submissions/static_analysis.py
warm = ["tools.plots"]                # modules of the kit that notebooks import: imported once for all students
preload = ["problems.slow.checks"]    # modules that all judging processes share
templates = "problems/new"            # what `new` writes; by default an exercise with one function
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from autograder.places import ROOT

FILE, TABLE = "pyproject.toml", "tool.autograder"
NAME = "NAME"  # stands for an assignment's name in a path
REQUIRED = ("title", "slug", "exercises", "taught")


class DefinitionError(ValueError):
    """A course's own table cannot be used; the message names its file and the expected content."""


@dataclass(frozen=True)
class Definition:
    """The content of [tool.autograder], with paths from the course's root."""

    title: str
    slug: str
    exercises: str
    taught: str
    order: str = ""
    kit: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    flags: str = ""
    warm: tuple[str, ...] = ()
    preload: tuple[str, ...] = ()
    templates: str = ""

    def folder(self, name: str) -> str:
        """Return the path of an assignment's folder."""
        return f"{self.exercises}/{name}"

    def notebook(self, name: str) -> str:
        """Return the path of the text of an assignment's notebook."""
        return f"{self.exercises}/{name}/notebook.md"

    def checks(self, name: str) -> str:
        """Return the path of an assignment's checks."""
        return f"{self.exercises}/{name}/checks.py"

    def solved(self, name: str) -> str:
        """Return the path of the module with an assignment's functions, solved."""
        return self.taught.replace(NAME, name)

    @property
    def trees(self) -> list[str]:
        """Return the folders on which a grade depends: those of the exercises and of the solved functions."""
        return list(dict.fromkeys((self.exercises, self.taught.partition(f"/{NAME}")[0])))

    def package(self, path: str) -> str:
        """Return the dotted name by which a folder or file is imported."""
        return path.removesuffix(".py").replace("/", ".")


def folder_of(reference: Callable, kind: str) -> Path:
    """Return the folder with a function's files of one kind: "mistakes" or "examples".

    The name of the function's module tells the assignment: PACKAGE.NAME.…, or PACKAGE.NAME.
    """
    parts = reference.__module__.split(".")
    of = next((part for part in parts[1:] if (ROOT / definition().folder(part)).is_dir()), parts[-1])
    return ROOT / definition().folder(of) / kind


@cache
def definition(root: Path = ROOT) -> Definition:
    """Return a course's description of itself; raise DefinitionError where something is missing or unknown."""
    path = root / FILE
    try:
        table = tomllib.loads(path.read_text("utf-8"))["tool"]["autograder"]
    except FileNotFoundError:
        raise DefinitionError(f"{path} does not exist: a course needs this file, with a table [{TABLE}]") from None
    except (KeyError, TypeError):
        raise DefinitionError(f"{path} has no table [{TABLE}]: write one, as autograder/README.md shows") from None
    except tomllib.TOMLDecodeError as error:
        raise DefinitionError(f"{path} is not valid TOML: {error}") from None
    _demand(path, table)
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    return Definition(**values)


def _demand(path: Path, table: dict) -> None:
    """Raise DefinitionError unless the table has all required keys, and no unknown ones."""
    known = {field.name: field.type for field in fields(Definition)}
    if missing := [name for name in REQUIRED if name not in table]:
        raise DefinitionError(f"{path}, [{TABLE}]: {', '.join(missing)} is missing")
    for name, value in table.items():
        if name not in known:
            raise DefinitionError(f"{path}, [{TABLE}]: {name!r}: expected one of {', '.join(known)}")
        is_list = isinstance(value, list) and all(isinstance(each, str) for each in value)
        if not (is_list if "tuple" in str(known[name]) else isinstance(value, str)):
            kind = "a list of texts" if "tuple" in str(known[name]) else "a text"
            raise DefinitionError(f"{path}, [{TABLE}]: {name} = {value!r}: expected {kind}")
    if NAME not in table["taught"]:
        raise DefinitionError(f"{path}, [{TABLE}]: taught = {table['taught']!r}: expected a path with {NAME} in it")
