"""The loop of one worker: it runs cells, and calls the student's functions, for whoever holds the other end."""

import random
import signal
import socket
from typing import Any

from autograder.kit import answers, wire

from .shell import OUTPUTS, Shell


class _Interrupts:
    """Turns SIGINT into KeyboardInterrupt while a request is worked on, and into nothing in between."""

    working = False

    def __call__(self, *_: Any) -> None:
        if self.working:
            self.working = False  # once is enough
            raise KeyboardInterrupt


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
    interrupts = _Interrupts()
    signal.signal(signal.SIGINT, interrupts)
    wire.send(link, {"ready": True})
    while True:
        try:
            request = wire.receive(link)
        except wire.Closed:
            return
        wire.send_encoded(link, _answer(request, shell, interrupts))


def _answer(request: dict[str, Any], shell: Shell, interrupts: _Interrupts) -> tuple[bytes, bytes]:
    try:
        interrupts.working = True
        reply = _OPERATIONS[request["op"]](request, shell)
        interrupts.working = False
        # What cannot be sent is the student's error, found while it can still be said.
        return wire.encode({"id": request["id"], "reply": reply})
    except BaseException as error:  # a student's code may raise anything, SystemExit included
        interrupts.working = False
        reply = _failed(request, f"{type(error).__name__}: {str(error)[:500]}")
        return wire.encode({"id": request["id"], "reply": reply})


def _failed(request: dict[str, Any], why: str) -> Any:
    if request["op"] == "call":
        return answers.Answer(outputs=None, gradients=None, inputs_after=None, error=why)
    OUTPUTS.error("Stopped", why, [why])
    return {"outputs": OUTPUTS.finish(), "finished": False}


def _cell(request: dict[str, Any], shell: Shell) -> dict[str, Any]:
    outputs, finished = shell.run(request["source"])
    return {"outputs": outputs, "finished": finished}


def _call(request: dict[str, Any], shell: Shell) -> answers.Answer:
    OUTPUTS.start()  # what a function prints while it is checked is not kept
    return answers.call(shell.user_ns, request["function"], request["arguments"], request["cotangents"])


_OPERATIONS = {"cell": _cell, "call": _call}
