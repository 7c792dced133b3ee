"""Values across one Unix socket: frames of JSON and raw bytes. No pickle, few types, and every size is capped."""

import json
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from autograder.kit.call import Answer
from autograder.kit.table_models import BeamStep, GreedyStep

MAX_HEADER = 8 << 20
MAX_BODY = 64 << 20
MAX_DEPTH = 24
MAX_NODES = 200_000
MAX_INTEGER = 1 << 63
_WHOLE = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
DTYPES = {
    name: np.dtype(name).newbyteorder("<") for name in ["bool", *_WHOLE, "float16", "float32", "float64"]
}  # by numpy's names, always little-endian on the wire
NAMES = {dtype: name for name, dtype in DTYPES.items()}  # numpy makes a name anew each time that it is asked for it

_SIZES = struct.Struct("<II")


class WireError(ValueError):
    """The bytes, or the value, are not what the wire carries; says which and why."""


class Closed(WireError):
    """The other end has gone."""


class TooLate(WireError):
    """The deadline passed before the frame was complete."""


REGISTERED: dict[str, type] = {cls.__name__: cls for cls in (Answer, GreedyStep, BeamStep)}


def encode(value: Any) -> tuple[bytes, bytes]:
    """Return a value as a JSON header and the bytes of its arrays, in the order in which the header names them."""
    arrays: list[np.ndarray] = []
    text = json.dumps(_pack(value, arrays, 0), ensure_ascii=False)
    header = text.encode("utf-8", "surrogatepass")  # half a character is text too; json.loads lets it pass
    return header, b"".join(array.tobytes() for array in arrays)


def decode(header: bytes, body: bytes) -> Any:
    """Return the value that `encode` made the bytes from; raise WireError for any other bytes."""
    try:
        tree = json.loads(header)
        return _Reader(body).whole(tree)
    except WireError:
        raise
    except (RecursionError, ValueError, TypeError, KeyError, OverflowError, MemoryError) as error:
        raise WireError(f"a frame that cannot be read: {type(error).__name__}") from None


def _pack(value: Any, arrays: list[np.ndarray], depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise WireError(f"a value nested more than {MAX_DEPTH} deep cannot be sent")
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.ndarray):
        return _pack_array(value, arrays)
    if isinstance(value, int | float | np.integer | np.floating | np.bool_):
        return _pack_number(value)
    if isinstance(value, list | tuple):
        return [_pack(item, arrays, depth + 1) for item in value]
    kind, content = ("dict", value) if isinstance(value, dict) else _fields(value)
    if not all(isinstance(key, str) for key in content):
        raise WireError("a dict with keys that are no strings cannot be sent")
    return {kind: {key: _pack(item, arrays, depth + 1) for key, item in content.items()}}


def _fields(value: Any) -> tuple[str, dict[str, Any]]:
    kind = type(value).__name__
    if REGISTERED.get(kind) is not type(value):
        raise WireError(f"a value of type {kind} cannot be sent; arrays, numbers, text, lists can")
    return kind, {field.name: getattr(value, field.name) for field in fields(value)}


def _pack_number(value: Any) -> Any:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, int) and abs(plain) >= MAX_INTEGER:
        raise WireError("an integer of more than 63 bits cannot be sent")
    # A subclass may print itself as it likes: only the number goes out.
    return plain if isinstance(plain, bool) else int(plain) if isinstance(plain, int) else float(plain)


def _pack_array(value: np.ndarray, arrays: list[np.ndarray]) -> dict[str, Any]:
    name = NAMES.get(value.dtype) or value.dtype.name
    if name not in DTYPES:
        raise WireError(f"an array of {value.dtype} cannot be sent; the wire carries {', '.join(sorted(DTYPES))}")
    arrays.append(np.ascontiguousarray(value, dtype=DTYPES[name]))
    return {"array": [name, list(value.shape)]}


