"""course.toml: a teacher's settings for a class, in one file that git ignores. Without it, all is as released.

chapters = ["sorting", "searching"]             # the others are dropped; the order is the course's

[points.sorting]
which_is_stable = 4                             # a question in words
merge_sort = {"equal keys" = 3}                 # demands of a check, in the words that students read; 0 drops one

[deadlines]
sorting = "2026-12-01 Europe/Berlin"

[late]
free_days = 1                                   # of which each day begun then costs `a_day` of the score
a_day = 0.1
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from autograder.places import ROOT

FILE = "course.toml"
ONLY_CHAPTERS = "ATTENTION_ONLY_CHAPTERS"  # set by the tests, which are about the course and not about a class
Points = Mapping[str, "int | Mapping[str, int]"]  # of a chapter's questions, and of the demands of its checks


class SettingsError(ValueError):
    """Something in course.toml cannot be used; the message says what was expected instead."""


@dataclass(frozen=True)
class Late:
    """The penalty for being late: after some free days, a share of the score for each day begun."""

    free_days: float = 0
    a_day: float = 0.1


@dataclass(frozen=True)
class Settings:
    """The content of course.toml."""

    chapters: tuple[str, ...] | None = None  # None: all
    points: Mapping[str, Points] = field(default_factory=dict)
    deadlines: Mapping[str, str] = field(default_factory=dict)
    late: Late | None = None


def settings(root: Path | None = None) -> Settings:
    """Return the class's settings, or those of another copy of the course at `root`.

    Raise SettingsError where the file cannot be read.
    """
    path = (root or ROOT) / FILE
    try:
        read = _read(path.read_text(encoding="utf-8"), path)
    except FileNotFoundError:
        return Settings()
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is not text in UTF-8: save it in UTF-8") from None
    return Settings(read.chapters) if os.environ.get(ONLY_CHAPTERS) else read


@lru_cache(maxsize=8)
def _read(text: str, path: Path) -> Settings:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from None
    try:
        demand_one_of(content, ("chapters", "points", "deadlines", "late"))
        deadlines = {name: str(date) for name, date in _table(content, "deadlines").items()}
        return Settings(_chapters(content), _points(content), deadlines, _late(content))
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from None


def demand_one_of(names: Mapping[str, Any] | Sequence[str], known: Sequence[str], where: str = "") -> None:
    """Raise SettingsError for the first unknown name."""
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            meant = f"; do you mean {near[0]!r}?" if near else ""
            raise SettingsError(f"{where}{name!r}: expected one of {', '.join(known)}{meant}")


def _demand(is_right: bool, name: str, value: Any, expected: str) -> None:
    if not is_right:
        raise SettingsError(f"{name} = {value!r}: expected {expected}")


def _chapters(content: dict[str, Any]) -> tuple[str, ...] | None:
    names = content.get("chapters")
    is_list = isinstance(names, list) and names and all(isinstance(each, str) for each in names)
    _demand(names is None or bool(is_list), "chapters", names, 'a list of names, such as ["sorting", "searching"]')
    return tuple(names) if names else None


def _table(content: dict[str, Any], name: str) -> dict[str, Any]:
    table = content.get(name, {})
    _demand(isinstance(table, dict), name, table, f"a table, [{name}]")
    return table


def _points(content: dict[str, Any]) -> dict[str, Points]:
    points = _table(content, "points")
    for name in points:
        for each, worth in _table(points, name).items():
            for demand, number in (worth if isinstance(worth, dict) else {"": worth}).items():
                what = f"points.{name}.{each}" + (f", “{demand}”" if demand else "")
                least = 0 if demand else 1  # a demand can be dropped
                _demand(type(number) is int and number >= least, what, number, f"a whole number from {least} on")
    return points


def _late(content: dict[str, Any]) -> Late | None:
    table = _table(content, "late")
    demand_one_of(table, ("free_days", "a_day"), "late: ")
    for name, most in (("free_days", 365), ("a_day", 1)):
        number = table.get(name, 0)
        is_right = type(number) in (int, float) and 0 <= number <= most
        _demand(is_right, f"late.{name}", number, f"a number from 0 to {most}")
    return Late(**table) if "late" in content else None
