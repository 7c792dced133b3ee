"""The points that a class's course.toml gives instead of the checks' own."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from autograder.checks.check import Check
from autograder.checks.points import Points, Written
from autograder.settings import FILE, SettingsError, demand_one_of, settings
from autograder.settings import Points as Given

_last: dict[str, tuple[Given, list[Check], dict[str, Check]]] = {}  # by name: a check keeps what it has computed


def checks_of_class(name: str, known: list[Check]) -> dict[str, Check]:
    """Return the checks of a name by function, with the class's points; raise SettingsError for those of no demand."""
    given = settings().points.get(name, {})
    if name not in _last or _last[name][:2] != (given, known):
        _last[name] = given, known, {check.function: _changed(name, check, given) for check in known}
    return _last[name][2]


def questions_of_class(name: str, known: Mapping[str, Written], functions: Iterable[str]) -> dict[str, Written]:
    """Return the questions in words with the class's points, to which the items of their rubrics are scaled.

    Raise SettingsError for points of no question.
    """
    given = settings().points.get(name, {})
    demand_one_of(given, [*functions, *known], f"{FILE}: points.{name}: ")
    for question in known.keys() & given.keys():
        if not isinstance(given[question], int):
            raise SettingsError(f"{FILE}: points.{name}.{question}: expected one number for an answer in words")
    return {question: _scaled(each, given.get(question)) for question, each in known.items()}


def _scaled(question: Written, points: object) -> Written:
    """Return a question with other points, and each item's in hundredths, rounded up: together they give them all."""
    if not isinstance(points, int):
        return question
    factor = points / question.points
    rubric = {item: math.ceil(round(100 * worth * factor, 6)) / 100 for item, worth in question.rubric.items()}
    return replace(question, points=points, rubric=rubric)


def _changed(name: str, check: Check, given: Given) -> Check:
    numbers = given.get(check.function)
    if numbers is None:
        return check
    where = f"{FILE}: points.{name}.{check.function}"
    if isinstance(numbers, int):
        form = f'{{"{next(iter(check.points))}" = {numbers}}}'
        raise SettingsError(f"{where} = {numbers}: expected a table such as {form}: each demand has its points")
    demand_one_of(numbers, list(check.points), f"{where}: ")
    points = {
        demand: replace(old, points=numbers.get(demand, old.points))
        if isinstance(old, Points)
        else numbers.get(demand, old)
        for demand, old in check.points.items()
        if numbers.get(demand) != 0  # 0 drops the demand
    }
    if not points:
        raise SettingsError(f"{where}: all demands have 0 points: give at least one of them some")
    return replace(check, points=points)