@dataclass
class _Reader:
    """Walks a header and takes each array's bytes from the body, counting nodes."""

    body: bytes
    offset: int = 0
    nodes: int = 0

    def whole(self, tree: Any) -> Any:
        value = self.value(tree, 0)
        if self.offset != len(self.body):
            raise WireError(f"{len(self.body) - self.offset} bytes belong to no array")
        return value

    def value(self, tree: Any, depth: int) -> Any:
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            raise WireError("a frame with too many values, or nested too deep")
        if isinstance(tree, list):
            return [self.value(item, depth + 1) for item in tree]
        if not isinstance(tree, dict):
            if isinstance(tree, int) and abs(tree) >= MAX_INTEGER:
                raise WireError("an integer of more than 63 bits")
            return tree
        if len(tree) != 1:
            raise WireError("an object that is neither array, dict nor a registered class")
        [(kind, inner)] = tree.items()
        if kind == "array":
            return self.array(inner)
        if not isinstance(inner, dict):
            raise WireError(f"the inside of {kind!r:.40} is no object")
        content = {key: self.value(item, depth + 1) for key, item in inner.items()}
        return content if kind == "dict" else _rebuild(kind, content)

    def array(self, inner: Any) -> np.ndarray:
        dtype, shape = inner
        if dtype not in DTYPES:
            raise WireError(f"an array of dtype {dtype!r:.40}")
        if len(shape) > 16 or not all(type(n) is int and 0 <= n <= MAX_BODY for n in shape):
            raise WireError("an array of an impossible shape")
        count = 1
        for n in shape:
            count *= n
        kind = DTYPES[dtype]
        size = count * kind.itemsize
        if size > len(self.body) - self.offset:
            raise WireError(f"an array of {size} bytes, of which {len(self.body) - self.offset} came")
        flat = np.frombuffer(self.body, kind, count, self.offset)
        self.offset += size
        return flat.reshape(shape).astype(kind.newbyteorder("="))  # a copy of its own, which may be written to


def _rebuild(kind: str, content: dict[str, Any]) -> Any:
    cls = REGISTERED.get(kind)
    if cls is None:
        raise WireError(f"an object of unknown class {kind!r:.40}")
    if set(content) != {field.name for field in fields(cls)}:
        raise WireError(f"the fields of {kind} are not its own")
    return cls(**content)


def send(link: socket.socket, value: Any) -> None:
    """Send one value as one frame."""
    send_encoded(link, encode(value))


def send_encoded(link: socket.socket, frame: tuple[bytes, bytes]) -> None:
    """Send what `encode` returned."""
    header, body = frame
    link.sendall(_SIZES.pack(len(header), len(body)) + header + body)


def receive(
    link: socket.socket, deadline: float | None = None, max_body: int = MAX_BODY, max_header: int = MAX_HEADER
) -> Any:
    """Return the next value; `deadline` is on time.monotonic's clock; raises Closed, TooLate or WireError."""
    header_size, body_size = _SIZES.unpack(_exactly(link, _SIZES.size, deadline))
    if header_size > max_header or body_size > max_body:
        raise WireError(f"a frame of {header_size} + {body_size} bytes; at most {max_header} + {max_body} are read")
    header = _exactly(link, header_size, deadline)
    return decode(header, _exactly(link, body_size, deadline))


def _exactly(link: socket.socket, size: int, deadline: float | None) -> bytes:
    return b"".join(_pieces(link, size, deadline))


def _pieces(link: socket.socket, size: int, deadline: float | None) -> Iterator[bytes]:
    while size:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise TooLate("no complete answer in time")
        link.settimeout(left)
        try:
            piece = link.recv(min(size, 1 << 20))
        except TimeoutError:
            raise TooLate("no complete answer in time") from None
        except ConnectionError:
            raise Closed("the connection broke") from None
        if not piece:
            raise Closed("the other end has gone")
        size -= len(piece)
        yield piece
