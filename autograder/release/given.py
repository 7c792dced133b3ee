"""Functions of earlier notebooks, written out for students who do not have them: `release --given NAME,NAME`."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.assignment import assignments, dropped, has_chapter
from autograder.release.blank import Module

FOLDER = Path("given")  # in the kit; autograder/kit/given.py reads it
TAUGHT = re.compile(r"^from solutions\.(\w+)(?:\.attention)? import ", re.MULTILINE)
PACKAGE = '"""Functions of earlier notebooks that your teacher has given out. Your own come first."""\n'


class NotGivable(ValueError):
    """A name behind --given whose functions cannot be given out; the message says which, why, and what to do."""


def chosen(words: Sequence[str] | None, before: Sequence[str]) -> list[str]:
    """Return the names that --given names, those of the release before where there is none; "none" stands for none."""
    if words is None:
        return list(before)
    names = [name.strip() for text in words for name in text.split(",")]
    return [] if names == ["none"] else names


def demand_givable(names: Sequence[str]) -> None:
    """Raise NotGivable unless each name has functions, is there once, and comes with all that its functions call.

    A chapter that the course has dropped may be given: its functions are the ones that nobody can have written.
    """
    known = [*assignments(), *dropped()]
    for name in names:
        if name not in known or not Module.of(name).functions:
            reason = f"{name} has no functions" if has_chapter(name) else f"no exercise is called '{name}'"
            raise NotGivable(f"--given {','.join(names)}: {reason}: expected some of {', '.join(known)}")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise NotGivable(f"--given {','.join(names)}: {twice[0]} is there twice: name each chapter once")
    for name in names:
        if lacking := [other for other in dict.fromkeys(TAUGHT.findall(Module.of(name).text)) if other not in names]:
            both = ",".join([*lacking, *names])
            needs = f"the functions of {name} call functions of {', '.join(lacking)}"
            raise NotGivable(f"--given {','.join(names)}: {needs}: give those too, --given {both}, or leave out {name}")


def given_files(names: Sequence[str]) -> Iterator[tuple[Path, bytes]]:
    """Yield path in the kit and content of the modules that hold the functions of these names, none for no names."""
    for name in names:
        text = TAUGHT.sub(rf"from {FOLDER.name}.\1 import ", Module.of(name).text)
        yield FOLDER / f"{name}.py", text.encode()
    if names:
        yield FOLDER / "__init__.py", PACKAGE.encode()
