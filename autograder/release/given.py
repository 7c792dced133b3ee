"""Functions of earlier notebooks, written out for students who do not have them: `release --given NAME,NAME`."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.assignment import assignments, dropped
from autograder.definition import NAME, definition
from autograder.release.blank import Module

FOLDER = Path("given")  # in the kit; autograder/kit/given.py reads it
PACKAGE = '"""Functions of earlier notebooks that your teacher has given out. Your own come first."""\n'


class NotGivable(ValueError):
    """A name behind --given whose functions cannot be given out; the message says which, why, and what to do."""


def _taught() -> re.Pattern[str]:
    """Return the pattern of an import of solved functions, whose group is the assignment."""
    before, _, after = definition().package(definition().taught).partition(NAME)
    return re.compile(rf"^from {re.escape(before)}(\w+)(?:{re.escape(after)})? import ", re.MULTILINE)


def chosen(words: Sequence[str] | None, before: Sequence[str]) -> list[str]:
    """Return the names in --given, by default those of the release before; "none" stands for none."""
    if words is None:
        return list(before)
    names = [name.strip() for text in words for name in text.split(",")]
    return [] if names == ["none"] else names


def demand_givable(names: Sequence[str]) -> None:
    """Raise NotGivable unless each name has functions, occurs once, and comes with all that its functions call.

    A dropped chapter may be given: nobody can have written its functions.
    """
    known = [*assignments(), *dropped()]
    for name in names:
        if name not in known or not Module.of(name).functions:
            reason = f"{name} has no functions" if name in known else f"no exercise is called '{name}'"
            raise NotGivable(f"--given {','.join(names)}: {reason}: expected some of {', '.join(known)}")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise NotGivable(f"--given {','.join(names)}: {twice[0]} is there twice: name each chapter once")
    for name in names:
        if lacking := [other for other in dict.fromkeys(_taught().findall(Module.of(name).text)) if other not in names]:
            both = ",".join([*lacking, *names])
            needs = f"the functions of {name} call functions of {', '.join(lacking)}"
            raise NotGivable(f"--given {','.join(names)}: {needs}: give those too, --given {both}, or leave out {name}")


def given_files(names: Sequence[str]) -> Iterator[tuple[Path, bytes]]:
    """Yield path in the kit and content of the modules with the functions of these names, none for no names."""
    for name in names:
        text = _taught().sub(rf"from {FOLDER.name}.\1 import ", Module.of(name).text)
        yield FOLDER / f"{name}.py", text.encode()
    if names:
        yield FOLDER / "__init__.py", PACKAGE.encode()
