"""The loop of one worker: it runs cells, and calls the student's functions, for whoever holds the other end."""

import random
import signal
import socket
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from autograder.kit import call, codec, frames, proxy
from autograder.kit.answer import Answer, Failure

from .shell import OUTPUTS, Shell


class _Interrupts:
    """Turns SIGINT into KeyboardInterrupt while a request is worked on, and into nothing in between."""

    working = False

    def __call__(self, *_: Any) -> None:
        if self.working:
            self.working = False  # once is enough
            raise KeyboardInterrupt


class _Questions:
    """The other direction of the link: while a request is worked on, its sender may be asked."""

    def __init__(self, link: socket.socket) -> None:
        self.link = link
        self.request: int | None = None
        self.one_at_a_time = threading.Lock()

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        try:
            frame = frames.encode({"id": self.request, "ask": question})
        except codec.CodecError as error:
            return {"error": ["TypeError", str(error)]}
        if len(frame[0]) > proxy.MOST_HEADER or len(frame[1]) > proxy.MOST_BODY:
            return {"error": ["ValueError", f"its arguments are too large: more than {proxy.MOST_BODY >> 20} MB"]}
        with self.one_at_a_time:
            frames.send_encoded(self.link, frame)
            return frames.receive(self.link)["answer"]


def _seed() -> None:
    # All workers inherit the state of the process they were forked from.
    import numpy
    import torch

    random.seed(0)
    numpy.random.seed(0)
    torch.default_generator.manual_seed(0)  # torch.manual_seed first looks for other devices: 4 ms a worker


def serve(link: socket.socket, shell: Shell) -> None:
    """Answer requests until the other end closes."""
    _seed()
    interrupts, questions = _Interrupts(), _Questions(link)
    operations: dict[str, Callable] = _OPERATIONS | {"carry": partial(_carry, questions)}
    signal.signal(signal.SIGINT, interrupts)
    frames.send(link, {"ready": True})
    while True:
        try:
            request = frames.receive(link)
        except frames.Closed:
            return
        questions.request = request["id"]
        frames.send_encoded(link, _answer(request, partial(operations[request["op"]], request, shell), interrupts))


def _answer(request: dict[str, Any], operation: Callable[[], Any], interrupts: _Interrupts) -> tuple[bytes, bytes]:
    try:
        interrupts.working = True
        reply = operation()
        interrupts.working = False
        # What cannot be sent is the student's error, found while it can still be said.
        return frames.encode({"id": request["id"], "reply": reply})
    except BaseException as error:  # a student's code may raise anything, SystemExit included
        interrupts.working = False
        reply = _failed(request, f"{type(error).__name__}: {str(error)[:500]}")
        return frames.encode({"id": request["id"], "reply": reply})


def _failed(request: dict[str, Any], why: str) -> Any:
    if request["op"] == "call":
        return Answer(error=Failure("raised", why))
    OUTPUTS.error("Stopped", why, [why])
    return {"outputs": OUTPUTS.finish(), "finished": False}


def _carry(questions: _Questions, request: dict[str, Any], shell: Shell) -> None:
    """From now on, let these functions be stand-ins that ask, whatever the next cells define."""
    for name, parameters in request["functions"].items():
        shell.stand_ins[name] = proxy.stand_in(name, parameters, questions.ask)
    proxy.install(shell.user_ns, shell.stand_ins)


def _cell(request: dict[str, Any], shell: Shell) -> dict[str, Any]:
    outputs, finished = shell.run(request["source"])
    proxy.install(shell.user_ns, shell.stand_ins)  # in the place of what the cell has defined
    return {"outputs": outputs, "finished": finished}


def _call(request: dict[str, Any], shell: Shell) -> Answer:
    OUTPUTS.start()  # what a function prints while it is checked is not kept
    number, again = request["number"], request["again"]
    if number == 0 and not again:
        shell.kept.clear()
    kept = None if number is None else shell.kept.setdefault(number, [])
    if kept and not again:
        kept.clear()
    return call.call(shell.user_ns, request["function"], request["arguments"], request["cotangents"], kept)


_OPERATIONS = {"cell": _cell, "call": _call}
