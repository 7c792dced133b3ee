"""Plain values, arrays and a few dataclasses as JSON text, the arrays apart. No pickle, and few types.

The socket (frames.py) and the kit's recordings (recordings.py) store arrays in different places: `put` takes an array
and returns its stand-in for the text, `take` returns the array for a stand-in.
"""

import json
from collections.abc import Callable, Collection
from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np

TAG = "\0"  # begins the one key of an object that stands for an array or a dataclass: no plain dict has such a key
ARRAY = f"{TAG}array"

Classes = Collection[type]  # the dataclasses that are carried
Put = Callable[[np.ndarray], Any]
Take = Callable[[Any], np.ndarray]


class CodecError(ValueError):
    """The codec does not carry this text or value; the message says which and why."""


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def encode(value: Any, known: Classes, put: Put) -> bytes:
    """Return a value as JSON text; raise CodecError for one that is not carried."""

    def plain(value: Any) -> Any:
        kind = type(value).__name__
        if isinstance(value, np.ndarray):
            return {ARRAY: put(value)}
        if isinstance(value, np.integer | np.floating | np.bool_):
            return value.item()
        if type(value) in known:
            return {TAG + kind: {name: getattr(value, name) for name in _names(type(value))}}
        raise CodecError(f"a value of type {kind} cannot be sent; arrays, numbers, text, lists can")

    try:
        text = json.dumps(value, default=plain, ensure_ascii=False)
    except (RecursionError, TypeError) as error:
        raise CodecError(f"a value that cannot be sent: {error}") from None
    return text.encode("utf-8", "surrogatepass")  # half a character is text too; json.loads lets it pass


def decode(text: bytes, known: Classes, take: Take) -> Any:
    """Return the value that `encode` made the text from; raise CodecError for any other text."""

    by_name = {kind.__name__: kind for kind in known}

    def rebuilt(content: dict[str, Any]) -> Any:
        kind = next(iter(content), "")
        if not kind.startswith(TAG):
            return content
        inner: Any = content[kind]
        if kind == ARRAY:
            return take(inner)
        made = by_name[kind.removeprefix(TAG)]
        if set(inner) != set(_names(made)):
            raise CodecError(f"the fields of {made.__name__} are not its own")
        return made(**inner)

    try:
        return json.loads(text, object_hook=rebuilt)
    except CodecError:
        raise
    except (RecursionError, ValueError, TypeError, KeyError, OverflowError, MemoryError) as error:
        raise CodecError(f"a text that cannot be read: {type(error).__name__}") from None
