"""Values across one Unix socket: frames of a codec's text and the raw bytes of its arrays; every size is capped."""

import math
import socket
import struct
import time
from typing import Any

import numpy as np

from autograder.kit.calls import codec
from autograder.kit.calls.adapter import Adapter
from autograder.kit.calls.codec import CodecError
from autograder.kit.known.table_models import BeamStep, GreedyStep
from autograder.kit.verdict.answer import Answer, Call, Failure

MAX_HEADER = 8 << 20
MAX_BODY = 64 << 20
_WHOLE = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
DTYPES = {
    name: np.dtype(name).newbyteorder("<") for name in ["bool", *_WHOLE, "float16", "float32", "float64"]
}  # by numpy's names, always little-endian in a frame
NAMES = {dtype: name for name, dtype in DTYPES.items()}  # numpy makes a name anew at each request
CLASSES = (Adapter, Answer, Call, Failure, GreedyStep, BeamStep)

_SIZES = struct.Struct("<II")


class Closed(CodecError):
    """The other end has gone."""


class TooLate(CodecError):
    """The deadline passed before the frame was complete."""


def encode(value: Any) -> tuple[bytes, bytes]:
    """Return a value as a JSON header and the bytes of its arrays, in the order in which the header names them."""
    body: list[bytes] = []

    def put(array: np.ndarray) -> list:
        name = NAMES.get(array.dtype) or array.dtype.name
        if name not in DTYPES:
            raise CodecError(f"an array of {array.dtype} cannot be sent; expected one of {', '.join(sorted(DTYPES))}")
        body.append(np.ascontiguousarray(array, dtype=DTYPES[name]).tobytes())
        return [name, list(array.shape)]

    return codec.encode(value, CLASSES, put), b"".join(body)


def decode(header: bytes, body: bytes) -> Any:
    """Return the value that `encode` made the bytes from; raise CodecError for any other bytes."""
    offset = 0

    def take(described: Any) -> np.ndarray:
        nonlocal offset
        name, shape = described
        if name not in DTYPES:
            raise CodecError(f"an array of dtype {name!r:.40}")
        if len(shape) > 16 or not all(type(n) is int and 0 <= n <= MAX_BODY for n in shape):
            raise CodecError("an array of an impossible shape")
        dtype, count = DTYPES[name], math.prod(shape)
        if count * dtype.itemsize > len(body) - offset:
            raise CodecError(f"an array of {count * dtype.itemsize} bytes, of which {len(body) - offset} came")
        flat = np.frombuffer(body, dtype, count, offset)
        offset += flat.nbytes
        return flat.reshape(shape).astype(dtype.newbyteorder("="))  # a copy of its own, which may be written to

    value = codec.decode(header, CLASSES, take)
    if offset != len(body):
        raise CodecError(f"{len(body) - offset} bytes belong to no array")
    return value


def send(link: socket.socket, value: Any) -> None:
    """Send one value as one frame."""
    send_encoded(link, encode(value))


def send_encoded(link: socket.socket, frame: tuple[bytes, bytes]) -> None:
    """Send a frame from `encode`."""
    header, body = frame
    link.sendall(_SIZES.pack(len(header), len(body)) + header + body)


def receive(
    link: socket.socket, deadline: float | None = None, max_body: int = MAX_BODY, max_header: int = MAX_HEADER
) -> Any:
    """Return the next value; `deadline` is on time.monotonic's clock; raises Closed, TooLate or CodecError."""
    header_size, body_size = _SIZES.unpack(_exactly(link, _SIZES.size, deadline))
    if header_size > max_header or body_size > max_body:
        raise CodecError(f"a frame of {header_size} + {body_size} bytes; at most {max_header} + {max_body} are read")
    header = _exactly(link, header_size, deadline)
    return decode(header, _exactly(link, body_size, deadline))


def _exactly(link: socket.socket, size: int, deadline: float | None) -> bytes:
    pieces: list[bytes] = []
    while size:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise TooLate("no complete answer in time")
        link.settimeout(left)
        try:
            pieces.append(link.recv(min(size, 1 << 20)))
        except TimeoutError:
            raise TooLate("no complete answer in time") from None
        except ConnectionError:
            raise Closed("the connection broke") from None
        if not pieces[-1]:
            raise Closed("the other end has gone")
        size -= len(pieces[-1])
    return b"".join(pieces)
