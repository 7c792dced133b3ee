"""Frames carry values and nothing else: what goes in comes out, and forged bytes end in CodecError."""

import contextlib
import json
import socket
import struct
import threading
import time

import numpy as np
import pytest

from autograder.kit.calls import codec, frames
from autograder.kit.known.table_models import GreedyStep
from autograder.kit.verdict.answer import Answer, Failure


def through(value):
    return frames.decode(*frames.encode(value))


def drawn(rng: np.random.Generator, depth: int = 0):
    """Return a random value of every kind that a frame carries."""
    if depth < 4 and rng.random() < 0.5:
        items = [drawn(rng, depth + 1) for _ in range(rng.integers(4))]
        return items if rng.random() < 0.5 else {f"key {i} é": item for i, item in enumerate(items)}
    shape = rng.integers(0, 4, rng.integers(0, 4))
    arrays = [rng.normal(size=shape).astype(dtype) for dtype in sorted(frames.DTYPES)]
    plain = [None, True, False, 0, -(2**62), 1.5, float("nan"), float("-inf"), "", "tränenblind \u2028", "\ud800"]
    answer = Answer(outputs=[arrays[0]], gradients=[None, arrays[1]], error=Failure("raised", "why"))
    pool = [*arrays, *plain, answer, GreedyStep(np.arange(3), np.ones((2, 2), np.float32))]
    return pool[rng.integers(len(pool))]


def test_what_goes_in_comes_out() -> None:
    for seed in range(200):
        value = drawn(np.random.default_rng(seed))
        assert frames.encode(through(value)) == frames.encode(value), seed


def test_arrays_come_out_as_copies_in_the_machines_order() -> None:
    turned = np.arange(6, dtype=">f4").reshape(2, 3).T
    got = through(turned)
    assert np.array_equal(turned, got)
    assert got.dtype == np.float32
    assert got.flags.writeable


@pytest.mark.parametrize(
    "value",
    [
        object(),
        type("Answer", (), {})(),  # a class that borrows a name
        {1, 2},
        b"bytes",
        1j,
        np.array(["text"]),
        np.array([object()]),
        np.array([1j]),
        np.zeros(2, "datetime64[s]"),
        np.zeros(2, [("a", "f4")]),
        lambda: None,
    ],
    ids=lambda value: type(value).__name__,
)
def test_nothing_else_can_be_sent(value) -> None:
    with pytest.raises(codec.CodecError):
        frames.encode([value])


def nested(depth: int, opening: bytes = b"[", closing: bytes = b"]") -> bytes:
    return opening * depth + closing * depth


def tagged(kind: str, inside) -> bytes:
    return json.dumps({codec.TAG + kind: inside}).encode()


FORGED = {
    "no JSON": (b"{", b""),
    "no text": (b"\xff\xfe", b""),
    "nested deep": (nested(200_000), b""),
    "objects nested deep": (nested(100_000, b'{"a":', b"}"), b""),
    "a long integer": (b"9" * 10_000, b""),
    "an unknown class": (tagged("Popen", {"args": "id"}), b""),
    "missing fields": (tagged("Answer", {"error": None}), b""),
    "fields of its own": (tagged("GreedyStep", {"starts": 1, "table": 2, "more": 3}), b""),
    "the inside is no object": (tagged("Answer", 7), b""),
    "pickled objects": (tagged("array", ["object", [1]]), b"12345678"),
    "a dtype that is a list": (tagged("array", [["float32"], [1]]), b"1234"),
    "a shape too large": (tagged("array", ["float32", [10**9, 10**9]]), b"1234"),
    "a negative shape": (tagged("array", ["float32", [-1]]), b"1234"),
    "a broken shape": (tagged("array", ["float32", [1.0]]), b"1234"),
    "a shape of truth": (tagged("array", ["float32", [True]]), b"1234"),
    "many axes of none": (tagged("array", ["float32", [0] * 40]), b""),
    "huge and empty": (tagged("array", ["float32", [0, 99999999999999]]), b""),
    "no shape": (tagged("array", ["float32", 3]), b"1234"),
    "too few bytes": (tagged("array", ["float32", [2]]), b"1234"),
    "bytes of no array": (b"[]", b"1234"),
    "an array that is no pair": (tagged("array", None), b""),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_frames_are_refused(name: str) -> None:
    with pytest.raises(codec.CodecError):
        frames.decode(*FORGED[name])


def test_bytes_changed_anywhere_raise_nothing_but_codec_errors() -> None:
    rng = np.random.default_rng(0)
    header, body = frames.encode([{"x": np.ones((2, 3))}, Answer(outputs=[np.zeros(2)]), "text", 1.5])
    for _ in range(3000):
        forged = bytearray(header)
        for _ in range(rng.integers(1, 4)):
            forged[rng.integers(len(forged))] = rng.integers(256)
        with contextlib.suppress(codec.CodecError):
            frames.decode(bytes(forged), body)


@pytest.fixture
def ends():
    one, two = socket.socketpair()
    with one, two:
        yield one, two


@pytest.mark.parametrize("sizes", [(frames.MAX_HEADER + 1, 0), (0, 65), (2**32 - 1, 2**32 - 1)])
def test_a_size_over_the_cap_is_refused_before_anything_is_read(ends, sizes) -> None:
    ends[0].sendall(struct.pack("<II", *sizes))
    with pytest.raises(codec.CodecError, match="at most"):
        frames.receive(ends[1], time.monotonic() + 5, max_body=64)


def test_an_end_that_closes_is_told_apart(ends) -> None:
    ends[0].sendall(struct.pack("<II", 10, 0))
    ends[0].close()
    with pytest.raises(frames.Closed):
        frames.receive(ends[1], time.monotonic() + 5)


def test_drops_of_bytes_do_not_put_the_deadline_off(ends) -> None:
    def drip() -> None:
        for _ in range(20):
            time.sleep(0.05)
            ends[0].sendall(b"\0")

    ends[0].sendall(struct.pack("<II", 1000, 0))
    dripping = threading.Thread(target=drip)
    dripping.start()
    started = time.monotonic()
    with pytest.raises(frames.TooLate):
        frames.receive(ends[1], started + 0.3)
    assert time.monotonic() - started < 0.8
    dripping.join()
