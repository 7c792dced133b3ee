"""The loop of one worker: it runs cells and calls the student's functions at the judge's request."""

import random
import signal
import socket
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from autograder.kit.calls import adapters, call, codec, frames, proxy
from autograder.kit.verdict.answer import Answer, Call, Failure

from .shell import OUTPUTS, Shell


class _InterruptHandler:
    """Handles SIGINT: it raises KeyboardInterrupt in a cell or a call; between two calls, the next is not made."""

    working = False
    interrupted = False  # in this request

    def __call__(self, *_: Any) -> None:
        self.interrupted = True
        if self.working:
            self.working = False  # once is enough
            raise KeyboardInterrupt


class _JudgeLink:
    """The link in the other direction: while a request is worked on, the worker may ask the judge."""

    def __init__(self, link: socket.socket) -> None:
        self.link = link
        self.request: int | None = None
        self.lock = threading.Lock()

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        try:
            frame = frames.encode({"id": self.request, "ask": question})
        except codec.CodecError as error:
            return {"error": ["TypeError", str(error)]}
        if len(frame[0]) > proxy.MOST_HEADER or len(frame[1]) > proxy.MOST_BODY:
            return {"error": ["ValueError", f"its arguments are too large: more than {proxy.MOST_BODY >> 20} MB"]}
        with self.lock:
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
    """Answer requests on the link until the judge closes it."""
    _seed()
    handler, judge = _InterruptHandler(), _JudgeLink(link)
    signal.signal(signal.SIGINT, handler)
    frames.send(link, {"ready": True})
    while True:
        try:
            request = frames.receive(link)
        except frames.Closed:
            return
        judge.request, handler.interrupted = request["id"], False
        for number, operation in enumerate(_operations(judge, request, shell)):
            if number and handler.interrupted:
                frames.send(link, {"id": request["id"], "reply": None})  # no more of them come
                break
            frames.send_encoded(link, _answer(request, operation, handler))


def _operations(judge: _JudgeLink, request: dict[str, Any], shell: Shell) -> list[Callable[[], Any]]:
    """Return the operations of a request, each with one reply."""
    if request["op"] == "call":
        return [partial(_call, judge, request, each, shell) for each in request["calls"]]
    return [partial(_carry, judge, request, shell) if request["op"] == "carry" else partial(_cell, request, shell)]


def _answer(request: dict[str, Any], operation: Callable[[], Any], handler: _InterruptHandler) -> tuple[bytes, bytes]:
    try:
        handler.working = True
        if handler.interrupted:  # just before
            raise KeyboardInterrupt
        reply = operation()
        handler.working = False
        # Encoded here, so that outputs that cannot be sent are reported as the student's error.
        return frames.encode({"id": request["id"], "reply": reply})
    except BaseException as error:  # a student's code may raise anything, SystemExit included
        handler.working = False
        reply = _failure(request, f"{type(error).__name__}: {str(error)[:500]}")
        return frames.encode({"id": request["id"], "reply": reply})


def _failure(request: dict[str, Any], reason: str) -> Any:
    if request["op"] == "call":
        return Answer(error=Failure("raised", reason))
    OUTPUTS.error("Stopped", reason, [reason])
    return {"outputs": OUTPUTS.finish(), "finished": False}


def _carry(judge: _JudgeLink, request: dict[str, Any], shell: Shell) -> None:
    """Put stand-ins that ask the judge in place of these functions, now and after each later cell."""
    shell.remote_stubs |= {name: proxy.remote_stub(name, judge.ask) for name in request["functions"]}
    proxy.install(shell.user_ns, shell.remote_stubs)


def _cell(request: dict[str, Any], shell: Shell) -> dict[str, Any]:
    outputs, finished = shell.run(request["source"], request["is_shown"])
    proxy.install(shell.user_ns, shell.remote_stubs)  # in place of what the cell has defined
    return {"outputs": outputs, "finished": finished}


def _call(judge: _JudgeLink, request: dict[str, Any], wanted: Call, shell: Shell) -> Answer:
    adapters.ASKED.set(judge.ask if request["served"] else None)
    OUTPUTS.start()  # what a function prints while it is checked is not kept
    function = request["function"]
    if function not in shell.kept_arguments:  # another check's are not needed any more
        shell.kept_arguments = {function: {}}
    kept = None if wanted.number is None else shell.kept_arguments[function].setdefault(wanted.number, [])
    return call.call(shell.user_ns, function, wanted.arguments, wanted.cotangents, kept, request["adapter"])
