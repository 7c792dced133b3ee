"""Plain values, arrays and a few dataclasses as JSON text, the arrays apart. No pickle, few types, every size capped.

What goes over the socket (frames.py) and what the kit records (recordings.py) differ in where arrays go: `put` takes an
array and returns what stands for it in the text, `take` is given that and returns the array.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

MAX_DEPTH = 24
MAX_NODES = 200_000
MAX_INTEGER = 1 << 63

Classes = Mapping[str, type]  # the dataclasses that are carried, by name
Put = Callable[[np.ndarray], Any]
Take = Callable[[Any], np.ndarray]


class CodecError(ValueError):
    """The text, or the value, is not what the codec carries; says which and why."""


def classes(*kinds: type) -> Classes:
    """Return dataclasses by their names."""
    return {kind.__name__: kind for kind in kinds}


def encode(value: Any, known: Classes, put: Put) -> bytes:
    """Return a value as JSON text; raise CodecError for one that is not carried."""
    text = json.dumps(_Writer(known, put).tree(value, 0), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")  # half a character is text too; json.loads lets it pass


def decode(text: bytes, known: Classes, take: Take) -> Any:
    """Return the value that `encode` made the text from; raise CodecError for any other text."""
    try:
        return _Reader(known, take).value(json.loads(text), 0)
    except CodecError:
        raise
    except (RecursionError, ValueError, TypeError, KeyError, OverflowError, MemoryError) as error:
        raise CodecError(f"a text that cannot be read: {type(error).__name__}") from None


@dataclass
class _Writer:
    """Walks a value; arrays go to `put`."""

    known: Classes
    put: Put

    def tree(self, value: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise CodecError(f"a value nested more than {MAX_DEPTH} deep cannot be sent")
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, np.ndarray):
            return {"array": self.put(value)}
        if isinstance(value, int | float | np.integer | np.floating | np.bool_):
            return _number(value)
        if isinstance(value, list | tuple):
            return [self.tree(item, depth + 1) for item in value]
        kind, content = ("dict", value) if isinstance(value, dict) else self._fields(value)
        if not all(isinstance(key, str) for key in content):
            raise CodecError("a dict with keys that are no strings cannot be sent")
        return {kind: {key: self.tree(item, depth + 1) for key, item in content.items()}}

    def _fields(self, value: Any) -> tuple[str, dict[str, Any]]:
        kind = type(value).__name__
        if self.known.get(kind) is not type(value):
            raise CodecError(f"a value of type {kind} cannot be sent; arrays, numbers, text, lists can")
        return kind, {field.name: getattr(value, field.name) for field in fields(value)}


def _number(value: Any) -> bool | int | float:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, int) and abs(plain) >= MAX_INTEGER:
        raise CodecError("an integer of more than 63 bits cannot be sent")
    # A subclass may print itself as it likes: only the number goes out.
    return plain if isinstance(plain, bool) else int(plain) if isinstance(plain, int) else float(plain)


@dataclass
class _Reader:
    """Walks a tree and counts its nodes; arrays come from `take`."""

    known: Classes
    take: Take
    nodes: int = 0

    def value(self, tree: Any, depth: int) -> Any:
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            raise CodecError("too many values, or nested too deep")
        if isinstance(tree, list):
            return [self.value(item, depth + 1) for item in tree]
        if not isinstance(tree, dict):
            if isinstance(tree, int) and abs(tree) >= MAX_INTEGER:
                raise CodecError("an integer of more than 63 bits")
            return tree
        if len(tree) != 1:
            raise CodecError("an object that is neither array, dict nor a known class")
        [(kind, inner)] = tree.items()
        if kind == "array":
            return self.take(inner)
        if not isinstance(inner, dict):
            raise CodecError(f"the inside of {kind!r:.40} is no object")
        content = {key: self.value(item, depth + 1) for key, item in inner.items()}
        return content if kind == "dict" else self._rebuilt(kind, content)

    def _rebuilt(self, kind: str, content: dict[str, Any]) -> Any:
        cls = self.known.get(kind)
        if cls is None:
            raise CodecError(f"an object of unknown class {kind!r:.40}")
        if set(content) != {field.name for field in fields(cls)}:
            raise CodecError(f"the fields of {kind} are not its own")
        return cls(**content)
