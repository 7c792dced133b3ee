"""Ctrl-C, SIGTERM and a closed terminal: each ends a command in order, none in the middle of a piece of work."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

ENDING = signal.SIGTERM, signal.SIGHUP


@contextmanager
def _handled(numbers: tuple[signal.Signals, ...], handler: Callable[[int, Any], Any]) -> Iterator[None]:
    """Handle these signals so, but for those that are ignored: nohup lets a command outlive its terminal."""
    before = {number: signal.getsignal(number) for number in numbers}
    for number, earlier in before.items():
        if earlier is not signal.SIG_IGN:
            signal.signal(number, handler)
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


@contextmanager
def ends_as_interrupts() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise KeyboardInterrupt, as Ctrl-C does, so that sandbox and gradebook are closed."""
    with _handled(ENDING, signal.default_int_handler):
        yield


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP wait for the end of the block, and raise them there.

    A database interrupted in its work may raise its own error in place of KeyboardInterrupt: the run would take it for
    a fault of the grader, and go on. V8 would leave tasks behind, and say so.
    """
    came: list[int] = []
    try:
        with _handled((signal.SIGINT, *ENDING), lambda number, _: came.append(number)):
            yield
    finally:
        if came:
            signal.raise_signal(came[0])
