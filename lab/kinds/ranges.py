"""Ranges of the numbers in recipes and commands: part of their types, and checked before anything is done."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, get_args, get_type_hints

WORD = re.compile(r"[^\W_][\w.+-]*")


class RecipeError(ValueError):
    """Values of a recipe that do not fit together; the message says which."""


@dataclass(frozen=True)
class Range:
    """Finite numbers between two ends, which belong to it unless it says otherwise."""

    least: int | float
    most: int | float = math.inf
    open_below: bool = False
    open_above: bool = False

    def __contains__(self, value: int | float) -> bool:
        above = value > self.least if self.open_below else value >= self.least
        below = value < self.most if self.open_above else value <= self.most
        return math.isfinite(value) and above and below

    def __str__(self) -> str:
        above = f"a number above {self.least:g}" if self.open_below else f"{self.least:g} or more"
        if self.most == math.inf:
            return above
        return f"{above}, and {'below' if self.open_above else 'at most'} {self.most:g}"


Size = Annotated[int, Range(1)]
Count = Annotated[int, Range(0)]
Seed = Annotated[int, Range(0, 2**31 - 1)]
Positive = Annotated[float, Range(0, open_below=True)]
Amount = Annotated[float, Range(0)]
Share = Annotated[float, Range(0, 1)]
Part = Annotated[float, Range(0, 1, open_above=True)]  # a share below 1: a dropout, a decay


def demand(options: Any) -> None:
    """Raise RecipeError if a number of some options or of a recipe is out of its range."""
    for name, value, allowed in _numbers(options):
        if value is not None and value not in allowed:
            raise RecipeError(f"--{name.replace('_', '-')}: expected {allowed}, got {value}")


def demand_word(option: str, value: str) -> None:
    """Raise RecipeError unless a part of a run's name is a word: a folder is called by it."""
    if value and not WORD.fullmatch(value):
        text = "expected a word of letters, digits, '_', '.', '+' and '-' that begins with a letter or digit"
        raise RecipeError(f"{option}: {text}, got {value[:60]!r}")


def ranges(kind: type) -> dict[str, Range | None]:
    """Return the range of each field of a class of options, None where it has none."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: next(_found(hint), None) for name, hint in hints.items()}


def _found(hint: Any) -> Iterator[Range]:
    for part in (*getattr(hint, "__metadata__", ()), *get_args(hint)):
        if isinstance(part, Range):
            yield part
        elif part is not hint:
            yield from _found(part)


def _numbers(options: Any) -> Iterator[tuple[str, Any, Range]]:
    allowed = ranges(type(options))
    for item in fields(options):
        value = getattr(options, item.name)
        if is_dataclass(value):
            yield from _numbers(value)
        elif limits := allowed[item.name]:
            yield item.name, value, limits
