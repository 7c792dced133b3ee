"""Two known mistakes at once: one of them made where the other one calls what is right."""

import builtins
import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache, partial
from inspect import unwrap
from types import CellType, CodeType, FunctionType
from typing import Any

OWN = re.compile(r"solutions\.|autograder\.checks\.\w+\.\w*(mistakes|beam_parts|beam_shortcuts)$")


def instead_of(right: Callable, wrong: Callable, mistake: Callable) -> Callable:
    """Note that a mistake is made by calling `wrong` where `right` belongs; return it."""
    vars(mistake)["instead"] = (right, wrong)
    return mistake


def _instead(mistake: Callable) -> tuple[Callable | None, Callable | None]:
    return getattr(mistake, "instead", (None, None))


@cache
def pairs(reference: Callable, mistakes: tuple[Callable, ...], parts: type | None) -> list[tuple[int, int, Callable]]:
    """Return the pairs of mistakes that can be made at once, by their places, and the function that makes both.

    `parts` is the class that has the reference in parts, and of which mistakes replace some.
    """
    reached = [_reached(mistake) for mistake in mistakes]
    two = [(i, j) for i in range(len(mistakes)) for j in range(len(mistakes)) if i != j]
    called = {(i, j): _called(mistakes[i], mistakes[j], reference, reached[i]) for i, j in two}
    merged = {
        (i, j): _merged(mistakes[i], mistakes[j], parts)
        for i, j in two
        if parts and i < j and called[i, j] is called[j, i] is None and id(parts) in reached[i] & reached[j]
    }
    return [(*places, together) for places in two if (together := called[places] or merged.get(places))]


def _called(outer: Callable, inner: Callable, reference: Callable, of_outer: set[int]) -> Callable | None:
    """Return the outer mistake with the inner one where it calls what the inner one does wrong, if it does."""
    right, wrong = _instead(inner)
    if id(unwrap(reference)) in of_outer:
        return _Later(partial(_Copies(reference, inner), outer))
    if right and wrong and id(unwrap(right)) in of_outer:
        return _Later(partial(_Copies(right, wrong), outer))
    return None


def _merged(outer: Callable, inner: Callable, parts: Any) -> Callable:
    """Return a function in parts that has the parts of both mistakes."""
    (right, one), (other, two) = _instead(outer), _instead(inner)
    if one and two and right is other and id(parts) in _reached(one) & _reached(two):
        return _Later(partial(_Copies(one, _Merged(one, two, parts)), outer))
    return _Merged(outer, inner, parts)


class _Later:
    """A function that is made when it is called for the first time."""

    def __init__(self, make: Callable[[], Callable]):
        self.make, self.made = make, None

    def __call__(self, *arguments):
        self.made = self.made or self.make()
        return self.made(*arguments)


class _Watched:
    """A function in parts; what it is called with and what it returns is noted."""

    def __init__(self, function: Any, calls: list[tuple[tuple, Any]]):
        self.function, self.calls = function, calls

    def __call__(self, *arguments):
        return self._noted(self.function, *arguments)

    def __getattr__(self, name: str) -> Callable:
        return partial(self._noted, getattr(self.function, name))

    def _noted(self, function: Callable, *arguments):
        result = function(*arguments)
        self.calls.append((arguments, result))
        return result


class _Merged:
    """A function in parts, some replaced by one mistake and some by another."""

    def __init__(self, outer: Callable, inner: Callable, parts: type):
        self.parts, self.given, self.calls = parts, {}, []
        self.inner = _Later(partial(_Copies(parts, self._note), inner))
        self.outer = _Later(partial(_Copies(parts, self._make), outer))

    def _note(self, **given):
        self.given = given
        return _Watched(self.parts(**given), self.calls)

    def _make(self, **own):
        if own.keys() & self.given.keys():
            raise ValueError("both mistakes replace the same part")
        return self.parts(**self.given, **own)

    def __call__(self, *arguments):
        self.given, self.calls[:] = {}, []
        result = self.inner(*arguments)
        handed_on = [any(one is other for other in (None, *arguments)) for call, _ in self.calls for one in call]
        direct = all(handed_on) and any(result is returned for _, returned in self.calls)
        if not self.given or not direct:
            raise ValueError("the inner mistake does more than replace parts")
        return self.outer(*arguments)


def _names(code: CodeType) -> Iterator[str]:
    """Yield the global names of a piece of code, those of the functions inside it too."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _own(value: Any) -> bool:
    return bool(OWN.match(str(getattr(value, "__module__", ""))))


def _inside(value: Any) -> Iterator[Any]:
    """Yield what one of our functions calls by a global name or holds in its closure, or the parts of a class."""
    if isinstance(value, FunctionType):
        names = {name: value.__globals__.get(name) for name in _names(value.__code__)}
        yield from names.values()
        yield from (cell.cell_contents for cell in value.__closure__ or ())
        yield from (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values())
    elif isinstance(value, type):
        yield from (field.default for field in fields(value) if field.default is not MISSING)
    else:
        yield from (getattr(value, field.name) for field in fields(value))


def _followed(value: Any) -> bool:
    return _own(value) and (isinstance(value, FunctionType) or is_dataclass(value))


def _reached(mistake: Callable) -> set[int]:
    """Return the identity of all that a mistake may call, straight or through others of our functions."""
    reached, waiting = {}, [unwrap(mistake)]
    while waiting:
        value = waiting.pop()
        if id(value) not in reached:
            reached[id(value)] = value
            waiting += [unwrap(one) if callable(one) else one for one in _inside(value)] if _followed(value) else []
    return set(reached)


class _Copies:
    """Copies of functions that call `wrong` wherever the originals call `right`, straight or through others."""

    def __init__(self, right: Any, wrong: Any):
        self.right, self.wrong = unwrap(right) if callable(right) else right, wrong
        self.made: dict[int, Any] = {}

    def __call__(self, value: Any) -> Any:
        if callable(value) and not isinstance(value, type):
            value = unwrap(value)
        if value is self.right:
            return self.wrong
        if not _followed(value):
            return value
        if id(value) not in self.made:
            copied = self._function(value) if isinstance(value, FunctionType) else self._in_parts(value)
            self.made[id(value)] = copied
        return self.made[id(value)]

    def _function(self, function: FunctionType) -> FunctionType:
        names: dict[str, Any] = {"__builtins__": builtins}
        cells = tuple(CellType() for _ in function.__closure__ or ())
        copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, cells or None)
        copy.__kwdefaults__ = function.__kwdefaults__
        self.made[id(function)] = copy  # before the rest is copied: functions may call themselves
        for name in _names(function.__code__):
            if name in function.__globals__:
                names[name] = self(function.__globals__[name])
        for cell, old in zip(cells, function.__closure__ or (), strict=True):
            cell.cell_contents = self(old.cell_contents)
        if function.__defaults__:
            copy.__defaults__ = tuple(map(self, function.__defaults__))
        if function.__kwdefaults__:
            copy.__kwdefaults__ = {name: self(value) for name, value in function.__kwdefaults__.items()}
        return copy

    def _in_parts(self, value: Any) -> Any:
        """Return a class or an object that has its parts copied: of a class, a function that makes such objects."""
        if isinstance(value, type):
            given = {field.name: self(field.default) for field in fields(value) if field.default is not MISSING}
            changed = {name: part for name, part in given.items() if part is not getattr(value, name)}
            return partial(value, **changed) if changed else value
        given = {field.name: self(getattr(value, field.name)) for field in fields(value)}
        changed = {name: part for name, part in given.items() if part is not getattr(value, name)}
        return replace(value, **changed) if changed else value
