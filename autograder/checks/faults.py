"""Faults in a check: one sentence for its author, before anything is graded."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any

import numpy as np

DTYPES = ("float32", "int64", "bool")
KINDS = "expected a float32, int64 or bool array, a number, text, None, or a list or dictionary of these"


class CheckFault(ValueError):
    """A check that cannot be used; the message says where, what was expected, and what is there."""


def demand_tuples(function: str, **fields: object) -> None:
    """Raise CheckFault unless each field is a tuple or a list: `("weights")` is text, `("weights",)` a tuple."""
    for name, value in fields.items():
        if not isinstance(value, tuple | list):
            raise CheckFault(
                f"{function}: {name} is a {type(value).__name__}, expected a tuple: write {name}=(…,) with a comma"
            )


def demand_points(function: str, outputs: Sequence[str], points: Mapping[str, Any]) -> None:
    """Raise CheckFault unless each demand earns a whole number of points, and is about an existing output."""
    for name, worth in points.items():
        number, part = getattr(worth, "points", worth), getattr(worth, "part", None)
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise CheckFault(f"{function}: “{name}” earns {number!r} points, expected a whole number from 1 on")
        if part is not None and part not in outputs:
            raise CheckFault(f"{function}: “{name}” is about '{part}', which is no output: {_one_of(outputs)}")


def demand_names(function: str, outputs: Sequence[str], exact: Sequence[str]) -> None:
    """Raise CheckFault unless all exactly compared outputs exist."""
    if unknown := [name for name in exact if name not in outputs]:
        raise CheckFault(f"{function}: exact names '{unknown[0]}', which is no output: {_one_of(outputs)}")


def demand_stars(function: str, stars: object) -> None:
    """Raise CheckFault unless a check has no star, one or two."""
    if not isinstance(stars, int) or isinstance(stars, bool) or stars not in (0, 1, 2):
        raise CheckFault(f"{function}: stars is {stars!r}, expected 1 or 2 where the points are a bonus, else 0")


def demand_arguments(function: str, case: str, names: Sequence[str], arguments: Sequence[Any]) -> None:
    """Raise CheckFault unless a case has a value for each argument, of a kind that students' functions can get."""
    where = f"{function}, case “{case}”"
    if len(arguments) != len(names):
        raise CheckFault(
            f"{where}: {len(arguments)} arguments, expected {len(names)} ({', '.join(names)}): write None for one that "
            "is left out"
        )
    for name, value in zip(names, arguments, strict=True):
        if wrong := _unsendable(value):
            raise CheckFault(f"{where}, argument {name}: {wrong}")


def demand_outputs(function: str, case: str, names: Sequence[str], outputs: Sequence[np.ndarray]) -> None:
    """Raise CheckFault unless the reference returned as many values as the check names, numbers or -∞."""
    where = f"{function}, case “{case}”"
    if len(outputs) != len(names):
        raise CheckFault(
            f"{where}: the reference returns {len(outputs)} values, and outputs names {len(names)}: {', '.join(names)}"
        )
    for name, output in zip(names, outputs, strict=True):
        if output.dtype.kind == "f" and not (np.isfinite(output) | np.isneginf(output)).all():
            raise CheckFault(
                f"{where}: the reference returns an infinity or NaN in “{name}”: expected finite numbers or -∞"
            )


def duplicates(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once, in order."""
    listed = list(names)
    return [name for name in dict.fromkeys(listed) if listed.count(name) > 1]


def _unsendable(value: Any) -> str:
    """Return the reason why a value cannot be an argument, "" if it can."""
    if isinstance(value, np.ndarray):
        kind = str(value.dtype)
        cure = "use .astype(np.float32)" if value.dtype.kind == "f" else "use .astype(np.int64)"
        return "" if kind in DTYPES else f"an array of {kind}, expected one of {', '.join(DTYPES)}: {cure}"
    if isinstance(value, dict):
        return next((wrong for item in value.values() if (wrong := _unsendable(item))), "")
    if isinstance(value, list | tuple):
        return next((wrong for item in value if (wrong := _unsendable(item))), "")
    if value is None or isinstance(value, bool | int | float | str | np.generic) or is_dataclass(value):
        return ""
    cure = ": use .numpy()" if type(value).__name__ == "Tensor" else ""
    return f"a {type(value).__name__}, {KINDS}{cure}"


def _one_of(names: Sequence[str]) -> str:
    return f"expected one of {', '.join(names)}" if names else "there is none"
